import type { EnvironmentName } from '@svc/contract/common/schemas'
import type { DryRun } from '@svc/contract/config/config'
import type { ConfigDocument } from '@svc/contract/config/document'

import type { CommandGroup } from '../command-line/command-group.ts'
import { flag, migrate, textOr, yes } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import {
  namesOf,
  offerMigrations,
  type Pending,
  pendingBetween,
  printPending,
} from '../functions/migrations.ts'
import { Failure } from '../output/failure.ts'
import { counted, printable } from '../output/output.ts'
import { changeText, pushDocument } from '../project/config-push.ts'
import { environmentOf } from '../service/address.ts'
import { type LiveVersion, liveVersion, liveVersionIfHosted } from '../site/live-version.ts'
import { type FileChanges, filesBetween } from '../site/site.ts'
import { enabledProviders, readProviders } from './providers.ts'

/** Adds `svc promote`. */
export function addPromoteCommand(program: CommandGroup) {
  program.command(
    'promote',
    'copy the live version and its config from one environment to the other',
    promote,
    {
      from: textOr('development', '--from <env>', 'environment to copy from'),
      to: textOr('production', '--to <env>', 'environment to copy to'),
      functions: flag('--functions', 'also promote the live functions'),
      migrate,
      yes,
    },
  )
}

type Promote = { from: string; to: string; functions?: boolean; migrate?: boolean; yes?: boolean }
/** The live functions of the source, and what the target lacks for them. */
type LiveFunctions = { version: number; missingSecrets: string[]; pending: Pending[] }

const SHOWN_MAX = 20

/**
 * Copies the live files and the config of one environment to the other, and with `--functions` the live functions. Nothing is uploaded:
 * files belong to the project.
 */
async function promote(context: Context, options: Promote) {
  const { calls, out, ask } = context
  const [from, to] = [environmentOf(options.from), environmentOf(options.to)]
  if (from === to) throw new Failure('usage', `${from} cannot be promoted to itself.`)

  const functions = await functionsIn(context, from, to, options.functions === true)
  if (options.functions && !functions)
    throw new Failure('failed', `No functions are live in ${from}.`, { fix: 'Run: svc functions deploy' })
  const source = await (options.functions ? liveVersionIfHosted : liveVersion)(context, from)
  if (!source && !options.functions)
    throw new Failure('failed', `Nothing is live in ${from}.`, { fix: 'Run: svc deploy' })
  const { config } = await calls.admin('readConfig', {}, { env: from })
  const { changes } = (await pushDocument(context, config, to, { dry: true })) as DryRun
  // Hosting may be off until this config is pushed; then nothing is live.
  const target = await liveVersionIfHosted(context, to)
  const files = filesBetween(source ? (target?.files ?? []) : [], source?.files ?? [])
  const missing = await missingProviders(context, config, to)

  out.line(
    `${from}${source ? ` v${source.version}` : ''} → ${to}${target ? ` (now v${target.version})` : ''}`,
  )
  const fileLines = linesOf(files)
  printDifferences(context, 'files', fileLines)
  printDifferences(context, 'config', changes.map(changeText))
  if (functions) printFunctions(context, functions, options.functions === true, from, to)
  const summary = {
    from: { env: from, ...(source && { version: source.version }) },
    files,
    configChanges: changes,
    missingProviders: missing,
    missingSecrets: functions?.missingSecrets ?? [],
    pendingMigrations: namesOf(functions?.pending ?? [], []),
  }
  if (target && !options.functions && fileLines.length + changes.length === 0) {
    out.done(`${to} is already up to date`)
    return { ...summary, to: { env: to, version: target.version } }
  }
  for (const provider of missing) {
    out.problem(`${provider} has no credentials in ${to}: sign-in will fail with provider_not_configured`)
    out.line(`→ svc providers set ${provider} --env ${to}`)
  }
  const isComplete = missing.length + (options.functions ? summary.missingSecrets.length : 0) === 0
  await ask.require(isComplete ? `Promote to ${to}?` : 'Promote anyway?', { yes: options.yes })

  const migrated = await offerMigrations(context, functions?.pending ?? [], to, {
    migrate: options.migrate,
    mayAsk: options.yes !== true,
  })
  // First, because config and files may need them; and if they cannot run there, nothing is changed.
  const deployed =
    options.functions && functions ? await deployFunctions(context, functions, from, to) : undefined
  await pushDocument(context, config, to)
  const live = source && (await goLive(context, source, to))
  if (deployed) out.done(`functions v${deployed.version} are live in ${to}   ${deployed.url}`)
  const undo = target ? `  Undo: svc rollback ${target.version} --env ${to}` : ''
  if (live)
    out.done(
      `${to} is now at v${live.version}${target ? ` (was v${target.version}).` : ''}${undo}   ${live.url}`,
    )
  return {
    ...summary,
    pendingMigrations: namesOf(functions?.pending ?? [], migrated),
    to: { env: to, ...live, ...(deployed && { functionsVersion: deployed.version }) },
  }
}

/** Secrets are never copied: their values cannot be read. */
async function functionsIn(
  context: Context,
  from: EnvironmentName,
  to: EnvironmentName,
  isPromoted: boolean,
): Promise<LiveFunctions | undefined> {
  const { calls } = context
  const { version, secrets } = await calls.admin('readFunctions', {}, { env: from })
  if (version === null) return undefined
  const known = new Set((await calls.admin('readFunctions', {}, { env: to })).secrets)
  return {
    version,
    missingSecrets: secrets.filter((name) => !known.has(name)),
    pending: isPromoted ? await pendingBetween(context, from, to) : [],
  }
}

function printFunctions(
  context: Context,
  { version, missingSecrets, pending }: LiveFunctions,
  isPromoted: boolean,
  from: EnvironmentName,
  to: EnvironmentName,
) {
  const { out } = context
  out.line(
    isPromoted
      ? `functions: v${version} from ${from}; their data is not copied`
      : `functions: not promoted (v${version} is live in ${from}); add --functions to promote them`,
  )
  printPending(context, pending, to)
  if (missingSecrets.length === 0) return
  out.problem(`secrets are not copied; ${to} has no ${missingSecrets.join(', ')}`)
  for (const name of missingSecrets) out.line(`→ svc functions secrets set ${name} --env ${to}`)
}

async function deployFunctions(
  { calls, out }: Context,
  { version }: LiveFunctions,
  from: EnvironmentName,
  env: EnvironmentName,
) {
  await calls.admin('enableFunctions', { body: {} }, { env })
  const body = { fromVersion: version, fromEnvironment: from, message: `promoted from ${from} v${version}` }
  const deployed = await calls.admin('deployFunctions', { body }, { env })
  for (const warning of deployed.warnings) out.warn(warning)
  return deployed
}

const linesOf = ({ added, changed, removed }: FileChanges): string[] =>
  Object.entries({ '+': added, '~': changed, '-': removed }).flatMap(([sign, paths]) =>
    paths.map((path) => `${sign} ${printable(path)}`),
  )

function printDifferences({ out }: Context, what: string, lines: readonly string[]) {
  out.line(`${what}: ${lines.length === 0 ? 'no differences' : counted(lines.length, 'difference')}`)
  for (const line of lines.slice(0, SHOWN_MAX)) out.line(`  ${line}`)
  if (lines.length > SHOWN_MAX) out.line(`  and ${lines.length - SHOWN_MAX} more`)
}

async function missingProviders(context: Context, config: ConfigDocument, env: EnvironmentName) {
  const stored = (await readProviders(context, env)).filter(({ configured }) => configured)
  return enabledProviders(config).filter((name) => !stored.some(({ provider }) => provider === name))
}

async function goLive({ calls }: Context, { files, version, message }: LiveVersion, env: EnvironmentName) {
  const body = { files, message: message ?? `promoted from v${version}` }
  const { deploymentId } = await calls.admin('createDeployment', { body }, { env })
  const request = { params: { ref: deploymentId }, body: { activate: true } }
  return calls.admin('finalizeDeployment', request, { env })
}
