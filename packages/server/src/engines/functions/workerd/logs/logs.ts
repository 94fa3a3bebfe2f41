import { appendFile, mkdir, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { type Clock, millisecondsOf, timestamp } from '../../../../platform/clock.ts'
import type {
  FunctionLogLevel,
  FunctionLogLine,
  FunctionLogQuery,
} from '../../../../platform/ports/functions-engine.ts'
import type { PrintedLine } from './log-lines.ts'

const LINES_MAX = 1_000
/** Of all lines in memory. The files have more. */
const CHARACTERS_MAX = 500_000
const FILE_BYTES_MAX = 4 * 1024 * 1024
const WRITE_DELAY_MS = 500
const LEVELS: readonly FunctionLogLevel[] = ['debug', 'log', 'info', 'warn', 'error']

export type Logs = ReturnType<typeof createLogs>

/** Log lines of one environment: the newest in memory, all of them in two files, of which the older is replaced. */
export function createLogs(folder: string, clock: Clock) {
  const lines: FunctionLogLine[] = []
  let unwritten: FunctionLogLine[] = []
  let lastId = 0
  let characters = 0
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()
  let loaded: Promise<void> | undefined
  const newer = join(folder, 'newer.jsonl')
  const older = join(folder, 'older.jsonl')

  /** Ids follow the time, so that they also grow after a restart. */
  function nextId(): string {
    lastId = Math.max(lastId + 1, millisecondsOf(clock) * 1000)
    return String(lastId)
  }

  async function write() {
    timer = undefined
    const text = unwritten.map((line) => `${JSON.stringify(line)}\n`).join('')
    unwritten = []
    if (text === '') return
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const size = await stat(newer).then(
      (found) => found.size,
      () => 0,
    )
    if (size > FILE_BYTES_MAX) await rename(newer, older)
    await appendFile(newer, text)
  }

  const flush = () => (writing = writing.then(write).catch(() => {}))

  /** What an earlier process of the service has written. */
  async function load() {
    const texts = await Promise.all([older, newer].map((path) => readFile(path, 'utf8').catch(() => '')))
    const known = texts
      .join('')
      .split('\n')
      .slice(-LINES_MAX - 1)
      .flatMap(parsedLine)
      .filter(({ id }) => !lines.some((line) => line.id === id))
    lines.unshift(...known)
    for (const { message } of known) characters += message.length
    while (lines.length > LINES_MAX || characters > CHARACTERS_MAX) forgetOldest()
  }

  function forgetOldest() {
    characters -= lines.shift()?.message.length ?? 0
  }

  return {
    add({ level, message, requestId }: PrintedLine) {
      const line = { id: nextId(), at: timestamp(clock), level, message, requestId }
      lines.push(line)
      unwritten.push(line)
      characters += message.length
      while (lines.length > LINES_MAX || characters > CHARACTERS_MAX) forgetOldest()
      // A disk that hangs must not fill the memory.
      if (unwritten.length > LINES_MAX) unwritten.shift()
      timer ??= setTimeout(() => void flush(), WRITE_DELAY_MS).unref()
    },

    async read({ after, level, q = '', limit }: FunctionLogQuery) {
      await (loaded ??= load())
      const atLeast = level ? LEVELS.indexOf(level) : 0
      const letters = q.toLowerCase()
      const matching = lines.filter(
        (line) =>
          (after === undefined || Number(line.id) > Number(after)) &&
          LEVELS.indexOf(line.level) >= atLeast &&
          (line.message.toLowerCase().includes(letters) || line.requestId?.toLowerCase() === letters),
      )
      return after === undefined ? matching.slice(-limit) : matching.slice(0, limit)
    },

    async close() {
      clearTimeout(timer)
      await flush()
    },
  }
}

function parsedLine(text: string): FunctionLogLine[] {
  try {
    return text ? [JSON.parse(text) as FunctionLogLine] : []
  } catch {
    return []
  }
}
