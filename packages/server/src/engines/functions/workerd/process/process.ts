import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import type { FunctionsSpec } from '../../../../platform/ports/functions-engine.ts'
import type { CapnpValue } from '../config/capnp-text.ts'
import { type ConfigPaths, SECRET_PREFIX } from '../config/config.ts'
import type { PrintedLine } from '../logs/log-lines.ts'
import { type ProcessData, type ProcessFolders, prepareFolders } from './folders.ts'
import { type Child, type ExitCode, type Program, REPORT_CHARACTERS_MAX, startChild } from './launcher.ts'
import { isAsleep, mainThreadNs, privateBytes, processNs } from './proc.ts'
import { commandOf, DESCRIPTORS, LOCKED, pathsInside, type Sandbox } from './sandbox.ts'
import { StartError } from './start-error.ts'

type ProcessOptions = {
  spec: FunctionsSpec
  program: string
  sandbox: Sandbox
  data: ProcessData
  config(paths: ConfigPaths): CapnpValue
  startTimeoutMs: number
  onLine(line: PrintedLine): void
  /** Called while it starts: the CPU time until then. */
  onCpu?(ms: number): void
  /** Opens what the process connects to. Called with the folder of its sockets. */
  openServices(sockets: string): Promise<{ close(): void }>
}

/** As much as a process that runs may have. */
export const START_BYTES_MAX = 256 * 1024 * 1024
const CHECK_MS = 50
/** For a start on a busy machine. The time in which it neither runs nor sleeps, but waits for a CPU or a disk, is not the code's. */
const START_MS_MAX = 30_000
/** For the end of a process that did not start. */
const END_WAIT_MS = 1_000

/** A running process. */
export type WorkerdProcess = {
  pid: number
  /** Empty if there is no code. */
  httpSocket: string
  /** Empty for a process of rooms. */
  controlSocket: string
  /** Resolves when it has ended and its folders are removed. */
  ended: Promise<void>
  hasRunOutOfMemory(): boolean
  /** When it has ended. */
  exitCode(): ExitCode
  kill(signal: 'SIGTERM' | 'SIGKILL'): void
}

/** Starts a process and resolves when it listens. Throws `StartError`. */
export async function startProcess(options: ProcessOptions): Promise<WorkerdProcess> {
  const { spec, program, sandbox, data, config, openServices } = options
  const folders = await prepareFolders(spec, program, sandbox, data, config)
  const { sockets } = folders.paths
  let services: { close(): void } | undefined
  let isOutOfMemory = false
  let exitCode: ExitCode = null
  let ended: Promise<void> | undefined
  try {
    services = await openServices(sockets)
    const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>()
    ended = closed.then(() => {
      services?.close()
      return folders.remove()
    })
    const names = [...(data === 'none' ? [] : ['control.sock']), ...(spec.code ? ['http.sock'] : [])]
    const { pid, child } = await listening(
      options,
      programOf(options, folders),
      names.length,
      (code, hasRunOutOfMemory) => {
        exitCode = code
        isOutOfMemory = hasRunOutOfMemory
        onClosed()
      },
    )
    const taken = await Promise.all(names.map(folders.takeSocket)).catch(() => {
      child.kill(pid, 'SIGKILL')
      throw new StartError('failed')
    })
    const socketOf = (name: string) => taken[names.indexOf(name)] ?? ''
    return {
      pid,
      httpSocket: socketOf('http.sock'),
      controlSocket: socketOf('control.sock'),
      ended,
      hasRunOutOfMemory: () => isOutOfMemory,
      exitCode: () => exitCode,
      kill: (signal) => child.kill(pid, signal),
    }
  } catch (error) {
    services?.close()
    // Until a process that was killed is gone, it has its data and its folders.
    if (ended) await Promise.race([ended, pause(END_WAIT_MS, undefined, { ref: false })])
    await folders.remove()
    throw error
  }
}

function programOf({ sandbox, spec }: ProcessOptions, { paths, seccompFile }: ProcessFolders): Program {
  const config = join(pathsInside(sandbox, paths).code, 'config.capnp')
  const [command = '', ...args] = commandOf(sandbox, paths, [
    'serve',
    '--experimental',
    `--control-fd=${DESCRIPTORS.events}`,
    config,
  ])
  const secrets = Object.entries(spec.secrets).map(([name, value]) => [SECRET_PREFIX + name, value])
  const env = { TZ: 'UTC', ...Object.fromEntries(secrets) }
  return { command, args, env, user: sandbox.user, seccompFile }
}

/** Starts it, and resolves with the process id when all its sockets listen. Until then its memory is watched. */
function listening(
  { sandbox, startTimeoutMs, onLine, onCpu }: ProcessOptions,
  program: Program,
  socketCount: number,
  onClosed: (code: ExitCode, hasRunOutOfMemory: boolean) => void,
): Promise<{ pid: number; child: Child }> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    let checkedAt = startedAt
    let sleptMs = 0
    let events = ''
    let info = ''
    let isSettled = false
    const child = startChild(program, {
      onLine,
      onEvents(text) {
        events += text
        check()
      },
      onInfo(text) {
        info += text
        check()
      },
      onClose(code, hasRunOutOfMemory) {
        fail(code === LOCKED ? 'locked' : 'failed')
        onClosed(code, hasRunOutOfMemory)
      },
    })
    /** In bubblewrap the program is a child of the child, and its id is in what that one prints. */
    const pidOf = () =>
      sandbox.level === 'bubblewrap' ? Number(/"child-pid":\s*(\d+)/.exec(info)?.[1] ?? 0) : child.pid
    const settle = () => {
      isSettled = true
      clearInterval(watch)
    }
    const fail = (reason: StartError['reason']) => {
      settle()
      child.kill(pidOf(), 'SIGKILL')
      reject(new StartError(reason))
    }
    const checkLimits = () => {
      const now = performance.now()
      // This program can be late too, and is then told of the start late.
      const elapsedMs = Math.min(now - checkedAt, 2 * CHECK_MS)
      checkedAt = now
      const pid = pidOf()
      const usedMs = pid === 0 ? 0 : (mainThreadNs(pid) ?? 0) / 1e6
      if (pid !== 0 && isAsleep(pid)) sleptMs += elapsedMs
      if (usedMs + sleptMs > startTimeoutMs || now - startedAt > START_MS_MAX) return fail('timeout')
      if (pid === 0) return
      onCpu?.((processNs(pid) ?? 0) / 1e6)
      if (privateBytes(pid) > START_BYTES_MAX) fail('memory')
    }
    const watch = setInterval(checkLimits, CHECK_MS)
    const check = () => {
      if (isSettled) return
      if (events.length + info.length > REPORT_CHARACTERS_MAX) return fail('failed')
      const pid = pidOf()
      if (events.split('"event":"listen"').length - 1 < socketCount || pid === 0) return
      checkLimits()
      settle()
      resolve({ pid, child })
    }
  })
}
