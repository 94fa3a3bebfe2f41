import { relative } from 'node:path'

import type { Context } from '../context.ts'
import { Failure } from '../output/failure.ts'
import { bytesText, counted, printable } from '../output/output.ts'
import { withoutUndefined } from '../without-undefined.ts'
import { readAssets } from './assets.ts'
import { runBuild } from './build.ts'
import { bundle, filesOnly } from './bundle.ts'
import { projectOf } from './folder.ts'
import { namesOf, offerMigrations, pendingOf, printPending } from './migrations.ts'
import { readFunctionsProject } from './project.ts'
import { printContinuedRooms, roomsWithCode } from './rooms.ts'
import { sourceMapField, withSourceLines, writeSourceMap } from './source-map.ts'

/** With `finishMinutes` 0, open rooms continue in the new version immediately. */
type DeployOptions = { message?: string; finishMinutes?: number; migrate?: boolean }

/** Builds the functions of a folder and makes them live. */
export async function deployFunctions(
  context: Context,
  { migrate, ...options }: DeployOptions,
  directory?: string,
) {
  const built = await buildFunctions(context, directory)
  const { env } = context
  const pending = await pendingOf(context, built.project, env).catch((error: Error) => {
    // The version that is live may be broken, and this one may mend it.
    if (migrate || !(error instanceof Failure)) throw error
    context.out.warn(`which migrations are not applied is unknown: ${error.message}`)
    return []
  })
  if (!migrate) printPending(context, pending, env)
  const migrated = await offerMigrations(context, pending, env, { migrate })
  if (pending.length > 0 && migrated.length === 0)
    context.out.line('→ Apply them before the version is live: --migrate')
  const deployed = await deployBuilt(context, built, options)
  return { ...deployed, pendingMigrations: namesOf(pending, migrated) }
}

/** The body of a deployment, and what only this machine needs. */
export type Built = Awaited<ReturnType<typeof buildFunctions>>

/** Reads the project, runs its build command and bundles its code. */
export async function buildFunctions(context: Context, argument?: string) {
  const { folder, entry } = projectOf(context, argument)
  const project = await readFunctionsProject(folder, entry)
  const { bindings, vars, crons, compatibilityDate, build } = project
  if (build) await runBuild(context, build)
  const assets = project.assets && (await readAssets(project.assets))
  const { map, inputs, ...modules } =
    project.main === undefined
      ? filesOnly(project.assets?.binding ?? '')
      : await bundle(project.main, folder, project.rules)
  const settings = withoutUndefined({ bindings, vars, assets, crons, compatibilityDate })
  const body = { ...modules, ...sourceMapField(map), ...settings }
  return { folder, project, body, map, inputs, unsupported: project.unsupported, build }
}

/** Turns functions on, deploys what was built and stores its source map. */
export async function deployBuilt(context: Context, built: Built, options: DeployOptions) {
  const { calls, out } = context
  const { folder, project, body, map, unsupported } = built
  if (unsupported.length > 0) out.warn(`not supported by svc: ${printable(unsupported.join(', '))}`)
  const files = body.assets?.files ?? []
  const withFiles =
    files.length > 0 ? ` and ${counted(files.length, 'file')} (${bytesText(bytesOf(files))})` : ''
  out.info(`bundled ${bytesText(bytesOf(body.modules))}${withFiles}; the service tests whether it starts`)
  await calls.admin('enableFunctions', { body: {} })
  const rooms = options.finishMinutes === 0 ? await roomsWithCode(context) : []
  const { message, finishMinutes } = options
  const deployed = await calls
    .admin('deployFunctions', { body: withoutUndefined({ ...body, message, finishMinutes }) })
    .catch((error: unknown) =>
      Promise.reject(withSourceLines(error, map, project.main && relative(folder, project.main))),
    )
  writeSourceMap(folder, map)
  for (const warning of deployed.warnings) out.warn(warning)
  out.done(`v${deployed.version} is live   ${deployed.url}`)
  await printContinuedRooms(context, rooms, deployed.version)
  return deployed
}

const bytesOf = (files: readonly { content: string }[]) =>
  files.reduce((sum, { content }) => sum + Buffer.byteLength(content, 'base64'), 0)

/** Deploys an older version again: the given one, or the one before the live one. */
export async function rollBackFunctions({ calls, out }: Context, _options: object, version?: string) {
  const { deployments } = await calls.admin('listFunctionDeployments', { query: { limit: 100 } })
  const live = deployments.find((one) => one.live)
  const before = deployments.find((one) => live && one.version < live.version)
  const fromVersion = version === undefined ? before?.version : Number(version.replace(/^v/, ''))
  if (fromVersion === undefined) throw new Failure('usage', 'There is no older version to go back to.')
  if (!deployments.some((one) => one.version === fromVersion))
    throw new Failure('usage', `There is no version ${printable(version ?? '')}.`, {
      fix: `Available: ${deployments.map((one) => `v${one.version}`).join(', ') || 'none'}`,
    })
  const deployed = await calls.admin('deployFunctions', { body: { fromVersion } })
  out.done(`v${fromVersion} is live again as v${deployed.version}   ${deployed.url}`)
  return deployed
}
