import { closeSync, constants, fstatSync, openSync, write, writeSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

import { SECOND_MS } from '../clock.ts'
import { lazy } from '../memory/lazy.ts'

/** Where log lines go. */
export type LogDestination = ReturnType<typeof createLogDestination>

const writeAsync = promisify(write)
/** Lines that cannot be written yet wait in memory, up to this size. */
const WAITING_BYTES_MAX = 1024 * 1024
const WRITE_BYTES_MAX = 64 * 1024
/** After an error, for example a full disk. */
const RETRY_MS = SECOND_MS
/** A pipe whose reader is slow. */
const SLOW_READER_MS = 20
const STDOUT = 1

/**
 * Writes lines to an open file or pipe. It never blocks the event loop and never throws: a full disk, or a pipe that nobody reads,
 * only delays lines. What does not fit into the memory meanwhile is lost, and counted.
 */
export function createLogDestination(fd: number) {
  const sink = openSink(fd)
  let waiting: string[] = []
  let waitingBytes = 0
  /** The part of a chunk that is not written yet. */
  let rest: Buffer | undefined
  let linesLost = 0
  let linesReported = 0
  let isScheduled = false
  let isClosed = false
  let reportLost = (_lines: number) => {}

  function nextChunk(): Buffer | undefined {
    if (waiting.length === 0) return undefined
    let bytes = 0
    const end = waiting.findIndex((line) => (bytes += line.length) > WRITE_BYTES_MAX)
    const lines = waiting.splice(0, end < 0 ? waiting.length : Math.max(end, 1))
    const chunk = Buffer.from(lines.join(''))
    waitingBytes = waiting.length === 0 ? 0 : Math.max(0, waitingBytes - chunk.length)
    return chunk
  }

  /** Nobody will ever read it. */
  function close() {
    isClosed = true
    linesLost += waiting.length + (rest?.toString().match(/\n/g)?.length ?? 0)
    waiting = []
    rest = undefined
  }

  async function writeAll(): Promise<void> {
    for (;;) {
      const chunk = rest ?? nextChunk()
      if (!chunk) return
      // Node completes a write that has begun, also when it exits: `writeRest` must not write it again.
      rest = undefined
      try {
        const bytes = await sink.write(chunk)
        if (bytes < chunk.length) rest = chunk.subarray(bytes)
        if (rest || linesLost === linesReported) continue
        reportLost(linesLost - linesReported)
        linesReported = linesLost
      } catch (error) {
        rest = chunk
        const { code } = error as NodeJS.ErrnoException
        if (code === 'EPIPE' || code === 'EBADF') return close()
        await pause(code === 'EAGAIN' ? SLOW_READER_MS : RETRY_MS, undefined, { ref: false })
      }
    }
  }

  function schedule() {
    if (isScheduled) return
    isScheduled = true
    // All lines of one turn of the event loop are one write.
    setImmediate(() => void writeAll().finally(() => (isScheduled = false)))
  }

  return {
    write(line: string): void {
      if (isClosed || waitingBytes + line.length > WAITING_BYTES_MAX) return void linesLost++
      waiting.push(line)
      waitingBytes += line.length
      schedule()
    },

    /** `report` is called when lines can be written again after some were lost. */
    onLost: (report: (lines: number) => void) => void (reportLost = report),

    /** Since the start. */
    linesLost: () => linesLost,

    /** What is left when the process ends: one attempt. */
    writeRest(): void {
      try {
        for (rest ??= nextChunk(); rest && !isClosed; rest ??= nextChunk()) {
          const bytes = sink.writeSync(rest)
          rest = bytes < rest.length ? rest.subarray(bytes) : undefined
        }
      } catch {
        // Nobody is left to hear of it.
      }
    },

    /** Closes what was opened here; `fd` stays open. */
    close() {
      close()
      sink.close()
    },
  }
}

/** Throws EAGAIN if a pipe is full. */
function openSink(fd: number) {
  const own = openWithoutBlocking(fd)
  if (own !== undefined) {
    const writeNow = (bytes: Buffer) => writeSync(own, bytes)
    return {
      write: async (bytes: Buffer) => writeNow(bytes),
      writeSync: writeNow,
      close: () => closeSync(own),
    }
  }
  // A write may wait for a disk or for the network: another thread does it.
  let isWriting = false
  return {
    async write(bytes: Buffer) {
      isWriting = true
      try {
        return (await writeAsync(fd, bytes, 0, bytes.length, null)).bytesWritten
      } finally {
        isWriting = false
      }
    },
    writeSync: (bytes: Buffer) => (isWriting ? bytes.length : writeSync(fd, bytes)),
    close: () => {},
  }
}

/**
 * A pipe or a terminal is opened a second time: the other processes that share `fd` must not notice that writes do not wait.
 * Undefined if it is a file, or if the system cannot do that.
 */
function openWithoutBlocking(fd: number): number | undefined {
  try {
    const kind = fstatSync(fd)
    if (!kind.isFIFO() && !kind.isCharacterDevice()) return undefined
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
}

/** The standard output of this process. */
export const standardOutput = lazy(() => {
  const destination = createLogDestination(STDOUT)
  process.on('exit', destination.writeRest)
  return destination
})
