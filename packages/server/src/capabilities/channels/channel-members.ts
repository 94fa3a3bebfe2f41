import type { ChannelClosedReason, ChannelMember } from '@svc/contract/realtime/channels'

import type { ConnectionRef, ActorContext } from '../../platform/actors/actor.ts'
import { SendRateLimit } from './send-rate-limit.ts'

export type Joiner = {
  ref: ConnectionRef
  /** Null for an anonymous connection. */
  player: ChannelMember | null
}
export type Member = Joiner & { rate: SendRateLimit }

/** The members of a channel. Anonymous members are counted, but not announced (CHN-08). */
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

  /** Replaces `former`, which may be the same connection. With `announce` the other members get an event. */
  add({ ref, player }: Joiner, former: Member | undefined, { announce }: { announce: boolean }) {
    if (player && former && announce) this.rename(player)
    if (former && former.ref !== ref) {
      this.#members.delete(former.ref)
      this.#context.members.remove(former.ref)
    }
    if (!this.#members.has(ref)) this.#members.set(ref, { ref, player, rate: new SendRateLimit() })
    this.#context.members.add(ref)
    if (player && !former && announce)
      this.#context.members.send({ t: 'channel_player_joined', channel: this.#channel, player }, ref)
  }

  /** Notifies all members if the name differs (ROM-06). */
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

  /** Notifies the other members. */
  remove(ref: ConnectionRef) {
    this.#context.members.remove(ref)
    this.memberDisconnected(ref)
  }

  /** The connection is closed, and the actor has already removed the member. */
  memberDisconnected(ref: ConnectionRef) {
    const player = this.#members.get(ref)?.player
    this.#members.delete(ref)
    if (player)
      this.#context.members.send({ t: 'channel_player_left', channel: this.#channel, playerId: player.id })
  }

  /** Notifies only the removed member, because all members are being removed. */
  removeWithReason(ref: ConnectionRef, reason: ChannelClosedReason) {
    if (!this.#members.delete(ref)) return
    this.sendClosed(ref, reason)
    this.#context.members.remove(ref)
  }

  sendClosed(ref: ConnectionRef, reason: ChannelClosedReason) {
    this.#context.sendEvent(ref, { t: 'channel_closed', channel: this.#channel, reason })
  }

  get #channel(): string {
    return this.#context.id.key
  }
}
