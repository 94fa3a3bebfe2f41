import { ApiError } from '../../../platform/api-error.ts'
import { type Clock, MINUTE_MS } from '../../../platform/clock.ts'
import type { RoomProcess } from '../../../platform/ports/room-process.ts'
import type { Timers } from '../../../platform/time/timers.ts'
import type { RoomCode } from './port.ts'
import { CodeProcess, type Place, type TurnRoom } from './process.ts'

type CodeTurnsDeps = {
  code: Pick<RoomCode, 'start'>
  /** Of one environment and version. */
  processesMax: number
  clock: Clock
  timers: Timers
  report(error: unknown): void
}

/** Which process a room may run in. `generation` undefined: any of this version. */
export type Placing = {
  environmentId: string
  versionId: string
  generation: number | undefined
  /** It has not answered a turn of this room: it runs apart from the others until it is clear which of them is to blame. */
  isSuspect: boolean
}

export type CodeTurns = ReturnType<typeof createCodeTurns>

/** How long a process without a room stays, for the next one. */
const IDLE_MS = MINUTE_MS

/** The processes of rooms of this node: one per environment and version, the next one when all of them are busy. */
export function createCodeTurns({ code, processesMax, clock, timers, report }: CodeTurnsDeps) {
  const processes = new Map<string, CodeProcess[]>()
  const starting = new Map<string, Promise<CodeProcess>>()
  /** Environment → its process that was started last. */
  const newest = new Map<string, { key: string; process: CodeProcess }>()

  const keyOf = ({ environmentId, versionId }: Placing) => `${environmentId} ${versionId}`

  /** Undefined: a process must be started. Throws `room_busy` if all are full. */
  function choose(placing: Placing): CodeProcess | undefined {
    const { generation, isSuspect } = placing
    const all = (processes.get(keyOf(placing)) ?? []).filter(
      (each) =>
        each.isForSuspects === isSuspect && (generation === undefined || each.generation === generation),
    )
    const mayStartAnother = all.length < processesMax
    const usable = all.filter(({ isFull }) => !isFull)
    const least = usable.toSorted((a, b) => a.cpuShare - b.cpuShare || a.rooms - b.rooms)[0]
    if (!least && !mayStartAnother) throw new ApiError('room_busy')
    return least?.isBusy && mayStartAnother ? undefined : least
  }

  /** After a deploy no new room comes: a developer who deploys often must not use up the processes of the node. */
  function isOutdated(process: CodeProcess, key: string, environmentId: string): boolean {
    const last = newest.get(environmentId)
    return last !== undefined && (last.key !== key || last.process.generation !== process.generation)
  }

  /** Rooms leave their process before that of the newer version runs. */
  function stopOutdated(environmentId: string) {
    for (const [key, all] of processes)
      if (key.startsWith(`${environmentId} `))
        for (const each of all) if (each.rooms === 0 && isOutdated(each, key, environmentId)) each.stop()
  }

  async function start(placing: Placing): Promise<CodeProcess> {
    const key = keyOf(placing)
    const started = new CodeProcess(
      {
        clock,
        timers,
        report,
        onEmpty(process) {
          if (isOutdated(process, key, placing.environmentId)) process.stop()
          else timers.after(IDLE_MS, () => process.rooms === 0 && process.stop())
        },
        onEnded(process) {
          if (newest.get(placing.environmentId)?.process === process) newest.delete(placing.environmentId)
          const others = (processes.get(key) ?? []).filter((each) => each !== process)
          if (others.length > 0) processes.set(key, others)
          else processes.delete(key)
        },
      },
      { generation: placing.generation, isForSuspects: placing.isSuspect },
    )
    let process: RoomProcess
    try {
      process = await code.start(placing.environmentId, placing.versionId, {
        onMessage: (bytes) => started.received(bytes),
        onEnd: (end) => started.ended(end),
      })
    } catch (error) {
      throw startErrorOf(error)
    }
    if (started.isOver) throw new ApiError('room_failed')
    started.begin(process)
    processes.set(key, [...(processes.get(key) ?? []), started])
    newest.set(placing.environmentId, { key, process: started })
    stopOutdated(placing.environmentId)
    return started
  }

  /** Rooms that need a process at the same time share the one that starts. */
  function startShared(placing: Placing): Promise<CodeProcess> {
    const key = `${keyOf(placing)} ${placing.generation} ${placing.isSuspect}`
    const before = starting.get(key)
    if (before) return before
    const work = start(placing).finally(() => starting.delete(key))
    starting.set(key, work)
    return work
  }

  return {
    /**
     * Puts the room into a process, and starts one if need be. Throws what `RoomCode.start` throws, and `room_busy` if all processes are
     * full.
     */
    async place(placing: Placing, room: TurnRoom): Promise<Place> {
      for (;;) {
        const process = choose(placing) ?? (await startShared(placing))
        if (!process.isFull && !process.isOver) return process.add(room)
      }
    },

    /** Ends all processes; their rooms have been released before. */
    stop() {
      for (const each of [...processes.values()].flat()) each.stop()
    },
  }
}

const startErrorOf = (error: unknown) =>
  error instanceof ApiError && error.code === 'functions_overloaded' ? new ApiError('room_busy') : error
