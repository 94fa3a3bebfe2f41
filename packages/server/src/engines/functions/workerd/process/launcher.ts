import { type ChildProcess, fork } from 'node:child_process'

import { OWN_FILES } from '../../../../platform/own-files.ts'
import type { PrintedLine } from '../logs/log-lines.ts'

/** A program as it is started; with pipes for its output, its events and what the sandbox reports. */
export type Program = {
  command: string
  args: string[]
  env: Record<string, string>
  user: { uid: number; gid: number } | undefined
  seccompFile: string
}
/** How much is read of what a process reports about its start, which is much shorter. More could fill the memory. */
export const REPORT_CHARACTERS_MAX = 65_536

/** A message to the launcher: start a program, or send a signal to one. */
export type Command =
  | { id: number; program: Program }
  | { id: number; pid: number; signal: 'SIGTERM' | 'SIGKILL' }
/** Shells and bubblewrap add it to the number of the signal that has ended a program. */
export const SIGNALED = 128
/** Also `SIGNALED` and the number of a signal. Null: the launcher itself has ended, and its programs with it. */
export type ExitCode = number | null
/** A message of the launcher about a process. With `code` it has ended. */
export type Report =
  | { id: number; pid: number }
  | { id: number; line: PrintedLine }
  | { id: number; events: string }
  | { id: number; info: string }
  | Ended
type Ended = { id: number; code: ExitCode; hasRunOutOfMemory: boolean }

type ChildEvents = {
  onLine(line: PrintedLine): void
  onEvents(text: string): void
  onInfo(text: string): void
  onClose(code: ExitCode, hasRunOutOfMemory: boolean): void
}
export type Child = {
  /** 0 until it has started. */
  readonly pid: number
  /** `pid` is the program itself, where the child is its sandbox. */
  kill(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void
}

const running = new Map<number, ChildEvents & { pid: number }>()
let launcher: ChildProcess | undefined
let lastId = 0

/** Starts a program. */
export function startChild(program: Program, events: ChildEvents): Child {
  const id = ++lastId
  const child = { ...events, pid: 0 }
  running.set(id, child)
  send({ id, program })
  return {
    get pid() {
      return child.pid
    },
    kill: (pid, signal) => running.has(id) && send({ id, pid, signal }),
  }
}

function send(command: Command) {
  launcher ??= startLauncher()
  // If it has ended meanwhile, its end is reported.
  launcher.send(command, () => {})
  if (running.size > 0) keep(launcher, true)
}

function startLauncher(): ChildProcess {
  const started = fork(OWN_FILES.launcher, [], {
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=1'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  // The kernel ends the processes that it has started.
  const onEnd = () => {
    if (launcher === started) launcher = undefined
    for (const id of running.keys()) receive({ id, code: null, hasRunOutOfMemory: false })
  }
  started.on('message', (report: Report) => receive(report))
  started.on('close', onEnd)
  // There is no `close` of a process that could not be created.
  started.on('error', () => started.pid === undefined && onEnd())
  keep(started, false)
  return started
}

/** Whether the launcher keeps the service from ending. */
function keep(child: ChildProcess, isNeeded: boolean) {
  if (isNeeded) {
    child.ref()
    child.channel?.ref()
  } else {
    child.unref()
    child.channel?.unref()
  }
}

function receive(report: Report) {
  const child = running.get(report.id)
  if (!child) return
  if ('pid' in report) child.pid = report.pid
  else if ('line' in report) child.onLine(report.line)
  else if ('events' in report) child.onEvents(report.events)
  else if ('info' in report) child.onInfo(report.info)
  else {
    running.delete(report.id)
    if (running.size === 0 && launcher) keep(launcher, false)
    child.onClose(report.code, report.hasRunOutOfMemory)
  }
}
