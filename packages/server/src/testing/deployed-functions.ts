import assert from 'node:assert/strict'
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'

import { freePort } from '../../../../scripts/free-port.ts'
import { findOrInstall } from '../../../../scripts/programs.ts'
import { type Engine, type Service, startService, type TestEnvironment } from './service.ts'

type Code = { name: string; type?: string; content: string | Buffer }

async function newFunctionsFolder(): Promise<string> {
  findOrInstall('bubblewrap')
  const folder = await mkdtemp(join(tmpdir(), 'svc-functions-'))
  // The account of the sandbox must be able to enter it.
  await chmod(folder, 0o711)
  return folder
}

/** A service that can run functions, also as one of several nodes. */
export async function startFunctionsService(engine: Engine, settings: Record<string, string> = {}) {
  const folder = await newFunctionsFolder()
  const service = await startService(engine, {
    settings: { FUNCTIONS_DIR: folder, SVC_NODE_URL: 'http://127.0.0.1:1', SVC_BILLING: 'off', ...settings },
  })
  return {
    ...service,
    functionsFolder: folder,
    async stop() {
      await service.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Two nodes of one service that share the folder of functions, and reach each other; `other` is the second one. */
export async function startFunctionsNodes(settings: Record<string, string> = {}) {
  const folder = await newFunctionsFolder()
  async function start(first?: Service) {
    const port = await freePort()
    const node = await startService('postgres', {
      settings: {
        FUNCTIONS_DIR: folder,
        SVC_NODE_URL: `http://127.0.0.1:${port}`,
        SVC_BILLING: 'off',
        ...settings,
      },
      ...(first && { clusterOf: first }),
    })
    await node.http.listen({ port, host: '127.0.0.1' })
    return node
  }
  const first = await start()
  const second = await start(first)
  return {
    ...first,
    other: second,
    async stop() {
      await second.stop()
      await first.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The body of a deployment; the first module is the main one. */
export const deploymentOf = (code: string | Code[], rest: object = {}) => {
  const modules = (typeof code === 'string' ? [{ name: 'index.js', content: code }] : code).map(
    ({ name, type = 'esm', content }: Code) => ({
      name,
      type,
      content: Buffer.from(content).toString('base64'),
    }),
  )
  return { mainModule: modules[0]?.name, modules, ...rest }
}

/** Enables functions and deploys; fails if the code is rejected. */
export async function deployFunctions(
  { server }: Pick<TestEnvironment, 'server'>,
  code: string | Code[],
  rest: object = {},
) {
  const enabled = await server('POST', '/v1/admin/functions/enable', {})
  assert.equal(enabled.status, 200, JSON.stringify(enabled.body))
  const { status, body } = await server('POST', '/v1/admin/functions/deployments', deploymentOf(code, rest))
  assert.equal(status, 201, JSON.stringify(body))
  return body as { version: number; deploymentId: string; url: string; warnings: string[] }
}

/** Responds with the request that it gets. */
export const ECHO = `
export default {
  async fetch(request) {
    const body = request.body === null ? null : await request.text()
    return Response.json({ method: request.method, url: request.url, headers: Object.fromEntries(request.headers), body })
  },
}`

/** Every file of an environment's functions: in their folder, and in the blob store. */
export async function filesIn(
  { functionsFolder, blobs }: Pick<FunctionsService, 'functionsFolder' | 'blobs'>,
  environmentId: string,
) {
  const files: { path: string; bytes: Buffer }[] = []
  for (const entry of await readdir(functionsFolder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && path.includes(environmentId)) files.push({ path, bytes: await readFile(path) })
  }
  for (const prefix of [`functions/${environmentId}/`, `functions-files/${environmentId}`])
    for await (const key of blobs.list(prefix)) {
      const found = await blobs.open(key)
      if (found) files.push({ path: key, bytes: await buffer(found.stream) })
    }
  return files
}

export type FunctionsService = Awaited<ReturnType<typeof startFunctionsService>>
