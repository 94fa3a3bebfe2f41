import { LIMITS } from '@svc/contract/common/limits'

import { ApiError, invalidField } from '../../../platform/api-error.ts'
import { SECOND_MS } from '../../../platform/clock.ts'
import { BrokenAnswerError, parsed, parsedObject } from './answers.ts'

/** Gets the result of a handler as JSON text, or why there is none. `isOfCode`: the handler has ended. */
export type OnAnswer = (answer: string | ApiError, isOfCode: boolean) => void

type Ask = { answer: OnAnswer; askedAtMs: number; isHanded: boolean }

/** The process itself gives up a promise earlier. */
const TIMEOUT_MS = LIMITS.roomPromiseTimeoutMs + 5 * SECOND_MS

/** Questions to the code of a room that are not answered yet. */
export class CodeAsks {
  readonly #asks = new Map<number, Ask>()
  #count = 0

  get size(): number {
    return this.#asks.size
  }

  /** Throws `room_busy` if too many are not answered. */
  add(answer: OnAnswer, askedAtMs: number): number {
    if (this.#asks.size >= LIMITS.roomWaitingInputsMax) throw new ApiError('room_busy')
    this.#asks.set(++this.#count, { answer, askedAtMs, isHanded: false })
    return this.#count
  }

  remove(id: number) {
    this.#asks.delete(id)
  }

  handed(id: number) {
    const ask = this.#asks.get(id)
    if (ask) ask.isHanded = true
  }

  /** A late answer is ignored: its question may have timed out. */
  replied(id: unknown, payload: string) {
    const text = payload === '' ? 'null' : payload
    parsed(text)
    this.#settle(id, text)
  }

  refused(id: unknown, payload: string) {
    this.#settle(id, handlerError(payload))
  }

  #settle(id: unknown, answer: string | ApiError) {
    if (typeof id !== 'number' || id < 1 || id > this.#count)
      throw new BrokenAnswerError('an answer to a question that nobody has asked')
    const ask = this.#asks.get(id)
    this.#asks.delete(id)
    ask?.answer(answer, true)
  }

  expire(nowMs: number) {
    for (const [id, { answer, askedAtMs }] of this.#asks) {
      if (nowMs - askedAtMs < TIMEOUT_MS) return
      this.#asks.delete(id)
      answer(new ApiError('room_error'), false)
    }
  }

  /** Those that the code has got will not be answered. */
  refuseHanded(refusal: ApiError) {
    for (const [id, { answer, isHanded }] of this.#asks) {
      if (!isHanded) continue
      this.#asks.delete(id)
      answer(refusal, false)
    }
  }

  refuseAll(refusal: ApiError) {
    const asks = [...this.#asks.values()]
    this.#asks.clear()
    for (const { answer } of asks) answer(refusal, false)
  }
}

/** Why a message of a player was not handled. */
export function handlerError(payload: string): ApiError {
  const { code, reason } = parsedObject(payload)
  if (code === 'invalid_request') return unknownType()
  return new ApiError('room_error', typeof reason === 'string' ? { reason } : undefined)
}

export const unknownType = () => invalidField('$.type', 'must be a key of `messages` of the room')
