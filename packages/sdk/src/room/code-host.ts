import type { Submitted } from '../data/stats.ts'
import { Answer, jsonOf } from './answer.ts'
import { bytesOf, isArray, isFinite, parse, shortened, stringify } from './intrinsics.ts'
import { reportStats } from './report.ts'
import { REASON_LENGTH_MAX } from './results.ts'
import type { RoomHost, RoomInfo, RoomPlayer } from './room-host.ts'
import { idOf, Seats } from './seats.ts'
import type { SeededRandom } from './seeded-random.ts'
import { TrackedState } from './state-diff.ts'

/** The largest shared state of a room, as JSON. */
export const STATE_BYTES_MAX = 64 * 1024
/** The largest metadata of a room, as JSON. */
export const METADATA_BYTES_MAX = 4 * 1024
/** The longest type of a message. */
export const TYPE_LENGTH_MAX = 64

type Receivers = RoomPlayer | string | readonly (RoomPlayer | string)[]

/** What the object of a room class calls: notes what the code does until the turn is answered. */
export class CodeHost implements RoomHost {
  readonly info: RoomInfo
  readonly env: unknown
  readonly seats = new Seats()
  readonly state: TrackedState
  readonly answer = new Answer()
  /** Called when there is something to send. */
  readonly #changed: () => void
  readonly #random: SeededRandom
  now: number
  tick = 0
  wakesAt: number | null = null
  #hasEnded = false

  constructor(options: {
    info: RoomInfo
    env: unknown
    still: readonly string[]
    random: SeededRandom
    now: number
    changed: () => void
  }) {
    this.info = { ...options.info }
    this.env = options.env
    this.state = new TrackedState('state', STATE_BYTES_MAX, options.still)
    this.#random = options.random
    this.now = options.now
    this.#changed = options.changed
  }

  get players(): readonly RoomPlayer[] {
    return this.seats.players
  }
  get randomText(): string {
    return this.#random.text()
  }

  own(player: RoomPlayer | string): object {
    return this.seats.own(player)
  }
  touch(key: string) {
    this.state.touch(key)
    this.#changed()
  }
  random(): number {
    return this.#random.next()
  }

  send(type: string, data: unknown, to?: Receivers) {
    if (typeof type !== 'string' || type === '' || type.length > TYPE_LENGTH_MAX)
      throw new TypeError(`The type of a message is a text of 1 to ${TYPE_LENGTH_MAX} characters.`)
    this.#send(
      'msg',
      to === undefined ? '"*"' : idsOf(to),
      `{"type":${stringify(type)},"data":${jsonOf(data)}}`,
    )
  }
  kick(player: RoomPlayer | string, reason?: string) {
    const text = reason === undefined ? 'null' : stringify(shortened(`${reason}`, REASON_LENGTH_MAX))
    this.#send('kick', stringify(idOf(player)), text)
  }
  lock(isLocked: boolean) {
    this.#send('lock', '""', isLocked ? 'true' : 'false')
  }
  setMetadata(metadata: unknown) {
    const text = jsonOf(metadata)
    const bytes = bytesOf(text)
    if (bytes > METADATA_BYTES_MAX)
      throw new Error(`The metadata has ${bytes} bytes as JSON, the maximum is ${METADATA_BYTES_MAX}.`)
    this.#send('meta', '""', text)
    // A copy, which later changes of the code's object do not reach.
    this.info.metadata = parse(text)
  }
  wakeAt(at: number | Date | null) {
    const atMs = at === null ? null : Math.ceil(Number(at))
    if (atMs !== null && !isFinite(atMs))
      throw new TypeError('wakeAt takes a time in Unix milliseconds, a Date or null.')
    this.wakesAt = atMs
    this.#send('wake', '""', `${atMs}`)
  }
  async report(player: RoomPlayer | string, stats: Record<string, number>): Promise<Submitted> {
    return reportStats(this.env, idOf(player), stats)
  }
  end(result: unknown) {
    // The service closes the room a little later; a tick may come first.
    if (this.#hasEnded) return
    this.#send('end', '""', jsonOf(result))
    this.#hasEnded = true
  }

  /** After `end` nothing of the room is sent but replies. */
  #send(kind: string, target: string, payload: string) {
    if (this.#hasEnded) return
    this.answer.addSent(kind, target, payload)
    this.#changed()
  }
}

function idsOf(to: Receivers): string {
  if (!isArray(to)) return `[${stringify(idOf(to as RoomPlayer | string))}]`
  let text = ''
  for (let at = 0; at < to.length; at++) text += `${at === 0 ? '' : ','}${stringify(idOf(to[at] ?? ''))}`
  return `[${text}]`
}
