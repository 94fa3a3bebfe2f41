import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'

import type { FunctionsSpec } from '../../../platform/functions-engine.ts'
import { SECRET_PREFIX } from './config.ts'
import { type ProcessFolders, prepareFolders } from './folders.ts'
import { createLineReader, type PrintedLine } from './log-lines.ts'
import { privateBytes, processNs } from './proc.ts'
import { commandOf, DESCRIPTORS, LOCKED, pathsInside, type Sandbox } from './sandbox.ts'
import { StartError } from './start-error.ts'

export type ProcessOptions = {
  spec: FunctionsSpec
  program: string
  sandbox: Sandbox
  /** Undefined for a trial on empty data. */
  root: string | undefined
  /** The storage is over its limit. */
  isFull: boolean
  startTimeoutMs: number
  onLine(line: PrintedLine): void
  /** Called while it starts: the CPU time until then. */
  onCpu?(ms: number): void
  /** Opens what the process connects to. Called with the folder of its sockets. */
  openServices(sockets: string): Promise<{ close(): void }>
}

/** As much as a process that runs may have. */
export const START_BYTES_MAX = 256 * 1024 * 1024
const LOOK_MS = 50
/** There is no end of a process that could not be created. */
const END_WAIT_MS = 1_000
/** What a process reports about its start is much shorter. */
const REPORT_CHARACTERS_MAX = 65_536

/** A running process. */
export type WorkerdProcess = {
  pid: number
  httpSocket: string
  controlSocket: string
  /** Resolves when it has ended and its folders are removed. */
  ended: Promise<void>
  hasRunOutOfMemory(): boolean
  kill(signal: 'SIGTERM' | 'SIGKILL'): void
}

/** Starts a process and resolves when it listens. Throws `StartError`. */
export async function startProcess(options: ProcessOptions): Promise<WorkerdProcess> {
  const { spec, program, sandbox, root, isFull, onLine, openServices, startTimeoutMs, onCpu } = options
  const folders = await prepareFolders(spec, program, sandbox, root, isFull)
  const { sockets } = folders.paths
  let services: { close(): void } | undefined
  let ended: Promise<void> | undefined
  try {
    services = await openServices(sockets)
    const child = spawnIn(sandbox, folders, spec)
    // It is handled in `listening`; later ones, and that of a child without descriptors, must not end the service.
    child.on('error', () => {})
    const reader = createLineReader(onLine)
    if (child.stdout) reader.read(child.stdout)
    if (child.stderr) reader.read(child.stderr)
    ended = new Promise<void>((resolve) => child.once('close', () => resolve())).then(() => {
      services?.close()
      return folders.remove()
    })
    const names = ['control.sock', ...(spec.code ? ['http.sock'] : [])]
    const pid = await listening(child, names.length, sandbox, startTimeoutMs, onCpu)
    const [controlSocket = '', httpSocket = ''] = await Promise.all(names.map(folders.takeSocket)).catch(
      () => {
        killProcess(child, pid, 'SIGKILL')
        throw new StartError('failed')
      },
    )
    return {
      pid,
      httpSocket,
      controlSocket,
      ended,
      hasRunOutOfMemory: reader.hasRunOutOfMemory,
      kill: (signal) => killProcess(child, pid, signal),
    }
  } catch (error) {
    services?.close()
    // Until a process that was killed is gone, it has its data and its folders.
    if (ended) await Promise.race([ended, pause(END_WAIT_MS, undefined, { ref: false })])
    await folders.remove()
    throw error
  }
}

function spawnIn(
  sandbox: Sandbox,
  { paths, seccompFile }: ProcessFolders,
  spec: FunctionsSpec,
): ChildProcess {
  const config = join(pathsInside(sandbox, paths).code, 'config.capnp')
  const [command = '', ...args] = commandOf(sandbox, paths, [
    'serve',
    '--experimental',
    `--control-fd=${DESCRIPTORS.events}`,
    config,
  ])
  const secrets = Object.entries(spec.secrets).map(([name, value]) => [SECRET_PREFIX + name, value])
  const filter = openSync(seccompFile, 'r')
  try {
    return spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', filter],
      env: { TZ: 'UTC', ...Object.fromEntries(secrets) },
      ...sandbox.user,
    })
  } finally {
    closeSync(filter)
  }
}

/** Resolves with the process id, when all its sockets listen. Until then its memory is watched. */
function listening(
  child: ChildProcess,
  socketCount: number,
  { level }: Sandbox,
  timeoutMs: number,
  onCpu: ((ms: number) => void) | undefined,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const eventsOutput = outputOf(child, DESCRIPTORS.events)
    const infoOutput = outputOf(child, DESCRIPTORS.info)
    let events = ''
    let info = ''
    /** In bubblewrap the program is a child of the child, and its id is in what that one prints. */
    const pidOf = () =>
      level === 'bubblewrap' ? Number(/"child-pid":\s*(\d+)/.exec(info)?.[1] ?? 0) : (child.pid ?? 0)
    const settle = () => {
      clearTimeout(timer)
      clearInterval(watch)
      // The process has nothing more to report, and could fill the memory.
      eventsOutput.destroy()
      infoOutput.destroy()
    }
    const fail = (reason: StartError['reason']) => {
      settle()
      const pid = pidOf()
      if (pid > 0) killProcess(child, pid, 'SIGKILL')
      child.kill('SIGKILL')
      reject(new StartError(reason))
    }
    const timer = setTimeout(() => fail('timeout'), timeoutMs)
    const look = () => {
      const pid = pidOf()
      if (pid === 0) return
      onCpu?.((processNs(pid) ?? 0) / 1e6)
      if (privateBytes(pid) > START_BYTES_MAX) fail('memory')
    }
    const watch = setInterval(look, LOOK_MS).unref()
    const check = () => {
      if (events.length + info.length > REPORT_CHARACTERS_MAX) return fail('failed')
      const pid = pidOf()
      if (events.split('"event":"listen"').length - 1 < socketCount || pid === 0) return
      look()
      settle()
      resolve(pid)
    }
    eventsOutput.on('data', (chunk: Buffer) => {
      events += chunk.toString()
      check()
    })
    infoOutput.on('data', (chunk: Buffer) => {
      info += chunk.toString()
      check()
    })
    child.once('error', () => fail('failed'))
    child.once('close', (code) => fail(code === LOCKED ? 'locked' : 'failed'))
  })
}

function outputOf(child: ChildProcess, descriptor: number): Readable {
  const output = child.stdio[descriptor] as Socket
  output.on('error', () => {})
  return output
}

/** In bubblewrap the program is a child of the child: ending that one ends all. */
function killProcess(child: ChildProcess, pid: number, signal: 'SIGTERM' | 'SIGKILL') {
  // Afterwards the id may belong to another process.
  if (child.exitCode !== null || child.signalCode !== null) return
  killQuietly(pid, signal)
  if (signal === 'SIGKILL') child.kill('SIGKILL')
}

function killQuietly(pid: number, signal: NodeJS.Signals = 'SIGKILL') {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended already.
  }
}
