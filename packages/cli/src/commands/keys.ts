import type { KeyType } from '@svc/contract/projects'

import type { Context } from '../context.ts'
import { timeText } from '../output.ts'

export async function showKeys({ calls, place, out }: Context) {
  const { keys } = await calls.developer('listKeys', {
    params: await place(),
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
    'No keys. Make one: svc keys create',
  )
  return { keys }
}

export async function createProjectKey(
  { calls, place, out, machine, env }: Context,
  { type, label }: { type: KeyType; label?: string },
) {
  const made = await calls.developer(
    'createKey',
    { params: await place(), body: { type, ...(label !== undefined && { label }) } },
    { idempotencyKey: machine.randomText() },
  )
  out.done(`${type} key ${made.key.id} for ${env} (shown only once):`)
  out.line(made.plaintext)
  return made
}

export async function revokeProjectKey(
  { calls, place, out, ask }: Context,
  { yes }: { yes?: boolean },
  keyId: string,
) {
  const { projectId } = await place()
  await ask.require(`Revoke ${keyId}? Clients that use it will be rejected immediately.`, { yes })
  await calls.developer('revokeKey', {
    params: { projectId, keyId },
  })
  out.done(`${keyId} is revoked`)
  return { revoked: keyId }
}
