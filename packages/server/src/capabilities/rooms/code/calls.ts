import { ApiError } from '../../../platform/api-error.ts'
import type { CallsSnapshot } from '../room-protocol.ts'

/** Sends a reply that ends with this text to the connection that waits for it. */
type Reply = (end: string) => void
/** `end` is undefined until the code has answered. The reply may be sent later. */
type Call = { reply: Reply; end?: string; isSent: boolean }

/** As many calls of one player can be without an answer in the SDK. */
const CALLS_MAX = 64
/** Of all answers of one player together. */
const ANSWERS_LENGTH_MAX = 16 * 1024
const NOT_KEPT = new ApiError('room_error', {
  reason: 'The call was handled, but its answer is too large to be sent again.',
})

/**
 * The last calls of each player, by the number that the player has given them: a call whose answer was lost is sent again, and is answered
 * again without being made again.
 */
export class CodeCalls {
  readonly #calls = new Map<string, Map<number, Call>>()
  #hasChanged = false
  /** The answers that belong to the last snapshot of the code. */
  #captured: CallsSnapshot

  constructor(captured: CallsSnapshot) {
    this.#captured = captured
    this.rollBack()
  }

  /** Returns whether the call is new. The reply to a known one follows, or is sent now. */
  begin(playerId: string, call: number, reply: Reply): boolean {
    const calls = this.#of(playerId)
    const known = calls.get(call)
    if (!known) calls.set(call, { reply, isSent: false })
    else if (known.end !== undefined && known.isSent) reply(known.end)
    else known.reply = reply
    return !known
  }

  /** The code has answered. The result sends the reply, to the newest connection that has asked. */
  answered(playerId: string, call: number, end: string): () => void {
    const calls = this.#calls.get(playerId)
    const known = calls?.get(call)
    if (!calls || !known) return () => {}
    known.end = end
    this.#hasChanged = true
    removeOld(calls)
    return () => {
      known.isSent = true
      known.reply(end)
    }
  }

  /** The code has not got it, or has ended: the next call with this number is new. */
  refused(playerId: string, call: number, end: string) {
    const known = this.#calls.get(playerId)?.get(call)
    this.forget(playerId, call)
    known?.reply(end)
  }

  forget(playerId: string, call: number) {
    this.#calls.get(playerId)?.delete(call)
  }

  playerLeft(playerId: string) {
    if (this.#calls.delete(playerId)) this.#hasChanged = true
  }

  /** The code has made a snapshot. Returns whether there are other answers than at the last one. */
  capture(): boolean {
    if (!this.#hasChanged) return false
    this.#hasChanged = false
    this.#captured = [...this.#calls].map(([playerId, calls]) => [
      playerId,
      [...calls].flatMap(([call, { end }]) => (end === undefined ? [] : [[call, end] as const])),
    ])
    return true
  }

  get captured(): CallsSnapshot {
    return this.#captured
  }

  /** The code starts again from its last snapshot: what was answered later was not made. Calls that it has not got still wait. */
  rollBack() {
    for (const calls of this.#calls.values())
      for (const [call, { end }] of calls) if (end !== undefined) calls.delete(call)
    for (const [playerId, answers] of this.#captured)
      for (const [call, end] of answers) this.#of(playerId).set(call, { reply: () => {}, end, isSent: true })
    this.#hasChanged = false
  }

  #of(playerId: string): Map<number, Call> {
    const calls = this.#calls.get(playerId) ?? new Map<number, Call>()
    this.#calls.set(playerId, calls)
    return calls
  }
}

/** The part of a reply after its `rid`. */
export const endOf = (answer: string | ApiError): string =>
  answer instanceof ApiError
    ? `,"ok":false,${JSON.stringify(answer.body).slice(1)}`
    : `,"ok":true,"data":{"data":${answer}}}`

/** Of those that are answered, the oldest first. */
function removeOld(calls: Map<number, Call>) {
  let length = 0
  let count = 0
  for (const [call, known] of [...calls].toReversed()) {
    if (known.end === undefined) continue
    length += known.end.length
    if (++count > CALLS_MAX) calls.delete(call)
    else if (length > ANSWERS_LENGTH_MAX) known.end = endOf(NOT_KEPT)
  }
}
