import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

import { connect, type Received } from '../../src/testing/sockets.ts'
import type { SignedIn } from './game-server.ts'
import { replayRoom } from './room-replay.ts'

type Socket = Awaited<ReturnType<typeof connect>>
type Address = { port: number }

const TIMEOUT_MS = 20_000
const RETRY_MS = 100
/** Transient errors while nodes start and stop; the client retries after them. */
const TRANSIENT = ['service_unavailable']

/** A well-written client: it reconnects after a lost connection, and retries requests that failed transiently. */
export class ReconnectingPlayer {
  readonly id: string
  /** All frames received, on all its connections. */
  readonly receivedEvents: Received[] = []
  readonly #key: { publishableKey: string }
  readonly #session: SignedIn
  #socket: Socket | undefined
  #count = 0

  constructor(key: { publishableKey: string }, session: SignedIn) {
    this.#key = key
    this.#session = session
    this.id = session.id
  }

  get socket(): Socket {
    assert.ok(this.#socket)
    return this.#socket
  }

  get isConnected(): boolean {
    return this.socket.socket.readyState === WebSocket.OPEN
  }

  async connect(to: Address, headers: Record<string, string> = {}) {
    await this.#withRetries('a welcome', async () => {
      const socket = await connect(to, this.#key, this.#session, headers)
      this.receivedEvents.push(...socket.received)
      socket.socket.addEventListener('message', ({ data }) =>
        this.receivedEvents.push(JSON.parse(String(data)) as Received),
      )
      this.#socket = socket
      return true
    })
  }

  /** Returns the data of the reply, or its error code. */
  async ask(frame: { t: string; [field: string]: unknown }): Promise<Received | string> {
    return this.#withRetries(`an answer to ${JSON.stringify(frame)}`, async () => {
      const answer = (await this.socket.request(frame).catch(codeOf)) as Received | string
      return typeof answer === 'string' && TRANSIENT.includes(answer) ? undefined : answer
    })
  }

  /** Like `ask`, but fails on an error reply. */
  async must(frame: { t: string; [field: string]: unknown }): Promise<Received> {
    const answer = await this.ask(frame)
    if (typeof answer !== 'string') return answer
    return assert.fail(`${JSON.stringify(frame)} was refused: ${answer}`)
  }

  /** Uses new data for every attempt, because an unacknowledged message may have been sent. */
  async sendUnique(frameOf: (data: string) => { t: string; [field: string]: unknown }): Promise<string> {
    return this.#withRetries('an acknowledged message', async () => {
      const data = `${this.id} ${++this.#count}`
      const answer = (await this.socket.request(frameOf(data)).catch(codeOf)) as Received | string
      if (typeof answer !== 'string') return data
      return TRANSIENT.includes(answer)
        ? undefined
        : assert.fail(`${JSON.stringify(frameOf(data))}: ${answer}`)
    })
  }

  /** The state of the room according to the received frames. */
  roomState = () => replayRoom(this.receivedEvents).state

  /** Resolves when all frames sent to it before have arrived. */
  drained = () => this.socket.settled()
  close = () => this.#socket?.close()

  async #withRetries<T>(what: string, attempt: () => Promise<T | undefined>): Promise<T> {
    const deadline = performance.now() + TIMEOUT_MS
    let last: unknown
    while (performance.now() < deadline) {
      const found = await attempt().catch((error: unknown) => {
        if (!isTransient(error)) throw error
        last = error
      })
      if (found !== undefined) return found
      await pause(RETRY_MS)
    }
    return assert.fail(`${this.id} timed out waiting for ${what}: ${String(last)}`)
  }
}

const codeOf = (error: Error): string => {
  const code = /"code":"(\w+)"/.exec(error.message)?.[1]
  if (code === undefined) throw error
  return code
}

/** The node is down, or cannot authenticate yet. */
const isTransient = (error: unknown) =>
  error instanceof Error && /there was no connection|before welcome came/.test(error.message)
