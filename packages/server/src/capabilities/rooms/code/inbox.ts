import { LIMITS } from '@svc/contract/common/limits'

import { ApiError } from '../../../platform/api-error.ts'

/**
 * An event that waits for the next turn, as JSON text. `message`: of a player or a server; the others follow from who has a seat, and are
 * made again after a restart. `playerId` or `ask`: whom or which question it is about.
 */
export type Waiting = {
  kind: 'message' | 'join' | 'leave' | 'view' | 'presence'
  text: string
  playerId?: string | undefined
  ask?: number | undefined
}

/** What has come in for the code of a room since its last turn, in order. Messages are limited. */
export class Inbox {
  #waiting: Waiting[] = []
  #messages = 0
  #bytes = 0

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  get messages(): readonly Waiting[] {
    return this.#waiting.filter(({ kind }) => kind === 'message')
  }

  push(waiting: Waiting) {
    this.#waiting.push(waiting)
  }

  /** Throws `room_busy` if too much waits already. */
  pushMessage(text: string, of: Pick<Waiting, 'playerId' | 'ask'>) {
    const bytes = Buffer.byteLength(text)
    if (this.#messages >= LIMITS.roomWaitingInputsMax || this.#bytes + bytes > LIMITS.roomWaitingBytesMax)
      throw new ApiError('room_busy')
    this.#messages++
    this.#bytes += bytes
    this.#waiting.push({ kind: 'message', text, playerId: of.playerId, ask: of.ask })
  }

  take(): readonly Waiting[] {
    const waiting = this.#waiting
    if (waiting.length === 0) return waiting
    this.#waiting = []
    this.#messages = 0
    this.#bytes = 0
    return waiting
  }

  /** Before the code is restored: only messages are kept. */
  keepMessages() {
    this.#waiting = [...this.messages]
  }
}
