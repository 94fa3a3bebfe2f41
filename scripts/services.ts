import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

import { freePort } from './free-port.ts'
import { memoryFolder } from './memory-folder.ts'
import { findOrInstall } from './programs.ts'

/**
 * The real servers that tests and benchmarks run on: private copies, on free ports of the loopback, in a temporary folder.
 * A server that was already on this machine is never used, asked or stopped.
 */
export type Server = { url: string; port: number; pid: number; stop: () => Promise<void> }
export type Services = { postgresUrl: string; redisUrl: string; stop: () => Promise<void> }

/** Ends what hangs: on a busy machine PostgreSQL needs a minute. */
const START_TIMEOUT_MS = 150_000
const STOP_TIMEOUT_MS = 5_000

export async function startServices(options: { sync?: boolean } = {}): Promise<Services> {
  findOrInstall('postgres', 'redis')
  const started = await Promise.allSettled([startPostgres(options), startRedis()])
  const servers = started.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())))

  const [postgres, redis] = servers
  if (postgres && redis) return { postgresUrl: postgres.url, redisUrl: redis.url, stop }
  await stop()
  throw new AggregateError(started.flatMap((start) => (start.status === 'rejected' ? [start.reason] : [])))
}

/**
 * `sync: false` gives up durability for speed, and keeps the data in memory if it can: for tests that do not cut the power. `standbyOf`:
 * the URL of a server that this one copies and follows.
 */
export async function startPostgres({
  sync = true,
  standbyOf,
  connectionsMax = 200,
}: { sync?: boolean; standbyOf?: string; connectionsMax?: number } = {}): Promise<Server> {
  const [program] = findOrInstall('postgres')
  const user = await postgresUser()
  const parent = sync ? tmpdir() : memoryFolder()
  return inFreshFolder(join(parent, 'svc-postgres-'), user, async (folder) => {
    const data = join(folder, 'data')
    const [tool, setup] =
      standbyOf === undefined
        ? ['initdb', ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']]
        : ['pg_basebackup', ['-d', standbyOf, '-R', '-c', 'fast', '--no-sync']]
    await promisify(execFile)(join(program, '..', tool), ['-D', data, ...setup], {
      cwd: folder,
      timeout: START_TIMEOUT_MS,
      ...user,
    })

    return startOnFreePort((port) => {
      const settings = {
        listen_addresses: '127.0.0.1',
        port,
        unix_socket_directories: folder,
        max_connections: connectionsMax,
        ...(!sync && {
          fsync: 'off',
          synchronous_commit: 'off',
          full_page_writes: 'off',
          // Hundreds of small databases that live for seconds.
          autovacuum: 'off',
        }),
        lc_messages: 'C',
      }
      return {
        program,
        args: [
          '-D',
          data,
          ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
        ],
        url: `postgres://postgres@127.0.0.1:${port}/postgres`,
        // Followed by "read-only" on a standby.
        readyLine: 'database system is ready to accept',
        // Quits at once, and unlike SIGKILL leaves no shared memory behind.
        abortSignal: 'SIGQUIT',
        folder,
        user,
      }
    })
  })
}

/** With `port`, on that one: a Redis that was stopped comes back where its clients look for it. `replicaOf`: the port of its master. */
export async function startRedis({
  port,
  replicaOf,
}: { port?: number; replicaOf?: number } = {}): Promise<Server> {
  const [program] = findOrInstall('redis')
  return inFreshFolder(join(tmpdir(), 'svc-redis-'), {}, (folder) => {
    const launch = (chosen: number): Launch => {
      const settings = {
        bind: '127.0.0.1',
        port: chosen,
        dir: folder,
        save: '',
        appendonly: 'no',
        'repl-diskless-sync-delay': 0,
      }
      const replication = replicaOf === undefined ? [] : ['--replicaof', '127.0.0.1', String(replicaOf)]
      return {
        program,
        args: [
          ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
          ...replication,
        ],
        url: `redis://127.0.0.1:${chosen}`,
        readyLine: 'Ready to accept connections',
        abortSignal: 'SIGKILL',
        folder,
        user: {},
      }
    }
    return port === undefined ? startOnFreePort(launch) : start(port, launch(port))
  })
}

/** A Sentinel that watches a master under the name `svc` and replaces it after `downAfterMs`, if `quorum` of them agree. */
export async function startSentinel({
  masterPort,
  quorum,
  downAfterMs,
}: {
  masterPort: number
  quorum: number
  downAfterMs: number
}): Promise<Server> {
  const [program] = findOrInstall('redis')
  return inFreshFolder(join(tmpdir(), 'svc-sentinel-'), {}, (folder) =>
    startOnFreePort((port) => {
      // Sentinels write what they learn into their file.
      const file = join(folder, 'sentinel.conf')
      const lines = [
        'bind 127.0.0.1',
        `port ${port}`,
        `dir ${folder}`,
        `sentinel monitor svc 127.0.0.1 ${masterPort} ${quorum}`,
        `sentinel down-after-milliseconds svc ${downAfterMs}`,
        // Also the pause after a failover before the next one, halved.
        `sentinel failover-timeout svc ${3 * downAfterMs}`,
      ]
      writeFileSync(file, lines.join('\n'))
      return {
        program,
        args: [file, '--sentinel'],
        url: `redis://127.0.0.1:${port}`,
        readyLine: '+monitor master svc',
        abortSignal: 'SIGKILL',
        folder,
        user: {},
      }
    }),
  )
}

/**
 * A TURN server that shares `secret` with the issuer of credentials. Its peers may be on this machine: tests have no other. With a
 * certificate, TLS is spoken on the same port.
 */
export async function startCoturn({
  secret,
  tls,
}: {
  secret: string
  tls?: { cert: string; key: string }
}): Promise<Server> {
  const [program] = findOrInstall('coturn')
  return inFreshFolder(join(tmpdir(), 'svc-coturn-'), {}, (folder) =>
    startOnFreePort((port) => {
      const settings = {
        'listening-ip': '127.0.0.1',
        'relay-ip': '127.0.0.1',
        'listening-port': port,
        'static-auth-secret': secret,
        realm: 'svc',
        userdb: join(folder, 'turndb'),
        pidfile: join(folder, 'pid'),
        'log-file': 'stdout',
        ...(tls && { cert: tls.cert, pkey: tls.key }),
      }
      const flags = ['--use-auth-secret', '--allow-loopback-peers', '--no-dtls', '--no-cli']
      if (!tls) flags.push('--no-tls')
      return {
        program,
        // `-n`: nothing is read from the configuration of the machine.
        args: ['-n', ...flags, ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`)],
        url: `turn:127.0.0.1:${port}`,
        readyLine: 'SQLite DB connection success',
        abortSignal: 'SIGKILL',
        folder,
        user: {},
      }
    }),
  )
}

type User = { uid?: number; gid?: number }

/** PostgreSQL refuses to run as root; Debian's package brings a user for it. */
export async function postgresUser(): Promise<User> {
  if (process.getuid?.() !== 0) return {}
  const id = async (flag: string) => Number((await promisify(execFile)('id', [flag, 'postgres'])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}

export async function inFreshFolder(
  prefix: string,
  user: User,
  work: (folder: string) => Promise<Server>,
): Promise<Server> {
  const folder = mkdtempSync(prefix)
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid)
  try {
    return await work(folder)
  } catch (error) {
    removeFolder(folder)
    throw error
  }
}

/** Without awaiting, as an ending process cannot: a server that is just going may still put a file into it. */
function removeFolder(folder: string) {
  for (let attempt = 0; attempt < 20 && existsSync(folder); attempt++) {
    if (attempt > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

type Launch = {
  program: string
  args: string[]
  url: string
  /** Read from the output of the very process we started, so a stranger on the same port is never taken for it. */
  readyLine: string
  abortSignal: 'SIGQUIT' | 'SIGKILL'
  folder: string
  user: User
}

export async function startOnFreePort(launch: (port: number) => Launch): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    try {
      return await start(port, launch(port))
    } catch (error) {
      // Between asking for a free port and taking it, somebody else may have taken it.
      if (attempt === 3) throw error
    }
  }
}

async function start(port: number, launch: Launch): Promise<Server> {
  const { program, args, url, readyLine, abortSignal, folder, user } = launch
  // The kernel ends the server when we die, even by SIGKILL.
  const child = spawn('setpriv', ['--pdeathsig', abortSignal, program, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  abortWithUs(child, () => {
    child.kill(abortSignal)
    removeFolder(folder)
  })
  const pid = await untilReady(child, readyLine)

  async function stopOnce() {
    // For all servers SIGINT is the orderly end that does not wait for clients; a frozen one must be woken to hear it.
    child.kill('SIGINT')
    child.kill('SIGCONT')
    const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
    await ended
    clearTimeout(impatience)
    removeFolder(folder)
  }
  let stopped: Promise<void> | undefined
  return { url, port, pid, stop: () => (stopped ??= stopOnce()) }
}

/** The process id, once the server has said the line by which it reports that it is ready. */
async function untilReady(child: ChildProcess, readyLine: string): Promise<number> {
  const lastLines: string[] = []
  const ready = Promise.withResolvers<void>()
  const fail = (reason: string) =>
    ready.reject(new Error([`${child.spawnargs.join(' ')}: ${reason}`, ...lastLines].join('\n')))

  // Read to the end, not only to the line: a server must never block on a full pipe.
  for (const output of [child.stdout, child.stderr]) {
    if (!output) continue
    createInterface({ input: output }).on('line', (line) => {
      lastLines.push(line)
      if (lastLines.length > 20) lastLines.shift()
      if (line.includes(readyLine)) ready.resolve()
    })
  }
  child.once('error', (error) => fail(error.message))
  child.once('close', () => fail('ended before it was ready'))
  const impatience = setTimeout(() => fail(`not ready within ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS)

  try {
    await ready.promise
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  } finally {
    clearTimeout(impatience)
  }
  if (child.pid === undefined) throw new Error('a server without a process id cannot be ready')
  return child.pid
}

const running = new Map<ChildProcess, () => void>()

/** Kills the started servers when this process ends without stopping them (signal, uncaught error). */
function abortWithUs(child: ChildProcess, abort: () => void) {
  if (running.size === 0) {
    process.on('exit', abortAll)
    process.on('SIGINT', exitOnInterrupt)
    process.on('SIGTERM', exitOnTerminate)
  }
  running.set(child, abort)
  child.once('close', () => {
    running.delete(child)
    if (running.size > 0) return
    process.off('exit', abortAll)
    process.off('SIGINT', exitOnInterrupt)
    process.off('SIGTERM', exitOnTerminate)
  })
}

const abortAll = () => running.forEach((abort) => abort())
const exitOnInterrupt = () => process.exit(130)
const exitOnTerminate = () => process.exit(143)
