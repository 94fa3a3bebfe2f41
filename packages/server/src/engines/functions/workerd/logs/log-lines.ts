import type { Readable } from 'node:stream'

import type { FunctionLogLevel } from '../../../../platform/ports/functions-engine.ts'

/** A line that a process printed. `requestId` is null outside a request. */
export type PrintedLine = { level: FunctionLogLevel; message: string; requestId: string | null }

const MESSAGE_CHARACTERS_MAX = 16_384
const LINE_CHARACTERS_MAX = 262_144
/** More is dropped: reading the output of code that prints in a loop must not slow the service. */
const CHARACTERS_PER_SECOND_MAX = 1_048_576

const LEVELS: readonly string[] = ['debug', 'info', 'log', 'warn', 'error'] satisfies FunctionLogLevel[]
const ID_MARK = '\u0001'
const EXCEPTION_MARK = '\u0002'
/** The level of the line with which V8 ends the process. No line of the code has it, whatever it prints or throws. */
const FATAL = 'fatal'
const OUT_OF_MEMORY = /out of memory|Reached heap limit|allocation failed/i
/** Notes of workerd about itself. */
const ENGINE_NOTE = 'NOSENTRY '
const RECENT_EXCEPTIONS_MAX = 16

/** Reads what workerd prints: lines of the code, marked by the wrapper, and its own. */
export function createLineReader(onLine: (line: PrintedLine) => void) {
  let hasRunOutOfMemory = false
  const recentExceptions: string[] = []

  function readLine(text: string) {
    const { level, message, isFatal } = parsed(text)
    if (isFatal && OUT_OF_MEMORY.test(message)) hasRunOutOfMemory = true
    if (!message.startsWith(ID_MARK)) return readOwnLine(level, message)
    const idEnd = message.indexOf(ID_MARK, 1)
    const requestId = message.slice(1, idEnd)
    const marked = message.slice(idEnd + 2)
    const isException = marked.startsWith(EXCEPTION_MARK)
    if (isException) remember(marked.slice(1))
    onLine({ level, message: cut(isException ? marked.slice(1) : marked), requestId: requestId || null })
  }

  /** A line of workerd about the code, unless it repeats an exception that the wrapper has printed with the id of its request. */
  function readOwnLine(level: FunctionLogLevel, message: string) {
    if (message.startsWith(ENGINE_NOTE) || recentExceptions.some((known) => message.includes(known))) return
    onLine({ level, message: cut(message), requestId: null })
  }

  function remember(stack: string) {
    recentExceptions.push(stack.split('\n')[0] ?? '')
    if (recentExceptions.length > RECENT_EXCEPTIONS_MAX) recentExceptions.shift()
  }

  return {
    read: (output: Readable) => readLines(output, readLine, () => onLine(DROPPED)),
    hasRunOutOfMemory: () => hasRunOutOfMemory,
  }
}

const DROPPED: PrintedLine = {
  level: 'warn',
  message: 'Too much output: lines were dropped.',
  requestId: null,
}

const cut = (message: string) =>
  message.length > MESSAGE_CHARACTERS_MAX ? `${message.slice(0, MESSAGE_CHARACTERS_MAX)}…` : message

/** Lines are JSON, except what V8 adds when it ends the process (its last collections, the stack), and lines that were cut. */
function parsed(text: string): { level: FunctionLogLevel; message: string; isFatal: boolean } {
  try {
    const { level, message } = JSON.parse(text) as { level?: unknown; message?: unknown }
    return { level: levelOf(level), message: String(message), isFatal: level === FATAL }
  } catch {
    return { level: 'error', message: text, isFatal: false }
  }
}

const levelOf = (level: unknown): FunctionLogLevel =>
  typeof level === 'string' && LEVELS.includes(level) ? (level as FunctionLogLevel) : 'log'

function readLines(output: Readable, onLine: (line: string) => void, onDropped: () => void) {
  let rest = ''
  let second = 0
  let characters = 0
  output.setEncoding('utf8')
  output.on('data', (chunk: string) => {
    const now = Math.floor(performance.now() / 1000)
    if (now !== second) [second, characters] = [now, 0]
    const wasOver = characters > CHARACTERS_PER_SECOND_MAX
    characters += chunk.length
    if (characters > CHARACTERS_PER_SECOND_MAX) {
      rest = ''
      if (!wasOver) onDropped()
      return
    }
    const lines = (rest + chunk).split('\n')
    rest = (lines.pop() ?? '').slice(0, LINE_CHARACTERS_MAX)
    for (const line of lines) if (line) onLine(line)
  })
  output.on('end', () => rest && onLine(rest))
  output.on('error', () => {})
}
