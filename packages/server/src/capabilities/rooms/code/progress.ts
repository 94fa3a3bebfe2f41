import type { CodeSnapshot, RoomInfo } from '../room-protocol.ts'
import { type CodePlayer, openingEvent, startText } from './opening.ts'
import type { LiveCode } from './port.ts'

/** What the code of a room needs to know of it when it starts. */
export type RoomForCode = {
  info: RoomInfo
  playersForCode(roster: ReadonlySet<string>): CodePlayer[]
}

/** How far the code of a room has come: its version, its last snapshot, its tick and the players that it knows. */
export class CodeProgress {
  readonly #room: RoomForCode
  readonly #code: CodeSnapshot
  /** The number of the last tick that was sent. */
  #tick: number
  #known: Set<string>

  constructor(room: RoomForCode, code: CodeSnapshot) {
    this.#room = room
    this.#code = code
    this.#tick = code.tick
    this.#known = new Set(code.roster)
  }

  /** As of the last snapshot. */
  get code(): Readonly<CodeSnapshot> {
    return this.#code
  }

  get tick(): number {
    return this.#tick
  }

  nextTick(): number {
    return ++this.#tick
  }

  /** What players learn of it. */
  get server() {
    return { tickRate: this.#code.tickRate, tick: this.#tick }
  }

  /** The size of the last snapshot. */
  get stateBytes(): number {
    return this.#code.snapshot?.length ?? 0
  }

  /** The players that the code knows. */
  get known(): ReadonlySet<string> {
    return this.#known
  }

  playerKnown(playerId: string) {
    this.#known.add(playerId)
  }

  playerLeft(playerId: string) {
    this.#known.delete(playerId)
  }

  /** The first event in another process: the code knows the players of its last snapshot. */
  begin(): string {
    this.#known = new Set(this.#code.roster)
    return openingEvent(this.#code, this.#room.info, this.#players)
  }

  opened(tickRate: number) {
    this.#code.tickRate = tickRate
  }

  snapped(snapshot: string) {
    Object.assign(this.#code, { snapshot, roster: [...this.#known], tick: this.#tick })
  }

  continueIn({ versionId, version, tickRate }: LiveCode) {
    Object.assign(this.#code, { versionId, version, tickRate })
  }

  /** What a recording starts from. */
  startText(snapshot: string): string {
    return startText(snapshot, this.#code, this.#room.info, this.#players)
  }

  get #players(): CodePlayer[] {
    return this.#room.playersForCode(this.#known)
  }
}
