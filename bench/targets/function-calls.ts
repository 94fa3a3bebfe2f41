import { chmodSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'

import { findBinary } from '../../packages/server/src/engines/functions/workerd/process/binary.ts'
import { freePort, freshFolder, type Server, startServer } from '../processes.ts'
import type { Request } from './requests.ts'
import { seedSaves, type SaveRequests } from './saves.ts'
import { call, newProject, type ServiceOptions, startService } from './service.ts'

/** Starts a service that runs functions, which nobody has to pay for. */
export function startWithFunctions(options: ServiceOptions = {}): Promise<Server> {
  const dataDir = freshFolder()
  // The account of the sandbox must be able to enter it.
  chmodSync(dataDir, 0o755)
  return startService({ dataDir, settings: { SVC_BILLING: 'off' }, ...options })
}

const SCRIPT = "export default { fetch() { return new Response('ok') } }"

/** A request to functions with a fixed answer, and one with a body. */
export async function seedFunctions(server: Pick<Server, 'port'>): Promise<Record<'get' | 'post', Request>> {
  const headers = { Host: await deployFunctions(server, 'Functions') }
  return {
    get: { path: '/', headers, status: 200 },
    post: { method: 'POST', path: '/', headers, body: JSON.stringify('x'.repeat(1_000)), status: 200 },
  }
}

/** workerd as it is: the same code on a port of its own, without sandbox and without the service. */
export async function startBareWorkerd(): Promise<Server> {
  const port = await freePort()
  const config = join(freshFolder(), 'config.capnp')
  writeFileSync(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (compatibilityDate = "2025-01-01", modules = [
    (name = "main.js", esModule = "${SCRIPT}")]))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]);`,
  )
  return startServer({ program: findBinary()?.path ?? '', args: ['serve', config], port, path: '/' })
}

/** A hundred saves, and functions of another project. `wake` sends them a request: their process runs for five minutes more. */
export async function seedSavesAndFunctions(
  server: Pick<Server, 'port'>,
): Promise<SaveRequests & { wake(): Promise<void> }> {
  const requests = await seedSaves(server)
  const host = await deployFunctions(server, 'Idle')
  return { ...requests, wake: () => wake(server.port, host) }
}

/** Returns their host. */
async function deployFunctions(server: Pick<Server, 'port'>, project: string): Promise<string> {
  const { secret } = await newProject(server.port, project)
  const key = { 'x-svc-key': secret }
  await call(server.port, 'POST', '/v1/admin/functions/enable', key, {})
  const content = Buffer.from(SCRIPT).toString('base64')
  const deployed = await call<{ url: string }>(server.port, 'POST', '/v1/admin/functions/deployments', key, {
    mainModule: 'index.js',
    modules: [{ name: 'index.js', type: 'esm', content }],
  })
  return new URL(deployed.url).host
}

/** `fetch` does not send another host than that of the address. */
const wake = (port: number, host: string) =>
  new Promise<void>((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path: '/', headers: { host } }, (response) => {
      response.resume()
      if (response.statusCode === 200) response.on('end', resolve)
      else reject(new Error(`the functions answer ${response.statusCode}`))
    })
    sent.on('error', reject)
    sent.end()
  })
