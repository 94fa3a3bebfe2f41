import type { EnvironmentName } from '@svc/contract/common-schemas'
import type { DryRun } from '@svc/contract/config'
import type { ConfigDocument } from '@svc/contract/config-document'
import { PROVIDERS } from '@svc/contract/features'
import type { DeployedFile } from '@svc/contract/hosting'

import { environmentOf } from '../address.ts'
import { changeText, pushDocument } from '../config-push.ts'
import type { Context } from '../context.ts'
import { Failure, isFailure } from '../failure.ts'
import { counted, shown } from '../output.ts'
import { type FileChanges, filesBetween } from '../site.ts'
import { readProviders } from './providers.ts'

type Promote = { from: string; to: string; yes?: boolean }
type Live = { version: number; message: string | null; files: DeployedFile[] }

const SHOWN_MAX = 20

/** Copies the live files and the config of one environment to the other. Nothing is uploaded: files belong to the project. */
export async function promote(context: Context, { from: fromName, to: toName, yes }: Promote) {
  const { calls, out, ask } = context
  const [from, to] = [environmentOf(fromName), environmentOf(toName)]
  if (from === to) throw new Failure('usage', `${from} cannot be promoted to itself.`)

  const source = await liveIn(context, from)
  if (!source) throw new Failure('failed', `Nothing is live in ${from}.`, { fix: 'Run: svc deploy' })
  const { config } = await calls.admin('readConfig', {}, { env: from })
  const { changes } = (await pushDocument(context, config, to, { dry: true })) as DryRun
  // Hosting may be off until this config is pushed; then nothing is live.
  const target = await liveIn(context, to).catch((error: unknown) => {
    if (!isFailure(error, 'feature_disabled')) throw error
    return undefined
  })
  const files = filesBetween(target?.files ?? [], source.files)
  const missing = await missingProviders(context, config, to)

  out.line(`${from} v${source.version} → ${to}${target ? ` (now v${target.version})` : ''}`)
  const fileLines = linesOf(files)
  printDifferences(context, 'files', fileLines)
  printDifferences(context, 'config', changes.map(changeText))
  const summary = {
    from: { env: from, version: source.version },
    files,
    configChanges: changes,
    missingProviders: missing,
  }
  if (target && fileLines.length + changes.length === 0) {
    out.done(`${to} is already up to date`)
    return { ...summary, to: { env: to, version: target.version } }
  }
  for (const provider of missing) {
    out.problem(`${provider} has no credentials in ${to}: sign-in answers provider_not_configured`)
    out.line(`→ svc providers set ${provider} --env ${to}`)
  }
  await ask.require(missing.length > 0 ? 'promote anyway' : `promote to ${to}`, { yes })

  await pushDocument(context, config, to)
  const live = await goLive(context, source, to)
  const undo = target ? `  Undo: svc rollback ${target.version} --env ${to}` : ''
  out.done(
    `${to} is now at v${live.version}${target ? ` (was v${target.version}).` : ''}${undo}   ${live.url}`,
  )
  return { ...summary, to: { env: to, ...live } }
}

const linesOf = ({ added, changed, removed }: FileChanges): string[] =>
  Object.entries({ '+': added, '~': changed, '-': removed }).flatMap(([sign, paths]) =>
    paths.map((path) => `${sign} ${shown(path)}`),
  )

function printDifferences({ out }: Context, what: string, lines: readonly string[]) {
  out.line(`${what}: ${lines.length === 0 ? 'no differences' : counted(lines.length, 'difference')}`)
  for (const line of lines.slice(0, SHOWN_MAX)) out.line(`  ${line}`)
  if (lines.length > SHOWN_MAX) out.line(`  and ${lines.length - SHOWN_MAX} more`)
}

async function liveIn({ calls }: Context, env: EnvironmentName): Promise<Live | undefined> {
  const { live } = await calls.admin('readHosting', {}, { env })
  if (!live) return undefined
  const request = { params: { ref: live.deploymentId } }
  const { deployment, files } = await calls.admin('readDeployment', request, { env })
  return { version: live.version, message: deployment.message, files }
}

async function missingProviders(
  context: Context,
  { auth }: ConfigDocument,
  env: EnvironmentName,
): Promise<string[]> {
  const stored = new Set(
    (await readProviders(context, env))
      .filter(({ configured }) => configured)
      .map(({ provider }) => provider),
  )
  return PROVIDERS.filter((provider) => auth?.providers?.[provider]?.enabled && !stored.has(provider))
}

async function goLive({ calls }: Context, { files, version, message }: Live, env: EnvironmentName) {
  const body = { files, message: message ?? `promoted from v${version}` }
  const { deploymentId } = await calls.admin('createDeployment', { body }, { env })
  const request = { params: { ref: deploymentId }, body: { activate: true } }
  return calls.admin('finalizeDeployment', request, { env })
}
