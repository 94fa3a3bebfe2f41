import { Readable } from 'node:stream'

import type { EventHint } from '@svc/contract/events'

/** What may wait for a client that reads slowly. */
const WAITING_BYTES_MAX = 64 * 1024

/** The response to one client, as server-sent events. */
export class EventStream {
  readonly sessionHash: string
  readonly token: string
  readonly body = new Readable({ read() {} })

  constructor(token: string, sessionHash: string) {
    this.token = token
    this.sessionHash = sessionHash
    // The client learns that the stream is open.
    this.body.push(': open\n\n')
  }

  send(hints: readonly EventHint[]) {
    this.#push(hints.map((hint) => `data: ${JSON.stringify(hint)}\n\n`).join(''))
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
