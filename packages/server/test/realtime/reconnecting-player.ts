import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

import { connect, type Received } from '../../src/testing/sockets.ts'
import type { SignedIn } from './game-server.ts'
import { foldRoom } from './room-seen.ts'

type Socket = Awaited<ReturnType<typeof connect>>
type Address = { port: number }

const PATIENCE_MS = 20_000
const RETRY_MS = 100
/** What a client may meet while nodes come and go, and asks again after. */
const PASSING = ['service_unavailable']

/** A client as a good one is written: it comes back when its connection is lost, and asks again what could not be answered. */
export class PersistentPlayer {
  readonly id: string
  /** Everything it was told, over all its connections. */
  readonly told: Received[] = []
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

  async connect(to: Address) {
    await this.#patiently('a welcome', async () => {
      const socket = await connect(to, this.#key, this.#session)
      this.told.push(...socket.received)
      socket.socket.addEventListener('message', ({ data }) =>
        this.told.push(JSON.parse(String(data)) as Received),
      )
      this.#socket = socket
      return true
    })
  }

  /** The answer's data, or the code of its refusal. */
  async ask(frame: { t: string; [field: string]: unknown }): Promise<Received | string> {
    return this.#patiently(`an answer to ${JSON.stringify(frame)}`, async () => {
      const answer = (await this.socket.request(frame).catch(codeOf)) as Received | string
      return typeof answer === 'string' && PASSING.includes(answer) ? undefined : answer
    })
  }

  /** Of what must not be refused. */
  async must(frame: { t: string; [field: string]: unknown }): Promise<Received> {
    const answer = await this.ask(frame)
    if (typeof answer !== 'string') return answer
    return assert.fail(`${JSON.stringify(frame)} was refused: ${answer}`)
  }

  /** Under a new name whenever it is tried again: nobody can know whether one that was not acknowledged was sent. */
  async say(frameOf: (data: string) => { t: string; [field: string]: unknown }): Promise<string> {
    return this.#patiently('somebody to talk to', async () => {
      const data = `${this.id} ${++this.#count}`
      const answer = (await this.socket.request(frameOf(data)).catch(codeOf)) as Received | string
      if (typeof answer !== 'string') return data
      return PASSING.includes(answer) ? undefined : assert.fail(`${JSON.stringify(frameOf(data))}: ${answer}`)
    })
  }

  /** What it believes the room's state to be. */
  roomState = () => foldRoom(this.told).state

  /** All that was sent to it before has arrived. */
  settled = () => this.socket.settled()
  close = () => this.#socket?.close()

  async #patiently<T>(what: string, attempt: () => Promise<T | undefined>): Promise<T> {
    const deadline = performance.now() + PATIENCE_MS
    let last: unknown
    while (performance.now() < deadline) {
      const found = await attempt().catch((error: unknown) => {
        if (!isPassing(error)) throw error
        last = error
      })
      if (found !== undefined) return found
      await pause(RETRY_MS)
    }
    return assert.fail(`${this.id} waited in vain for ${what}: ${String(last)}`)
  }
}

const codeOf = (error: Error): string => {
  const code = /"code":"(\w+)"/.exec(error.message)?.[1]
  if (code === undefined) throw error
  return code
}

/** Nobody there, or somebody who cannot say yet whether we may come in. */
const isPassing = (error: unknown) =>
  error instanceof Error && /there was no connection|before welcome came/.test(error.message)
