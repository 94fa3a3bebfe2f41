import { chmodSync } from 'node:fs'
import { request } from 'node:http'

import { freshFolder, type Server } from '../processes.ts'
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

/** A hundred saves, and functions of another project. `wake` sends them a request: their process runs for five minutes more. */
export async function seedSavesAndFunctions(
  server: Pick<Server, 'port'>,
): Promise<SaveRequests & { wake(): Promise<void> }> {
  const requests = await seedSaves(server)
  const { secret } = await newProject(server.port, 'Idle')
  const key = { 'x-svc-key': secret }
  await call(server.port, 'POST', '/v1/admin/functions/enable', key, {})
  const content = Buffer.from(SCRIPT).toString('base64')
  const deployed = await call<{ url: string }>(server.port, 'POST', '/v1/admin/functions/deployments', key, {
    mainModule: 'index.js',
    modules: [{ name: 'index.js', type: 'esm', content }],
  })
  const { host } = new URL(deployed.url)
  return { ...requests, wake: () => wake(server.port, host) }
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
