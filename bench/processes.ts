import { type ChildProcess, fork, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { cpuMs } from './process-stats.ts'
import type { Reply } from './worker-loop.ts'

/** A program that serves HTTP on a loopback port. */
export type Server = {
  pid: number
  port: number
  /** From the spawn to the first response. */
  startMs: number
  startCpuMs: number
  end(): Promise<void>
}

/** A script of this folder that runs one task after another. */
export type Script<Task, Result> = { ask(task: Task, ms: number): Promise<Result>; end(): Promise<void> }

const START_TIMEOUT_MS = 30_000
const START_POLL_MS = 5
const ANSWER_GRACE_MS = 30_000

const running = new Set<ChildProcess>()
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))

// Kills all children and deletes the folder, however the run ends.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
})
process.on('SIGINT', () => process.exit(130))
process.on('SIGTERM', () => process.exit(143))

let folders = 0

/** Creates a folder that is deleted when the run ends. */
export function freshFolder(): string {
  const path = join(folder, String(++folders))
  mkdirSync(path)
  return path
}

/** Below the ports that the system gives to connections: one of those may be in use by a client before the server listens. */
const PORTS = { from: 16_000, to: 32_000 }

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to)
    const probe = createServer().listen(port, '127.0.0.1')
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
}

export type Launch = {
  /** Defaults to the Node that runs the bench. */
  program?: string
  args: string[]
  env?: NodeJS.ProcessEnv
  port: number
  path: string
  /** Gets what the program prints. */
  output?: ((text: string) => void) | undefined
}

/** Resolves at the first response to `path`, whatever its status. */
export async function startServer(launch: Launch): Promise<Server> {
  const { program = process.execPath, args, env = {}, port, path, output } = launch
  const startedAt = performance.now()
  // The kernel kills the server when this process ends, even by SIGKILL.
  const command = ['--pdeathsig', 'KILL', program, ...args]
  const child = spawn('setpriv', command, {
    stdio: ['ignore', output ? 'pipe' : 'ignore', 'inherit'],
    // The caller's environment variables must not affect the measurement.
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...env },
  })
  child.stdout?.setEncoding('utf8').on('data', (text: string) => output?.(text))
  const end = watch(child)
  const { pid } = child
  if (pid === undefined) throw new Error(`${args.join(' ')} cannot be started`)

  while (!(await responds(`http://127.0.0.1:${port}${path}`))) {
    const late = performance.now() - startedAt > START_TIMEOUT_MS
    if (late || child.exitCode !== null) throw new Error(`${args.join(' ')} does not answer on port ${port}`)
    await sleep(START_POLL_MS)
  }
  return { pid, port, startMs: performance.now() - startedAt, startCpuMs: cpuMs(pid), end }
}

const responds = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(START_TIMEOUT_MS) }).then(
    async (response) => (await response.arrayBuffer(), true),
    () => false,
  )

export function startScript<Task extends object, Result>(
  path: string,
  args: string[] = [],
): Script<Task, Result> {
  const child = fork(join(import.meta.dirname, path), args, {
    execArgv: ['--conditions=source', '--disable-warning=ExperimentalWarning'],
  })
  const end = watch(child)
  const ended = once(child, 'exit').then(() => ({ failed: `${path} has ended` }))

  return {
    end,
    async ask(task, ms) {
      child.send(task)
      const signal = AbortSignal.timeout(ms + ANSWER_GRACE_MS)
      const answered = once(child, 'message', { signal }).then(([reply]) => reply as Reply<Result>)
      const reply = await Promise.race([answered, ended])
      if ('failed' in reply) throw new Error(reply.failed)
      return reply.done
    },
  }
}

/** SIGKILL is enough: the data is deleted anyway. */
function watch(child: ChildProcess): () => Promise<void> {
  const gone = once(child, 'exit')
  running.add(child)
  child.once('exit', () => running.delete(child))
  return async () => {
    child.kill('SIGKILL')
    await gone
  }
}
