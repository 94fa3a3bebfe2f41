import { existsSync, openAsBlob } from 'node:fs'
import { resolve } from 'node:path'

import type { ConfigDocument } from '@svc/contract/config-document'
import { PROVIDERS } from '@svc/contract/features'

import { configPath, hasConfigFile, type Problem, readConfigFile } from '../config-file.ts'
import { push, pushText } from '../config-push.ts'
import type { Context } from '../context.ts'
import { Failure, isFailure } from '../failure.ts'
import { inParallel } from '../in-parallel.ts'
import { untilInterrupted } from '../interrupt.ts'
import { bytesText, shown } from '../output.ts'
import { changedFile } from '../service-failures.ts'
import { UPLOAD_TIMEOUT_MS } from '../service.ts'
import { filesBetween, readSite, type SiteFile } from '../site.ts'
import { readProviders } from './providers.ts'

type Deploy = { message?: string; config: boolean; activate: boolean }

const UPLOAD_CONCURRENCY = 6
const SKIPPED_SHOWN_MAX = 10

const UPLOADS_THE_REST = 'The next deploy uploads only the missing files.'

export function deploy(context: Context, options: Deploy, directory?: string) {
  let onInterrupted = 'Cancelled. Nothing was activated.'
  return untilInterrupted(
    () => onInterrupted,
    goLive(context, options, directory, (message) => (onInterrupted = message)),
  )
}

/** Pushes the config first, because it may turn hosting on; then uploads the missing files; then activates them together. */
async function goLive(
  context: Context,
  options: Deploy,
  directory = 'public',
  onInterrupted: (message: string) => void,
) {
  const { out } = context
  const { files, leftOut } = await readFolder(context, directory)
  if (options.config) onInterrupted('Cancelled. No file was activated; the config may have been pushed.')
  const config = options.config ? await pushConfig(context) : undefined
  const outcome = config?.changed ? `Config v${config.version} was pushed, but no file` : 'Nothing'
  onInterrupted(`Cancelled. ${outcome} was activated. ${UPLOADS_THE_REST}`)
  const before = await liveFiles(context)
  const { deploymentId, uploaded } = await upload(context, files, options.message)
  if (options.activate)
    onInterrupted('Cancelled during activation. Run svc deploys to see which version is live.')
  const finished = await context.calls.admin('finalizeDeployment', {
    params: { ref: deploymentId },
    body: { activate: options.activate },
  })

  const changes = filesBetween(before ?? files, files)
  const count = changes.added.length + changes.changed.length + changes.removed.length
  const changed = before ? ` (${count === 0 ? 'no' : count} changed ${count === 1 ? 'file' : 'files'})` : ''
  if (finished.live) out.done(`v${finished.version} is live${changed}   ${finished.url}`)
  else out.done(`v${finished.version} is uploaded${changed}; make it live: svc rollback ${finished.version}`)
  return {
    ...finished,
    files: files.length,
    leftOut,
    uploaded,
    ...(before && { changes }),
    ...(config && { config }),
  }
}

async function readFolder({ out, system }: Context, directory: string) {
  let bar: ReturnType<typeof out.progress> | undefined
  const site = await readSite(resolve(system.folder, directory), (count, total) => {
    bar ??= out.progress((done) => `read ${done}/${total} files`, total)
    bar.show(count)
  }).finally(() => bar?.clear())
  const { files, leftOut } = site
  if (leftOut.length > 0) {
    const more = leftOut.length > SKIPPED_SHOWN_MAX ? ` and ${leftOut.length - SKIPPED_SHOWN_MAX} more` : ''
    out.warn(`skipped: ${shown(leftOut.slice(0, SKIPPED_SHOWN_MAX).join(', '))}${more}`)
  }
  if (!files.some(({ path }) => path === 'index.html'))
    out.warn(`${directory} has no index.html: the URL of the app will return 404`)
  return site
}

async function pushConfig(context: Context) {
  const { out, workspace, hasSecretKey } = context
  if (!hasConfigFile(workspace.folder)) return undefined
  const file = readConfigFile(configPath(workspace.folder))
  const result = await push(context, file)
  if (result.changed) out.info(pushText(result))
  if (!hasSecretKey) await warnAboutProviders(context, file.document)
  return result
}

/** Warns about providers that are on but have no credentials. */
async function warnAboutProviders(context: Context, { auth }: ConfigDocument) {
  const enabled = PROVIDERS.filter((provider) => auth?.providers?.[provider]?.enabled)
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

async function liveFiles({ calls }: Context) {
  const { live } = await calls.admin('readHosting', {})
  if (!live) return undefined
  const request = { params: { ref: live.deploymentId } }
  return (await calls.admin('readDeployment', request)).files
}

async function upload({ calls, out }: Context, files: readonly SiteFile[], message: string | undefined) {
  const manifest = files.map(({ path, sha256, size }) => ({ path, sha256, size }))
  const body = { files: manifest, ...(message !== undefined && { message }) }
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
      throw isChanged ? changedFile(shown(path)) : error
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
    return { path: file ? shown(file.path) : path, message: message.replace(/^files\[\d+\]\.path /, '') }
  })
  return new Failure('refused', 'These file names cannot be served. Nothing was activated.', {
    code: error.code,
    details: { errors: named },
    fix: 'Rename the files or remove them from the folder.',
  })
}
