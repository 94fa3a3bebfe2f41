import { LIMITS } from '@svc/contract/common/limits'

import { type Clock, SECOND_MS } from '../../../platform/clock.ts'
import type { Effect } from './answers.ts'

/** Everything as JSON text: most recordings are never read. */
type Segment = { startedAtMs: number; start: string; turns: string[]; bytes: number }

const NO_START = 'null'
/** A new segment begins with a snapshot, so that the oldest turns can be dropped. */
const SEGMENT_MS = 10 * SECOND_MS
const SEGMENT_BYTES = 256 * 1024
const BYTES_MAX = 2 * 1024 * 1024
const ROOMS_MAX = 32
const ENDED_ROOMS_MAX = 8
const ENDED_MS = 10 * 60 * SECOND_MS

/** The last turns of a room: what its code got, and what it changed. */
export class Recording {
  #segments: Segment[] = []
  #sent: { events: string; tick: number } | undefined
  #isStopped = false

  /** The first turn opens the room, by this event. */
  opened(event: string, nowMs: number) {
    this.#segments = [{ startedAtMs: nowMs, start: NO_START, turns: [], bytes: 0 }]
    this.sent([event], 0)
  }

  /** The room continues from a snapshot: what was before does not lead to it. The first turn is what `onRestore` does. */
  restored(start: string, tick: number, nowMs: number) {
    this.#segments = [{ startedAtMs: nowMs, start, turns: [], bytes: start.length }]
    this.sent(['["restore"]'], tick)
  }

  /** A turn was sent; the next answer to a turn is the answer to it. */
  sent(events: readonly string[], tick: number) {
    this.#sent = { events: `[${events.join()}]`, tick }
  }

  answered(turn: number, effects: readonly Effect[], tick: number, atMs: number) {
    const segment = this.#segments.at(-1)
    if (this.#isStopped || !segment) return
    const isTurn = turn >= 0
    const sent = isTurn ? this.#sent : undefined
    if (isTurn) this.#sent = undefined
    const patch = effects.find(({ kind }) => kind === 'sync')?.payload ?? 'null'
    const own = effects.flatMap(({ kind, target, payload }) =>
      kind === 'own' ? [`${JSON.stringify(target)}:${payload}`] : [],
    )
    const errors = effects.flatMap(({ kind, payload }) => (kind === 'threw' ? [messageIn(payload)] : []))
    const thrown = errors.length > 0 ? `,"errors":${JSON.stringify(errors)}` : ''
    const text = `{"turn":${turn},"tick":${sent?.tick ?? tick},"at":${atMs},"events":${sent?.events ?? '[]'},"patch":${patch},"own":{${own.join()}}${thrown}}`
    segment.turns.push(text)
    segment.bytes += text.length
  }

  /** Called after the turn in which the snapshot was made. `start` returns it with what else a room is restored from. */
  snapped(start: () => string, nowMs: number) {
    const last = this.#segments.at(-1)
    if (this.#isStopped || !last) return
    if (nowMs - last.startedAtMs < SEGMENT_MS && last.bytes < SEGMENT_BYTES) return
    const text = start()
    this.#segments.push({ startedAtMs: nowMs, start: text, turns: [], bytes: text.length })
    this.#dropOld(nowMs)
  }

  #dropOld(nowMs: number) {
    const isOld = () => {
      const [, second] = this.#segments
      const bytes = this.#segments.reduce((sum, segment) => sum + segment.bytes, 0)
      return second && (nowMs - second.startedAtMs >= LIMITS.roomTurnsRecordedMs || bytes > BYTES_MAX)
    }
    while (isOld()) this.#segments.shift()
  }

  get isEmpty(): boolean {
    return this.#segments.every(({ turns }) => turns.length === 0)
  }

  /** Members of a `RoomRecording`, as JSON text. */
  read(): string {
    const start = this.#segments[0]?.start ?? NO_START
    return `"start":${start},"turns":[${this.#segments.flatMap(({ turns }) => turns).join()}]`
  }

  /** Forgets everything, and records no more. */
  stop() {
    this.#isStopped = true
    this.#segments = []
  }
}

/** The process is not trusted: its text may be no such JSON. */
function messageIn(payload: string): string {
  try {
    const { message } = JSON.parse(payload) as { message?: unknown }
    return String(message)
  } catch {
    return ''
  }
}

export type Recordings = ReturnType<typeof createRecordings>

/** A recording of a room that is over, with the key of its room. */
type Ended = { text: string; endedAtMs: number }

/**
 * The recordings of this node. There are only so many: the oldest one ends when a new room is recorded. Those of the last rooms that ended
 * are kept for a while, because a room that the code has broken is closed before anybody can look at it.
 */
export function createRecordings(clock: Clock) {
  const all = new Set<Recording>()
  const ended = new Map<string, Ended>()
  const isOld = ({ endedAtMs }: Ended) => clock.elapsedMs() - endedAtMs >= ENDED_MS

  return {
    begin(): Recording {
      const [oldest] = all
      if (oldest && all.size >= ROOMS_MAX) {
        oldest.stop()
        all.delete(oldest)
      }
      const recording = new Recording()
      all.add(recording)
      return recording
    },

    /** `read` returns the `RoomRecording` as JSON text. */
    end(recording: Recording, room: { environmentId: string; roomId: string }, read: () => string) {
      all.delete(recording)
      if (!recording.isEmpty)
        ended.set(keyOf(room.environmentId, room.roomId), { text: read(), endedAtMs: clock.elapsedMs() })
      for (const [key, one] of ended) if (ended.size > ENDED_ROOMS_MAX || isOld(one)) ended.delete(key)
      recording.stop()
    },

    /** Of a room that has ended on this node. */
    ofEnded(environmentId: string, roomId: string): string | undefined {
      const found = ended.get(keyOf(environmentId, roomId))
      return found && !isOld(found) ? found.text : undefined
    },
  }
}

const keyOf = (environmentId: string, roomId: string) => `${environmentId} ${roomId}`
