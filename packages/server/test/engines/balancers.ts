import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { findOrInstall } from '../../../../scripts/programs.ts'
import { inFreshFolder, type Server, startOnFreePort } from '../../../../scripts/services.ts'

/** How a load balancer chooses a node: the same one for the same client, or each in turn. */
export type Balancing = 'sticky' | 'in turn'
type Options = { ports: readonly number[]; balancing: Balancing }
/** `repeats: false`: a request whose node refuses the connection fails; the health check is every 200 ms. */
type HaproxyOptions = Options & { repeats?: boolean }

/** The lines of the guide (docs/guide/load-balancers.md), with addresses of this machine. */
export async function startHaproxy({ ports, balancing, repeats = true }: HaproxyOptions): Promise<Server> {
  const [program] = findOrInstall('haproxy')
  return inFreshFolder(join(tmpdir(), 'svc-haproxy-'), {}, (folder) =>
    startOnFreePort((port) => {
      const file = join(folder, 'haproxy.cfg')
      const servers = ports.map((each, at) => `  server node${at + 1} 127.0.0.1:${each} check`)
      const lines = [
        'defaults',
        '  mode http',
        '  timeout connect 5s',
        '  timeout client 60s',
        '  timeout server 60s',
        '  timeout tunnel 1h',
        ...(repeats ? [] : ['  retries 0']),
        'frontend svc',
        `  bind 127.0.0.1:${port}`,
        '  option forwardfor',
        '  default_backend nodes',
        'backend nodes',
        balancing === 'sticky' ? '  balance hdr(x-client)' : '  balance roundrobin',
        '  option httpchk GET /readyz',
        repeats ? '  default-server inter 1s fall 2 rise 1' : '  default-server inter 200ms fall 1 rise 1',
        ...servers,
      ]
      writeFileSync(file, `${lines.join('\n')}\n`)
      return {
        program,
        args: ['-db', '-V', '-f', file],
        url: `http://127.0.0.1:${port}`,
        readyLine: 'Available polling systems',
        abortSignal: 'SIGKILL',
        folder,
        user: {},
      }
    }),
  )
}

export async function startCaddy({ ports, balancing }: Options): Promise<Server> {
  const [program] = findOrInstall('caddy')
  return inFreshFolder(join(tmpdir(), 'svc-caddy-'), {}, (folder) =>
    startOnFreePort((port) => {
      const file = join(folder, 'Caddyfile')
      const lines = [
        '{',
        '  admin off',
        `  storage file_system ${folder}`,
        '}',
        `http://127.0.0.1:${port} {`,
        `  reverse_proxy ${ports.map((each) => `127.0.0.1:${each}`).join(' ')} {`,
        `    lb_policy ${balancing === 'sticky' ? 'header X-Client' : 'round_robin'}`,
        '    lb_try_duration 5s',
        '    health_uri /readyz',
        '    health_interval 1s',
        '  }',
        '}',
      ]
      writeFileSync(file, `${lines.join('\n')}\n`)
      return {
        program,
        args: ['run', '--config', file, '--adapter', 'caddyfile'],
        url: `http://127.0.0.1:${port}`,
        readyLine: 'serving initial configuration',
        abortSignal: 'SIGKILL',
        folder,
        user: {},
      }
    }),
  )
}
