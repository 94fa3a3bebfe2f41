import { Readable } from 'node:stream'

import type { Role } from '@svc/contract/common/roles'
import type { EventHint } from '@svc/contract/events'

/** What may wait for a client that reads slowly. */
const WAITING_BYTES_MAX = 64 * 1024

/** The response to one client, as server-sent events. */
export class EventStream {
  readonly sessionHash: string
  readonly token: string
  /** At the time when the stream was opened. */
  readonly role: Role
  readonly body = new Readable({ read() {} })

  constructor(token: string, sessionHash: string, role: Role) {
    this.token = token
    this.sessionHash = sessionHash
    this.role = role
    // The client learns that the stream is open.
    this.body.push(': open\n\n')
  }

  /** Viewers see nothing about players, and an id may be a player's (TEA-06). */
  send(hints: readonly EventHint[]) {
    const shown = this.role === 'viewer' ? hints.map(({ topic }) => ({ topic })) : hints
    this.#push(shown.map((hint) => `data: ${JSON.stringify(hint)}\n\n`).join(''))
  }

  /** Cuts a client that has not even read what was sent before. */
  beat() {
    if (this.body.readableLength > 0) this.body.destroy()
    else this.#push(': beat\n\n')
  }

  end() {
    if (!this.body.destroyed && !this.body.readableEnded) this.body.push(null)
  }

  #push(text: string) {
    if (text === '' || this.body.destroyed) return
    this.body.push(text)
    if (this.body.readableLength > WAITING_BYTES_MAX) this.body.destroy()
  }
}
