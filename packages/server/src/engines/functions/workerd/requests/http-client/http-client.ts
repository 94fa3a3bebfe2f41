import { AsyncLocalStorage } from 'node:async_hooks'

import { Connection } from './connection.ts'
import { type ClientRequest, requestHead, type ResponseEvents } from './messages.ts'

/**
 * Sends requests to a socket of one process. Not with `node:http`: its client needs twice the CPU time, and the code that it shares with
 * the server becomes slower for every other request of the service (decision 0041).
 */
export class HttpClient {
  readonly #path: string
  readonly #unusedMs: number
  readonly #all = new Set<Connection>()
  readonly #unused: Connection[] = []
  /** Connections belong to the process, not to the request that opens them (`platform/error-source.ts`). */
  readonly #asOpened = AsyncLocalStorage.snapshot()

  /** A connection that was not used for `unusedMs` is not used again: the process may be closing it. */
  constructor(path: string, unusedMs: number) {
    this.#path = path
    this.#unusedMs = unusedMs
  }

  /**
   * Sends a request on an unused connection, or on a new one. Throws if its path or a header is not valid. The function it returns cancels
   * the request; it returns false if request and response are complete, because then the connection may have another request.
   */
  send(request: ClientRequest, events: ResponseEvents): () => boolean {
    const head = requestHead(request)
    const connection = this.#take()
    connection.begin(request, head, events)
    return () => connection.cancel(events)
  }

  /** Called from time to time. */
  closeUnused() {
    const since = performance.now() - this.#unusedMs
    for (const connection of this.#unused) {
      // The one that was used last is the last one.
      if (connection.unusedSince >= since) return
      connection.destroy()
    }
  }

  /** Closes all connections: requests in progress fail. */
  close() {
    for (const connection of this.#all) connection.destroy()
  }

  #take(): Connection {
    this.closeUnused()
    let connection = this.#unused.pop()
    while (connection && !connection.isOpen) connection = this.#unused.pop()
    return connection ?? this.#asOpened(() => this.#connect())
  }

  #connect(): Connection {
    const connection = new Connection(
      this.#path,
      () => this.#unused.push(connection),
      () => {
        this.#all.delete(connection)
        const index = this.#unused.indexOf(connection)
        if (index !== -1) this.#unused.splice(index, 1)
      },
    )
    this.#all.add(connection)
    return connection
  }
}
