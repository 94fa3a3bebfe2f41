import type { KeyType } from '@svc/contract/developers/projects'

import type { CommandGroup } from '../command-line/command-group.ts'
import { choiceOr, text, yes } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { timeText } from '../output/output.ts'
import { withoutUndefined } from '../without-undefined.ts'

/** Adds `svc keys …`. */
export function addKeyCommands(program: CommandGroup) {
  const keys = program.group('keys', 'an environment’s keys', { defaultName: 'list' })
  keys.command('list', 'list active keys', showKeys)
  keys.command('create', 'create a key; it is shown only once', createProjectKey, {
    type: choiceOr('secret', '--type <type>', 'key type (secret for servers, publishable for pages)', [
      'secret',
      'publishable',
    ]),
    label: text('--label <text>', 'label shown in the key list'),
  })
  keys.command('revoke <id>', 'revoke a key immediately', revokeProjectKey, { yes })
}

async function showKeys({ calls, resolveEnvironment, out }: Context) {
  const { keys } = await calls.developer('listKeys', {
    params: await resolveEnvironment(),
  })
  out.table(
    ['ID', 'TYPE', 'ENDS IN', 'LABEL', 'CREATED', 'LAST USED'],
    keys.map(({ id, type, last4, label, createdAt, lastUsedAt }) => [
      id,
      type,
      last4,
      label ?? '',
      timeText(createdAt),
      timeText(lastUsedAt),
    ]),
    'No keys. Create one: svc keys create',
  )
  return { keys }
}

async function createProjectKey(
  { calls, resolveEnvironment, out, system, env }: Context,
  { type, label }: { type: KeyType; label?: string },
) {
  const created = await calls.developer(
    'createKey',
    { params: await resolveEnvironment(), body: withoutUndefined({ type, label }) },
    { idempotencyKey: system.randomText() },
  )
  out.done(`${type} key ${created.key.id} for ${env} (shown only once):`)
  out.line(created.plaintext)
  return created
}

async function revokeProjectKey(
  { calls, resolveEnvironment, out, ask }: Context,
  { yes }: { yes?: boolean },
  keyId: string,
) {
  const { projectId } = await resolveEnvironment()
  await ask.require(`Revoke ${keyId}? Clients that use it will be rejected immediately.`, { yes })
  await calls.developer('revokeKey', {
    params: { projectId, keyId },
  })
  out.done(`${keyId} revoked`)
  return { revoked: keyId }
}
