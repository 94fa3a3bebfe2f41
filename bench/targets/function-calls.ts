import { chmodSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import { findBinary } from '../../packages/server/src/engines/functions/workerd/process/binary.ts'
import type { Metrics } from '../metrics.ts'
import { cpuMs } from '../process-stats.ts'
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
): Promise<SaveRequests & { wake(): Promise<unknown> }> {
  const requests = await seedSaves(server)
  const host = await deployFunctions(server, 'Idle')
  return { ...requests, wake: () => answerOf(server.port, host) }
}

/** Deploys new code each time it is called, and measures the time until its first answer. */
export async function seedDeployments(server: Server): Promise<() => Promise<Metrics>> {
  const key = await enableFunctions(server, 'Deployments')
  let deployments = 0
  return async () => {
    const answer = `ok ${++deployments}`
    const [startedAt, before] = [performance.now(), cpuMs(server.pid)]
    const host = await deploy(server, key, SCRIPT.replace('ok', answer))
    const got = await answerOf(server.port, host)
    if (got !== answer) throw new Error(`the functions answer ${got}`)
    return { wallMs: performance.now() - startedAt, cpuMs: cpuMs(server.pid) - before }
  }
}

/** Returns their host. */
const deployFunctions = async (server: Pick<Server, 'port'>, project: string) =>
  deploy(server, await enableFunctions(server, project), SCRIPT)

async function enableFunctions({ port }: Pick<Server, 'port'>, project: string) {
  const { secret } = await newProject(port, project)
  const key = { 'x-svc-key': secret }
  await call(port, 'POST', '/v1/admin/functions/enable', key, {})
  return key
}

async function deploy({ port }: Pick<Server, 'port'>, key: { 'x-svc-key': string }, script: string) {
  const content = Buffer.from(script).toString('base64')
  const deployed = await call<{ url: string }>(port, 'POST', '/v1/admin/functions/deployments', key, {
    mainModule: 'index.js',
    modules: [{ name: 'index.js', type: 'esm', content }],
  })
  return new URL(deployed.url).host
}

/** `fetch` does not send another host than that of the address. */
const answerOf = (port: number, host: string) =>
  new Promise<string>((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path: '/', headers: { host } }, (response) => {
      if (response.statusCode === 200) text(response).then(resolve, reject)
      else reject(new Error(`the functions answer ${response.statusCode}`))
    })
    sent.on('error', reject)
    sent.end()
  })
