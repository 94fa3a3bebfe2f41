import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

import { freePort } from '../../../../scripts/free-port.ts'
import { findOrInstall } from '../../../../scripts/programs.ts'

const CADDYFILE = join(import.meta.dirname, '../../../../deploy/Caddyfile')
const START_TIMEOUT_MS = 60_000

export type Caddy = Awaited<ReturnType<typeof startCaddy>>
type Sending = { method?: string; headers?: Record<string, string>; body?: Buffer }

/** What Caddy makes of the file that is shipped, for these hosts. Throws if it is not valid. */
export function adaptCaddyfile(variables: Record<string, string>): string {
  const [program] = findOrInstall('caddy')
  const env = { ACME_EMAIL: 'admin@example.com', ...variables }
  const args = ['adapt', '--config', CADDYFILE, '--adapter', 'caddyfile']
  return String(
    execFileSync(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: START_TIMEOUT_MS }),
  )
}

/**
 * Caddy with the file that is shipped, in front of `upstreams`. Only ports and folders differ. It signs the certificates of
 * `api.localhost` and `*.apps.localhost` itself.
 */
export async function startCaddy(folder: string, upstreams: string) {
  const [program] = findOrInstall('caddy')
  const [httpPort, httpsPort, askPort] = [await freePort(), await freePort(), await freePort()]
  const adapted = adaptCaddyfile({
    SVC_BASE_URL: 'https://api.localhost',
    SVC_APPS_DOMAIN: 'apps.localhost',
    CADDY_UPSTREAMS: upstreams,
  })
  const config = JSON.parse(
    adapted
      .replaceAll('":443"', `"127.0.0.1:${httpsPort}"`)
      .replaceAll('127.0.0.1:8788', `127.0.0.1:${askPort}`),
  )
  Object.assign(config, { admin: { disabled: true }, storage: { module: 'file_system', root: folder } })
  Object.assign(config.apps.http, { http_port: httpPort, https_port: httpsPort })
  for (const policy of config.apps.tls.automation.policies) policy.issuers = [{ module: 'internal' }]
  // The machine must not trust this authority.
  config.apps.pki = { certificate_authorities: { local: { install_trust: false } } }
  const file = join(folder, 'caddy.json')
  await writeFile(file, JSON.stringify(config))

  const child = spawn(program, ['run', '--config', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { HOME: folder },
  })
  let log = ''
  child.stderr.on('data', (more) => (log += String(more)))
  const exit = once(child, 'exit')
  exit.catch(() => {})
  const deadline = performance.now() + START_TIMEOUT_MS
  while (!log.includes('serving initial configuration') || !log.includes('api.localhost')) {
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error(`Caddy did not start: ${log}`)
    await pause(50)
  }
  const ca = await readFile(join(folder, 'pki/authorities/local/root.crt'))

  return {
    ca,
    httpPort,
    httpsPort,
    /** Sends a request over TLS to a host. */
    async send(host: string, path: string, { method = 'GET', headers = {}, body }: Sending = {}) {
      const sent = request({
        host: '127.0.0.1',
        port: httpsPort,
        servername: host,
        ca,
        method,
        path,
        headers: { host, ...headers },
        agent: false,
      })
      sent.end(body)
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      return { status: answer.statusCode, headers: answer.headers, text: String(await buffer(answer)) }
    },
    async stop() {
      child.kill('SIGKILL')
      await exit
    },
  }
}
