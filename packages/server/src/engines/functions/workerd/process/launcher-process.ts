import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { Socket } from 'node:net'
import { constants } from 'node:os'

import { createLineReader } from '../logs/log-lines.ts'
import {
  type Command,
  type ExitCode,
  type Program,
  type Report,
  REPORT_CHARACTERS_MAX,
  SIGNALED,
} from './launcher.ts'
import { DESCRIPTORS } from './sandbox.ts'

/**
 * A small process that starts those of functions. Starting a program copies the tables of all memory and waits for the program, which
 * would stop the event loop of the service for several milliseconds. It ends with the service, and its children with it.
 */
const children = new Map<number, ChildProcess>()
const report = (one: Report) => void process.send?.(one, () => {})

process.on('disconnect', () => process.exit())
// Ctrl-C reaches every process of a terminal; the service may still need functions for its last requests.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('message', (command: Command) => {
  if ('program' in command) start(command.id, command.program)
  else kill(command.id, command.pid, command.signal)
})

function start(id: number, program: Program) {
  let isEnded = false
  const ended = (code: ExitCode, hasRunOutOfMemory = false) => {
    if (isEnded) return
    isEnded = true
    children.delete(id)
    report({ id, code, hasRunOutOfMemory })
  }
  try {
    const child = spawnOf(program)
    // There is no `close` of a process that could not be created, and without descriptors it has no pipes either.
    child.on('error', () => child.pid === undefined && ended(null))
    children.set(id, child)
    const reader = createLineReader((line) => report({ id, line }))
    if (child.stdout) reader.read(child.stdout)
    if (child.stderr) reader.read(child.stderr)
    readReport(child, DESCRIPTORS.events, (events) => report({ id, events }))
    readReport(child, DESCRIPTORS.info, (info) => report({ id, info }))
    child.on('close', (code, signal) =>
      ended(signal ? SIGNALED + constants.signals[signal] : code, reader.hasRunOutOfMemory()),
    )
    report({ id, pid: child.pid ?? 0 })
  } catch {
    ended(null)
  }
}

function spawnOf({ command, args, env, user, seccompFile }: Program): ChildProcess {
  const filter = openSync(seccompFile, 'r')
  try {
    return spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', filter], env, ...user })
  } finally {
    closeSync(filter)
  }
}

function readReport(child: ChildProcess, descriptor: number, onText: (text: string) => void) {
  const output = child.stdio[descriptor] as Socket | null | undefined
  let characters = 0
  output?.on('error', () => {})
  output?.on('data', (chunk: Buffer) => {
    characters += chunk.length
    onText(chunk.toString())
    if (characters > REPORT_CHARACTERS_MAX) output.destroy()
  })
}

/** In bubblewrap the program is a child of the child, with the id `pid`: ending that one ends all. */
function kill(id: number, pid: number, signal: 'SIGTERM' | 'SIGKILL') {
  const child = children.get(id)
  // Afterwards the id may belong to another process.
  if (!child || child.exitCode !== null || child.signalCode !== null) return
  try {
    if (pid > 0) process.kill(pid, signal)
  } catch {
    // It has ended already.
  }
  if (signal === 'SIGKILL') child.kill('SIGKILL')
}
