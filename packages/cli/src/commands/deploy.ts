import { existsSync, openAsBlob, readFileSync } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'

import type { ConfigDocument } from '@svc/contract/config/document'

import type { CommandGroup } from '../command-line/command-group.ts'
import { flag, message, negatedFlag } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { Failure, isFailure } from '../output/failure.ts'
import { untilInterrupted } from '../output/interrupt.ts'
import { bytesText, printable } from '../output/output.ts'
import { writeAtomically } from '../project/atomic-write.ts'
import { bundlerOf } from '../project/bundlers.ts'
import { configPath, hasConfigFile, type Problem, readConfigFile } from '../project/config-file.ts'
import { push, pushText } from '../project/config-push.ts'
import { readManifest } from '../project/manifest.ts'
import { PROJECT_FILE } from '../project/workspace.ts'
import { changedFile } from '../service/service-failures.ts'
import { UPLOAD_TIMEOUT_MS } from '../service/service.ts'
import { inParallel } from '../site/in-parallel.ts'
import { liveVersion, liveVersionIfHosted } from '../site/live-version.ts'
import { filesBetween, readSite, type SiteFile } from '../site/site.ts'
import { withoutUndefined } from '../without-undefined.ts'
import { enabledProviders, readProviders } from './providers.ts'

/** Adds `svc deploy`. */
export function addDeployCommand(program: CommandGroup) {
  program.command(
    'deploy [folder]',
    'push the config, upload a folder (by default the last deployed one, or public) and make it live',
    deploy,
    {
      message,
      config: negatedFlag('--no-config', 'do not push the config'),
      activate: negatedFlag('--no-activate', 'upload only, do not activate'),
      yes: flag('-y, --yes', 'do not ask before turning a feature off or removing the live index.html'),
    },
  )
}

type Deploy = { message?: string; config: boolean; activate: boolean; yes?: boolean }

const UPLOAD_CONCURRENCY = 6
const SKIPPED_SHOWN_MAX = 10

const UPLOADS_THE_REST = 'The next deploy uploads only the missing files.'

function deploy(context: Context, options: Deploy, directory?: string) {
  let onInterrupted = 'Canceled. Nothing was activated.'
  return untilInterrupted(
    context.system,
    () => onInterrupted,
    goLive(context, options, directory, (message) => (onInterrupted = message)),
  )
}

/** Pushes the config first, because it may turn hosting on; then uploads the missing files; then activates them together. */
async function goLive(
  context: Context,
  options: Deploy,
  directory: string | undefined,
  onInterrupted: (message: string) => void,
) {
  const { out } = context
  const folder = folderOf(context, directory)
  const { files, leftOut } = await readFolder(context, folder)
  if (options.activate) await requireIndex(context, files, options.yes)
  if (options.config) onInterrupted('Canceled. No file was activated; the config may have been pushed.')
  const config = options.config ? await pushConfig(context, options.yes) : undefined
  const outcome = config?.changed ? `Config v${config.version} was pushed, but no file` : 'Nothing'
  onInterrupted(`Canceled. ${outcome} was activated. ${UPLOADS_THE_REST}`)
  const before = (await liveVersion(context, context.env))?.files
  const { deploymentId, uploaded } = await upload(context, files, options.message)
  if (options.activate)
    onInterrupted('Canceled during activation. Run svc deploys to see which version is live.')
  const finished = await context.calls.admin('finalizeDeployment', {
    params: { ref: deploymentId },
    body: { activate: options.activate },
  })

  await rememberFolder(context, folder)
  const changes = filesBetween(before ?? files, files)
  const count = changes.added.length + changes.changed.length + changes.removed.length
  const changed = before ? ` (${count === 0 ? 'no' : count} changed ${count === 1 ? 'file' : 'files'})` : ''
  if (finished.live) out.done(`v${finished.version} is live${changed}   ${finished.url}`)
  else out.done(`v${finished.version} uploaded${changed}; make it live: svc rollback ${finished.version}`)
  return {
    ...finished,
    files: files.length,
    leftOut,
    uploaded,
    ...(before && { changes }),
    ...(config && { config }),
  }
}

/** The given folder, the one that was deployed last, or `public`. */
function folderOf({ system, workspace }: Context, directory: string | undefined): string {
  if (directory !== undefined) return resolve(system.folder, directory)
  if (workspace.deployed !== undefined) return resolve(workspace.folder, workspace.deployed)
  return resolve(system.folder, 'public')
}

/** The folder is stored in the project file, so that the next deploy needs no argument, also in a clone. */
async function rememberFolder({ workspace, system }: Context, folder: string) {
  const deployed = relative(workspace.folder, folder).split(sep).join('/') || '.'
  const path = join(workspace.folder, PROJECT_FILE)
  const isInside = deployed !== '..' && !deployed.startsWith('../') && !isAbsolute(deployed)
  if (!isInside || deployed === workspace.deployed || !existsSync(path)) return
  const content = { ...JSON.parse(readFileSync(path, 'utf8')), deployed }
  await writeAtomically(path, {
    content: `${JSON.stringify(content, null, 2)}\n`,
    randomText: system.randomText(),
  })
}

const hasIndex = (files: readonly { path: string }[]) => files.some(({ path }) => path === 'index.html')

/** Asks before a version with an index.html is replaced by one without: most likely it is the wrong folder. */
async function requireIndex(context: Context, files: readonly SiteFile[], yes: boolean | undefined) {
  if (yes || hasIndex(files)) return
  const live = await liveVersionIfHosted(context, context.env)
  if (!live || !hasIndex(live.files)) return
  await context.ask.require('The live version has an index.html, but this folder has none. Replace it?', {
    yes,
    option: 'the folder that contains index.html, or --yes',
  })
}

async function readFolder({ out, workspace, system }: Context, folder: string) {
  let bar: ReturnType<typeof out.progress> | undefined
  const site = await readSite(folder, {
    projectFolder: workspace.folder,
    suggested: () => bundlerOf(workspace.folder, readManifest(workspace.folder)?.manifest).output,
    onHashed(count, total) {
      bar ??= out.progress((done) => `read ${done}/${total} files`, total)
      bar.show(count)
    },
  }).finally(() => bar?.clear())
  const { files, leftOut } = site
  if (leftOut.length > 0) {
    const more = leftOut.length > SKIPPED_SHOWN_MAX ? ` and ${leftOut.length - SKIPPED_SHOWN_MAX} more` : ''
    out.warn(`skipped: ${printable(leftOut.slice(0, SKIPPED_SHOWN_MAX).join(', '))}${more}`)
  }
  if (!hasIndex(files)) {
    const name = relative(system.folder, folder) || '.'
    out.warn(`${name} has no index.html: the app’s URL will return 404`)
  }
  return site
}

async function pushConfig(context: Context, yes: boolean | undefined) {
  const { out, workspace, hasSecretKey } = context
  if (!hasConfigFile(workspace.folder)) return undefined
  const file = readConfigFile(configPath(workspace.folder))
  const result = await push(context, file, { yes })
  if (result.turnedOff.length > 0) out.warn(pushText(result))
  else if (result.changed) out.info(pushText(result))
  if (!hasSecretKey) await warnAboutProviders(context, file.document)
  return result
}

/** Warns about providers that are on but have no credentials. */
async function warnAboutProviders(context: Context, config: ConfigDocument) {
  const enabled = enabledProviders(config)
  if (enabled.length === 0) return
  const stored = await readProviders(context)
  for (const entry of stored.filter(({ provider }) => enabled.some((name) => name === provider))) {
    if (entry.testProvider)
      context.out.info(
        `${entry.provider}: test provider in development (add real credentials before production)`,
      )
    else if (!entry.configured)
      context.out.warn(
        `${entry.provider}: no credentials in ${context.env}. Run: svc providers set ${entry.provider} --env ${context.env}`,
      )
  }
}

async function upload({ calls, out }: Context, files: readonly SiteFile[], message: string | undefined) {
  const manifest = files.map(({ path, sha256, size }) => ({ path, sha256, size }))
  const body = withoutUndefined({ files: manifest, message })
  const created = await calls.admin('createDeployment', { body }).catch((error: unknown) => {
    throw withNames(error, files)
  })

  const bySha = new Map(files.map((file) => [file.sha256, file]))
  const missing = created.missing.flatMap((sha256) => bySha.get(sha256) ?? [])
  const bytes = missing.reduce((sum, { size }) => sum + size, 0)
  const bar = out.progress(
    (done) => `uploaded ${done}/${missing.length} files, ${bytesText(bytes)}`,
    missing.length,
  )
  let done = 0
  if (missing.length > 0) bar.show(done)
  await inParallel(missing, UPLOAD_CONCURRENCY, async ({ path, sha256, source }) => {
    try {
      const options = { bytes: await openAsBlob(source), timeoutMs: UPLOAD_TIMEOUT_MS }
      await calls.admin('uploadBlob', { params: { sha256 } }, options)
    } catch (error) {
      const isChanged = isFailure(error, 'file_changed', 'hash_mismatch') || !existsSync(source)
      throw isChanged ? changedFile(printable(path)) : error
    }
    bar.show(++done)
  }).catch((error: unknown) => {
    bar.clear()
    throw error
  })
  if (missing.length > 0) bar.end(done)
  return { deploymentId: created.deploymentId, uploaded: { files: missing.length, bytes } }
}

/** Replaces positions in the file list, which the service reports, by file names. */
function withNames(error: unknown, files: readonly SiteFile[]): unknown {
  if (!isFailure(error, 'invalid_path')) return error
  const problems = (error.details?.['errors'] ?? []) as Problem[]
  const named = problems.map(({ path, message }) => {
    const file = files[Number(/files\[(\d+)\]/.exec(path)?.[1])]
    // Only the name of the file is useful to the reader.
    return { path: file ? printable(file.path) : path, message: message.replace(/^files\[\d+\]\.path /, '') }
  })
  return new Failure('refused', 'These file names cannot be served. Nothing was activated.', {
    code: error.code,
    details: { errors: named },
    fix: 'Rename the files or remove them from the folder.',
  })
}
