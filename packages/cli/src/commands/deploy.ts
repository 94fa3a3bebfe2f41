import { openAsBlob } from 'node:fs'
import { resolve } from 'node:path'

import type { ConfigDocument } from '@svc/contract/config-document'
import { PROVIDERS } from '@svc/contract/features'
import type {
  createDeployment,
  finalizeDeployment,
  readDeployment,
  readHosting,
  uploadBlob,
} from '@svc/contract/hosting'

import { configPath, hasConfigFile, readConfigFile } from '../config-file.ts'
import { push, pushText } from '../config-push.ts'
import type { Context } from '../context.ts'
import { inParallel } from '../in-parallel.ts'
import { bytesText, counted, shown } from '../output.ts'
import { filesBetween, readSite, type SiteFile } from '../site.ts'
import { credentialsText, readProviders } from './providers.ts'

type Deploy = { message?: string; config: boolean; activate: boolean }

const UPLOADS_AT_ONCE = 6

/** Config first, because it may turn hosting on; then the files that the service does not have; then all of it goes live at once. */
export async function deploy(context: Context, options: Deploy, directory = 'public') {
  const { out, machine } = context
  const { files, leftOut } = await readSite(resolve(machine.folder, directory))
  if (leftOut.length > 0) out.warn(`left out: ${shown(leftOut.join(', '))}`)

  const config = options.config ? await pushConfig(context) : undefined
  const before = await liveFiles(context)
  const { deploymentId, uploaded } = await upload(context, files, options.message)
  const finished = await context.calls.admin<typeof finalizeDeployment>(
    'POST /v1/deployments/:ref/finalize',
    {
      params: { ref: deploymentId },
      body: { activate: options.activate },
    },
  )

  const changes = filesBetween(before ?? files, files)
  const count = changes.added.length + changes.changed.length + changes.removed.length
  const changed = before ? ` (${counted(count, 'changed file')})` : ''
  if (finished.live) out.done(`v${finished.version} is live${changed}   ${finished.url}`)
  else out.done(`v${finished.version} is uploaded${changed}; make it live: svc rollback ${finished.version}`)
  return { ...finished, files: files.length, uploaded, ...(before && { changes }), ...(config && { config }) }
}

async function pushConfig(context: Context) {
  const { out, workspace, hasSecretKey } = context
  if (!hasConfigFile(workspace.folder)) return undefined
  const file = readConfigFile(configPath(workspace.folder))
  const result = await push(context, file)
  if (result.changed) out.info(pushText(result))
  if (!hasSecretKey) await tellProviders(context, file.document)
  return result
}

/** A provider that is on but cannot work yet is better told now than by a player. */
async function tellProviders(context: Context, { auth }: ConfigDocument) {
  const enabled = PROVIDERS.filter((provider) => auth?.providers?.[provider]?.enabled)
  if (enabled.length === 0) return
  const stored = await readProviders(context)
  for (const one of stored.filter(({ provider }) => enabled.some((name) => name === provider))) {
    if (one.testProvider)
      context.out.info(
        `${one.provider}: test provider in development (add real credentials before production)`,
      )
    else if (!one.configured)
      context.out.problem(
        `${one.provider}: ${credentialsText(one)} to sign in with in ${context.env}. Run: svc providers set ${one.provider}`,
      )
  }
}

async function liveFiles({ calls }: Context) {
  const { live } = await calls.admin<typeof readHosting>('GET /v1/hosting', {})
  if (!live) return undefined
  const request = { params: { ref: live.deploymentId } }
  return (await calls.admin<typeof readDeployment>('GET /v1/deployments/:ref', request)).files
}

async function upload({ calls, out }: Context, files: readonly SiteFile[], message: string | undefined) {
  const manifest = files.map(({ path, sha256, size }) => ({ path, sha256, size }))
  const body = { files: manifest, ...(message !== undefined && { message }) }
  const begun = await calls.admin<typeof createDeployment>('POST /v1/deployments', { body })

  const bySha = new Map(files.map((file) => [file.sha256, file]))
  const missing = begun.missing.flatMap((sha256) => bySha.get(sha256) ?? [])
  const bytes = missing.reduce((sum, { size }) => sum + size, 0)
  const bar = out.progress(
    (done) => `uploaded ${done}/${missing.length} files, ${bytesText(bytes)}`,
    missing.length,
  )
  let done = 0
  await inParallel(missing, UPLOADS_AT_ONCE, async ({ sha256, source }) => {
    await calls.admin<typeof uploadBlob>('PUT /v1/blobs/:sha256', {
      params: { sha256 },
      bytes: await openAsBlob(source),
    })
    bar.show(++done)
  })
  if (missing.length > 0) bar.end(done)
  return { deploymentId: begun.deploymentId, uploaded: { files: missing.length, bytes } }
}
