import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { startStallingProxy } from '../packages/server/src/testing/stalling-proxy.ts'
import { freePort } from './free-port.ts'
import { signalTree } from './process-tree.ts'
import { findOrInstall } from './programs.ts'
import { inFreshFolder, postgresUser, type Server, startOnFreePort } from './services.ts'

/**
 * PostgreSQL under Patroni, as people run it: etcd, and two members of which one is the synchronous standby of the other. All traffic of
 * a member passes proxies, so that it can be cut off like a machine whose network is gone.
 */
export type PatroniCluster = {
  members: readonly [Member, Member]
  /** `postgres://…` with both members. */
  url: string
  stop(): Promise<void>
}

export type Member = {
  name: string
  /** Of PostgreSQL itself, beside the proxies. */
  directUrl: string
  /** Of the REST API of Patroni, beside the proxies. */
  restUrl: string
  /** Ends the machine: Patroni and PostgreSQL, at once. */
  kill(): void
  /** Starts the machine again. */
  start(): void
  freeze(): void
  thaw(): void
  cutOff(): void
  reconnect(): void
  /** The last lines of Patroni and PostgreSQL. */
  lastLines(): string
}

/** As short as Patroni allows: `ttl` must be at least `loop_wait` and twice `retry_timeout`. */
const TIMES = { ttl: 8, loop_wait: 1, retry_timeout: 3 }

export async function startPatroni(): Promise<PatroniCluster> {
  findOrInstall('postgres', 'patroni', 'etcd')
  await using opened = new AsyncDisposableStack()
  const etcd = opened.adopt(await startEtcd(), ({ stop }) => stop())
  const folder = mkdtempSync(join(tmpdir(), 'svc-patroni-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }))
  const user = await postgresUser()
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid)

  const members: StartedMember[] = []
  for (const name of ['one', 'two'])
    members.push(opened.adopt(await startMember(name, folder, etcd.port, user), (member) => member.end()))
  const [one, two] = members
  if (!one || !two) throw new Error('no members')
  const rest = opened.move()
  const hosts = [one, two].map(({ proxyPort }) => `127.0.0.1:${proxyPort}`).join(',')
  return {
    members: [one, two],
    url: `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`,
    stop: () => rest.disposeAsync(),
  }
}

async function startEtcd(): Promise<Server> {
  const [program] = findOrInstall('etcd')
  // Debian's etcd asks for this on other processors than amd64.
  process.env['ETCD_UNSUPPORTED_ARCH'] ??= process.arch
  return inFreshFolder(join(tmpdir(), 'svc-etcd-'), {}, async (folder) => {
    const peerUrl = `http://127.0.0.1:${await freePort()}`
    return startOnFreePort((port) => {
      const url = `http://127.0.0.1:${port}`
      const settings = {
        'data-dir': join(folder, 'data'),
        'listen-client-urls': url,
        'advertise-client-urls': url,
        'listen-peer-urls': peerUrl,
        'initial-advertise-peer-urls': peerUrl,
        'initial-cluster': `default=${peerUrl}`,
      }
      return {
        program,
        args: Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
        url,
        readyLine: 'serving insecure client requests',
        abortSignal: 'SIGKILL',
        folder,
        user: {},
      }
    })
  })
}

type StartedMember = Member & { proxyPort: number; end(): Promise<void> }
type User = Awaited<ReturnType<typeof postgresUser>>

async function startMember(
  name: string,
  parent: string,
  etcdPort: number,
  user: User,
): Promise<StartedMember> {
  const [patroni, postgres] = findOrInstall('patroni', 'postgres')
  const [port, restPort] = [await freePort(), await freePort()]
  const proxies = {
    postgres: await startStallingProxy(port),
    rest: await startStallingProxy(restPort),
    etcd: await startStallingProxy(etcdPort),
  }
  const at = (proxy: keyof typeof proxies) => Number(new URL(proxies[proxy].url).port)

  const file = join(parent, `${name}.yml`)
  const trusted = [
    'local all all trust',
    'host all all 127.0.0.1/32 trust',
    'host replication all 127.0.0.1/32 trust',
  ]
  const config = {
    scope: 'svc',
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${at('rest')}` },
    // Without it Patroni asks etcd for its addresses, and goes past the proxy.
    etcd3: { host: `127.0.0.1:${at('etcd')}`, use_proxies: true },
    bootstrap: {
      dcs: { ...TIMES, synchronous_mode: true, postgresql: { use_pg_rewind: true } },
      initdb: ['data-checksums', { encoding: 'UTF8' }, { locale: 'C.UTF-8' }, { auth: 'trust' }],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${at('postgres')}`,
      data_dir: join(parent, `${name}-data`),
      bin_dir: dirname(postgres),
      pgpass: join(parent, `${name}-pgpass`),
      authentication: { superuser: { username: 'postgres' }, replication: { username: 'postgres' } },
      pg_hba: trusted,
      parameters: { unix_socket_directories: parent, max_connections: 100, lc_messages: 'C' },
    },
  }
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(config), { mode: 0o644 })
  const logFile = join(parent, `${name}.log`)
  const log = createWriteStream(logFile, { flags: 'a' })

  // In a process namespace of its own nothing of it survives: not when it is killed, and not when the test is.
  const isolated = ['--pid', '--fork', '--mount-proc', '--kill-child']
  if (user.uid === undefined) isolated.unshift('--user', '--map-current-user')
  // A changed account clears the signal, so it is set again.
  const asUser =
    user.uid === undefined
      ? []
      : ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--pdeathsig', 'SIGKILL']
  const launch = () => {
    const child = spawn(
      'setpriv',
      ['--pdeathsig', 'SIGKILL', 'unshare', ...isolated, '--', ...asUser, patroni, file],
      {
        cwd: parent,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'] ?? '', HOME: parent, LC_ALL: 'C.UTF-8' },
      },
    )
    child.on('error', (error) => log.write(`${error}\n`))
    child.stdout.pipe(log, { end: false })
    child.stderr.pipe(log, { end: false })
    return child
  }
  let child = launch()
  const every = Object.values(proxies)

  return {
    name,
    proxyPort: at('postgres'),
    directUrl: `postgres://postgres@127.0.0.1:${port}/postgres`,
    restUrl: `http://127.0.0.1:${restPort}`,
    kill: () => signalTree(child.pid ?? 0, 'SIGKILL'),
    start: () => void (child = launch()),
    freeze: () => signalTree(child.pid ?? 0, 'SIGSTOP'),
    thaw: () => signalTree(child.pid ?? 0, 'SIGCONT'),
    cutOff: () => every.forEach((proxy) => proxy.stall()),
    reconnect: () => every.forEach((proxy) => proxy.resume()),
    lastLines: () => readFileSync(logFile, 'utf8').split('\n').slice(-15).join('\n'),
    async end() {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'close') : undefined
      signalTree(child.pid ?? 0, 'SIGKILL')
      await ended
      await pause(100)
      for (const proxy of every) {
        proxy.resume()
        await proxy.stop()
      }
      log.end()
    },
  }
}
