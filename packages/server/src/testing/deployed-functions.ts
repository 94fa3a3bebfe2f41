import assert from 'node:assert/strict'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { findOrInstall } from '../../../../scripts/programs.ts'
import { type Engine, type Service, startService, type TestEnvironment } from './service.ts'

type Code = { name: string; type?: string; content: string | Buffer }

/** A service that can run functions, also where it is one of several nodes. */
export async function startFunctionsService(engine: Engine, settings: Record<string, string> = {}) {
  findOrInstall('bubblewrap')
  const folder = await mkdtemp(join(tmpdir(), 'svc-functions-'))
  // The account of the sandbox must be able to enter it.
  await chmod(folder, 0o711)
  return startService(engine, {
    settings: { FUNCTIONS_DIR: folder, SVC_NODE_URL: 'http://127.0.0.1:1', SVC_BILLING: 'off', ...settings },
  })
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

/** Enables functions and deploys; fails if the code is refused. */
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

/** Answers with what it gets. */
export const ECHO = `
export default {
  async fetch(request) {
    const body = request.body === null ? null : await request.text()
    return Response.json({ method: request.method, url: request.url, headers: Object.fromEntries(request.headers), body })
  },
}`

export type FunctionsService = Service
