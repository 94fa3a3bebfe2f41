import type { Resolver } from 'node:dns/promises'
import { constants } from 'node:os'

import type { FunctionCode } from '../../../../platform/ports/functions-engine.ts'
import type { RoomProcess, RoomProcessEnd, RoomProcessSpec } from '../../../../platform/ports/room-process.ts'
import { roomConfigOf } from '../config/room-config.ts'
import type { PrintedLine } from '../logs/log-lines.ts'
import { SIGNALED } from '../process/launcher.ts'
import { startProcess, type WorkerdProcess } from '../process/process.ts'
import type { Sandbox } from '../process/sandbox.ts'
import { StartError } from '../process/start-error.ts'
import { openRoomServices } from './room-services.ts'
import { openRoomStream, type RoomStream } from './room-stream.ts'
import { watchRooms } from './room-watch.ts'

const START_TIMEOUT_MS = 10_000
const COLLECT_TIMEOUT_MS = 10_000
/** For the end of a process that has closed its stream: how it ends shows whether it has crashed or was killed. */
const END_WAIT_MS = 1_000
/** Messages between the service and `workers/rooms.ts`; all others are batches. */
const COLLECT = 'collect'
const COLLECTED = Buffer.from('collected')

type RoomOptions = {
  program: string
  sandbox: Sandbox
  resolver: Resolver
  onLine(line: PrintedLine): void
}

type HowEnded = { reason: RoomProcessEnd; why: string }
const { SIGHUP, SIGINT, SIGKILL, SIGTERM } = constants.signals
/** Signals that the kernel and operators send, and no code. */
const OUTSIDE = [SIGHUP, SIGINT, SIGKILL, SIGTERM].map((signal) => SIGNALED + signal)

/** Of a process that ended before it was ended. */
function endOf({ hasRunOutOfMemory, exitCode }: WorkerdProcess): HowEnded {
  const code = exitCode()
  if (hasRunOutOfMemory()) return { reason: 'memory_limit_exceeded', why: 'its heap was full' }
  if (code !== null && !OUTSIDE.includes(code)) return { reason: 'failed', why: `it crashed (${code})` }
  return { reason: 'killed', why: 'the system has killed it, maybe because memory was short' }
}

/** `ended` resolves when the process is gone and its folders are removed, before `onEnd` of the spec is called. */
export type LiveRooms = RoomProcess & { pid: number; ended: Promise<void> }

/** Starts a process of rooms, with its limits, its way out and its stream. Throws `StartError`. */
export async function startRoomProcess(
  spec: RoomProcessSpec & { code: FunctionCode },
  options: RoomOptions,
): Promise<LiveRooms> {
  const { onLine, resolver } = options
  let egressBytes = 0
  let egressCpuMs = 0
  let end: HowEnded | undefined
  let onCollected: (() => void) | undefined
  let watch: ReturnType<typeof watchRooms> | undefined
  let stream: RoomStream | undefined

  const live = await startProcess({
    ...options,
    spec,
    data: 'none',
    config: (paths) => roomConfigOf(spec.code, spec.secrets, paths),
    startTimeoutMs: START_TIMEOUT_MS,
    openServices: (folder) =>
      openRoomServices(folder, {
        spec,
        resolver,
        addEgressBytes: (bytes) => (egressBytes += bytes),
        addEgressCpuMs: (ms) => (egressCpuMs += ms),
      }),
  })

  /** The first reason counts. */
  function kill(reason: RoomProcessEnd, why: string) {
    end ??= { reason, why }
    watch?.stop()
    watch?.readCpu()
    stream?.close()
    live.kill('SIGKILL')
  }

  try {
    stream = await openRoomStream(live.httpSocket, {
      onText(bytes) {
        watch?.noteProgress()
        if (bytes.equals(COLLECTED)) onCollected?.()
        else if (end === undefined) spec.onMessage(bytes)
      },
      onPong: () => watch?.notePong(),
      onEnd(broken) {
        if (broken !== undefined) return kill('failed', broken)
        const timer = setTimeout(() => kill('failed', 'it closed its stream'), END_WAIT_MS)
        void live.ended.then(() => clearTimeout(timer))
      },
    })
  } catch (error) {
    live.kill('SIGKILL')
    await live.ended
    throw new StartError('failed', { cause: error })
  }

  const { send, ping } = stream
  watch = watchRooms({
    pid: live.pid,
    cpuMs: spec.limits.cpuMs,
    ping,
    collect: () =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, COLLECT_TIMEOUT_MS).unref()
        onCollected = () => {
          clearTimeout(timer)
          resolve(undefined)
        }
        send(COLLECT)
      }),
    onExceeded: kill,
  })
  const watching = watch
  const ended = live.ended.then(() => {
    end ??= endOf(live)
    watching.stop()
    stream.close()
    const message = `${end.reason}: the process of rooms has ended: ${end.why}.`
    if (end.reason !== 'stopped') onLine({ level: 'error', message, requestId: null })
  })
  void ended.then(() => spec.onEnd(end?.reason ?? 'failed'))

  return {
    pid: live.pid,
    ended,
    send(batch) {
      if (end !== undefined) return
      watching.noteSent()
      send(batch)
    },
    cpuMs: watching.cpuMs,
    takeUsage() {
      const usage = { requests: 0, errors: 0, rowsRead: 0, rowsWritten: 0 }
      const taken = { ...usage, cpuMs: Math.round(watching.takeCpuMs() + egressCpuMs), egressBytes }
      egressBytes = egressCpuMs = 0
      return taken
    },
    stop(why) {
      if (why === undefined) kill('stopped', '')
      else kill('failed', why)
      return ended
    },
  }
}
