import type { ChannelClosedReason, ChannelMember } from '@svc/contract/channels'

import type { ConnectionRef, ActorContext } from '../../platform/actors/actor.ts'
import { SendRateLimit } from './send-rate-limit.ts'

export type Joiner = {
  ref: ConnectionRef
  /** Null for an anonymous connection. */
  player: ChannelMember | null
}
export type Member = Joiner & { rate: SendRateLimit }

/** Who is in a channel. Anonymous members are counted, but nobody is told of them (CHN-08). */
export class ChannelMembers {
  readonly #context: ActorContext
  readonly #members = new Map<ConnectionRef, Member>()

  constructor(context: ActorContext) {
    this.#context = context
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
      this.#context.members.remove(former.ref)
    }
    if (!this.#members.has(ref)) this.#members.set(ref, { ref, player, rate: new SendRateLimit() })
    this.#context.members.add(ref)
    if (player && !former && !silently)
      this.#context.members.send({ t: 'channel_player_joined', channel: this.#channel, player }, ref)
  }

  /** Everybody hears of it, if the name is another one (ROM-06). */
  rename({ id, displayName }: ChannelMember) {
    const player = this.withPlayer(id)?.player
    if (!player || player.displayName === displayName) return
    player.displayName = displayName
    this.#context.members.send({
      t: 'channel_player_renamed',
      channel: this.#channel,
      playerId: id,
      displayName,
    })
  }

  /** The others hear of it. */
  remove(ref: ConnectionRef) {
    this.#context.members.remove(ref)
    this.memberDisconnected(ref)
  }

  /** Its connection is gone, so it is no member of the actor any more. */
  memberDisconnected(ref: ConnectionRef) {
    const player = this.#members.get(ref)?.player
    this.#members.delete(ref)
    if (player)
      this.#context.members.send({ t: 'channel_player_left', channel: this.#channel, playerId: player.id })
  }

  /** As all the others are at the same moment, who need not hear of it. */
  removeWithReason(ref: ConnectionRef, reason: ChannelClosedReason) {
    if (!this.#members.delete(ref)) return
    this.tellClosed(ref, reason)
    this.#context.members.remove(ref)
  }

  tellClosed(ref: ConnectionRef, reason: ChannelClosedReason) {
    this.#context.tell(ref, { t: 'channel_closed', channel: this.#channel, reason })
  }

  get #channel(): string {
    return this.#context.id.key
  }
}
