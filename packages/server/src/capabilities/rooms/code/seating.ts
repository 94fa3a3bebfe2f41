import { type ActorContext, type ConnectionRef, DetachedAnswer } from '../../../platform/actors/actor.ts'
import { ApiError } from '../../../platform/api-error.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Created, FillResult, JoiningPlayer } from '../room-protocol.ts'
import type { Room } from '../room.ts'
import type { CodeJoins } from './joins.ts'
import type { Keeping } from './keeping.ts'
import type { CodeRunner } from './runner.ts'
import type { CodeViewers } from './viewers.ts'

type SeatingDeps = {
  clock: Clock
  room: Room
  runner: CodeRunner
  joins: CodeJoins
  viewers: CodeViewers
  keeping: Keeping | undefined
}

/** A room of a server without a player ends after this time. */
const EMPTY_MS = 5 * 60_000

/** How players get their seats in a room with code: the code admits them first, and shows them what they see. */
export class CodeSeating {
  #waitsForPlayers = false
  readonly #context: ActorContext
  readonly #clock: Clock
  readonly #room: Room
  readonly #runner: CodeRunner
  readonly #joins: CodeJoins
  readonly #viewers: CodeViewers
  readonly #keeping: Keeping | undefined

  constructor(context: ActorContext, deps: SeatingDeps) {
    this.#context = context
    this.#clock = deps.clock
    this.#room = deps.room
    this.#runner = deps.runner
    this.#joins = deps.joins
    this.#viewers = deps.viewers
    this.#keeping = deps.keeping
  }

  // The first players

  /** The room stays without a player until the first one has a seat. */
  waitForPlayers() {
    this.#waitsForPlayers = true
  }

  get staysEmpty(): boolean {
    return this.#waitsForPlayers || this.#joins.size > 0
  }

  /** Asks the code about each of the first players. Throws the refusal if nobody is admitted. */
  async open(joiningPlayers: readonly JoiningPlayer[]): Promise<Created> {
    if (joiningPlayers.length === 0) {
      if (this.#keeping) this.#keeping.check()
      else this.#context.after(EMPTY_MS, () => this.#endIfNobodyCame())
      return { view: '', refused: [] }
    }
    this.#waitsForPlayers = false
    const { views, refused } = await this.#admit(joiningPlayers, false)
    const [first] = joiningPlayers.filter(({ player }) => views.has(player.id))
    if (!first) throw [...refused.values()][0] ?? new ApiError('room_failed')
    return {
      view: this.#room.view(views.get(first.player.id)),
      refused: joiningPlayers.flatMap(({ ref, player }) => {
        const refusal = refused.get(player.id)
        return refusal ? { ref, details: refusal.details } : []
      }),
    }
  }

  #endIfNobodyCame() {
    this.#waitsForPlayers = false
    this.#room.endIfEmpty()
  }

  async #admit(players: readonly JoiningPlayer[], isAllOrNone: boolean) {
    const admitted = await this.#joins.admit(players, isAllOrNone)
    if (this.#room.size > 0) this.#waitsForPlayers = false
    for (const { player } of players) if (!this.#room.hasSeat(player.id)) this.#keeping?.freeSeat(player.id)
    if (admitted.views.size > 0) this.#keeping?.seatTaken()
    return admitted
  }

  // One player

  join(joiningPlayer: JoiningPlayer): DetachedAnswer<string> {
    const { ref, player } = joiningPlayer
    if (this.#room.hasSeat(player.id)) return this.resume(ref, player.id, player.displayName)
    this.#requireMayJoin(player.id)
    return new DetachedAnswer(this.#join(joiningPlayer))
  }

  #requireMayJoin(playerId: string) {
    if (this.#joins.has(playerId)) throw new ApiError('already_in_room')
    this.#room.requireFreeSeat()
  }

  async #join(joiningPlayer: JoiningPlayer): Promise<string> {
    const { id } = joiningPlayer.player
    if (this.#keeping) await this.#takeKeptSeat(this.#keeping, id)
    const { views, refused } = await this.#admit([joiningPlayer], true)
    const refusal = refused.get(id)
    if (refusal) throw refusal
    return this.#room.view(views.get(id))
  }

  /** Others may have joined in the meantime. */
  async #takeKeptSeat(keeping: Keeping, playerId: string) {
    await keeping.takeSeat(playerId, false)
    this.#context.assertStillOwner()
    try {
      this.#requireMayJoin(playerId)
    } catch (error) {
      if (!this.#room.hasSeat(playerId) && !this.#joins.has(playerId)) keeping.freeSeat(playerId)
      throw error
    }
  }

  /** The seat moves to the newer connection when the code has shown its view. */
  resume(ref: ConnectionRef, playerId: string, displayName: string | null): DetachedAnswer<string> {
    if (!this.#room.hasSeat(playerId)) throw new ApiError('room_not_found')
    const view = this.#viewers.add(playerId, { ref, displayName, askedAtMs: this.#clock.elapsedMs() })
    this.#runner.inbox.push({ kind: 'view', text: `["view","${playerId}"]`, playerId })
    this.#runner.wakeNow()
    return new DetachedAnswer(view)
  }

  // Players of quick match

  fill(joiningPlayers: readonly JoiningPlayer[]): DetachedAnswer<FillResult> {
    return new DetachedAnswer(this.#fill(joiningPlayers))
  }

  async #fill(joiningPlayers: readonly JoiningPlayer[]): Promise<FillResult> {
    const fresh = joiningPlayers.filter(({ player }) => !this.#room.hasSeat(player.id))
    const isJoining = fresh.some(({ player }) => this.#joins.has(player.id))
    if (isJoining || !this.#room.mayFill(joiningPlayers, fresh.length))
      return { isSeated: false, offer: this.#room.offer }
    if (this.#keeping) {
      for (const { player } of fresh) await this.#keeping.takeSeat(player.id, true)
      this.#context.assertStillOwner()
    }
    const admitted = fresh.length > 0 ? await this.#admit(fresh, true) : undefined
    if (admitted && admitted.views.size === 0) return { isSeated: false, offer: this.#room.offer }
    for (const { ref, player } of joiningPlayers)
      if (!fresh.some((each) => each.player.id === player.id))
        await this.resume(ref, player.id, player.displayName).promise
    return { isSeated: true, offer: this.#room.offer }
  }
}
