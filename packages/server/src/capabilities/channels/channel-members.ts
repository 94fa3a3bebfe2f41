import type { ChannelClosedReason, ChannelMember } from '@svc/contract/channels'

import type { ConnectionRef, Stage } from '../../platform/actors/actor.ts'
import { SendRate } from './send-rate-limit.ts'

export type Joiner = {
  ref: ConnectionRef
  /** Null for an anonymous connection. */
  player: ChannelMember | null
}
export type Member = Joiner & { rate: SendRate }

/** Who is in a channel. Anonymous members are counted, but nobody is told of them (CHN-08). */
export class Crowd {
  readonly #stage: Stage
  readonly #members = new Map<ConnectionRef, Member>()

  constructor(stage: Stage) {
    this.#stage = stage
  }

  get size(): number {
    return this.#members.size
  }

  [Symbol.iterator](): Iterator<Member> {
    return this.#members.values()
  }

  find(ref: ConnectionRef): Member | undefined {
    return this.#members.get(ref)
  }

  withPlayer(playerId: string | undefined): Member | undefined {
    if (playerId === undefined) return undefined
    return this.#members.values().find(({ player }) => player?.id === playerId)
  }

  players(): ChannelMember[] {
    return [...this.#members.values()].flatMap(({ player }) => player ?? [])
  }

  /** In place of `former`, which may be the same connection once more. The others hear of it unless it is `silently`. */
  add({ ref, player }: Joiner, former: Member | undefined, { silently }: { silently: boolean }) {
    if (player && former && !silently) this.rename(player)
    if (former && former.ref !== ref) {
      this.#members.delete(former.ref)
      this.#stage.members.remove(former.ref)
    }
    if (!this.#members.has(ref)) this.#members.set(ref, { ref, player, rate: new SendRate() })
    this.#stage.members.add(ref)
    if (player && !former && !silently)
      this.#stage.members.send({ t: 'channel_player_joined', channel: this.#channel, player }, ref)
  }

  /** Everybody hears of it, if the name is another one (ROM-06). */
  rename({ id, displayName }: ChannelMember) {
    const player = this.withPlayer(id)?.player
    if (!player || player.displayName === displayName) return
    player.displayName = displayName
    this.#stage.members.send({
      t: 'channel_player_renamed',
      channel: this.#channel,
      playerId: id,
      displayName,
    })
  }

  /** The others hear of it. */
  remove(ref: ConnectionRef) {
    this.#stage.members.remove(ref)
    this.lost(ref)
  }

  /** Its connection is gone, so it is no member of the actor any more. */
  lost(ref: ConnectionRef) {
    const player = this.#members.get(ref)?.player
    this.#members.delete(ref)
    if (player)
      this.#stage.members.send({ t: 'channel_player_left', channel: this.#channel, playerId: player.id })
  }

  /** As all the others are at the same moment, who need not hear of it. */
  dismiss(ref: ConnectionRef, reason: ChannelClosedReason) {
    if (!this.#members.delete(ref)) return
    this.tellClosed(ref, reason)
    this.#stage.members.remove(ref)
  }

  tellClosed(ref: ConnectionRef, reason: ChannelClosedReason) {
    this.#stage.tell(ref, { t: 'channel_closed', channel: this.#channel, reason })
  }

  get #channel(): string {
    return this.#stage.id.key
  }
}
