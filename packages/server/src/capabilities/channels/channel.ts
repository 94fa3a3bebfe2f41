import type { ChannelMember, ChannelView, Moderation } from '@svc/contract/channels'

import type { Actor, ConnectionRef, ActorContext } from '../../platform/actors/actor.ts'
import { ApiError, invalidField } from '../../platform/api-error.ts'
import { SECOND_MS, timestamp } from '../../platform/clock.ts'
import type { Timer } from '../../platform/timers.ts'
import { ChannelMembers, type Joiner } from './channel-members.ts'
import type {
  Alongside,
  MessageOf,
  ChannelSummary,
  ChannelMessage,
  ChannelNeeds,
  ChannelSnapshot,
  ServerActor,
  StoredChannel,
} from './channel-protocol.ts'
import {
  type ChannelState,
  hasSameVoice,
  newState,
  serialize,
  requireMayJoin,
  requireNotBanned,
  selfOf,
  sendRefusal,
  voiceOf,
  withChanges,
  applyServerWrite,
} from './channel-state.ts'
import { messageText } from './message-frame.ts'
import { applyTo, type ListChange, listChangeOf, OPERATIONS, requireListCapacity } from './moderation.ts'
import { isMadeName } from './names.ts'
import { auditDetailsOf, channelView, joinedEvent } from './views.ts'

/** So long members have to come back after a restart, the loss of a node, or of the last connection. */
const REJOIN_GRACE_MS = 10 * SECOND_MS
/** A name that names nothing is remembered for a moment: a crowd that asks for it costs one look into the database. */
const NEGATIVE_CACHE_MS = SECOND_MS

/** One channel: what it is, who is in it, and what they may do. Nothing of what is said is kept. */
export class Channel implements Actor<ChannelMessage, ChannelSnapshot> {
  readonly #context: ActorContext
  readonly #needs: ChannelNeeds
  readonly #members: ChannelMembers
  /** Undefined: there is no such channel, or not yet. */
  #state: ChannelState | undefined
  /** While members of the former owner come back, what they know of each other holds; then they get the list anew. */
  #rejoinPhase: 'over' | 'nobody yet' | 'silently'
  #ending: Timer | undefined

  constructor(
    context: ActorContext,
    needs: ChannelNeeds,
    { state, isFromSnapshot: isFromSnapshot }: { state: ChannelState | undefined; isFromSnapshot: boolean },
  ) {
    this.#context = context
    this.#needs = needs
    this.#members = new ChannelMembers(context)
    this.#state = state
    this.#rejoinPhase = isFromSnapshot && state ? 'nobody yet' : 'over'
    if (this.#rejoinPhase !== 'over') context.after(REJOIN_GRACE_MS, () => this.#endRejoinPhase())
    this.#endUnlessJoined(state ? REJOIN_GRACE_MS : NEGATIVE_CACHE_MS)
  }

  receive(message: ChannelMessage): unknown {
    switch (message.ask) {
      case 'join':
        return this.#join(message)
      case 'create':
        return this.#create(message)
      case 'leave':
        return this.#leave(message.ref)
      case 'dismiss':
        return this.#removeWithReason(message)
      case 'send':
        return this.#send(message)
      case 'sendAsServer':
        return this.#sendAsServer(message)
      case 'moderate':
        return this.#moderate(message)
      case 'write':
        return this.#write(message)
      case 'read':
        return channelView(this.name, this.#existing(), this.#members.players())
      case 'delete':
        return this.#delete(message)
      case 'forget':
        return this.#forget(message.playerId)
      case 'rename':
        this.#members.rename(message.player)
        return {}
    }
  }

  /** Lost, not left: the channel waits a little for its last member. */
  memberDisconnected(ref: ConnectionRef) {
    this.#members.memberDisconnected(ref)
    if (this.#members.size === 0) this.#endUnlessJoined(REJOIN_GRACE_MS)
  }

  snapshot(): ChannelSnapshot | undefined {
    if (!this.#state) return undefined
    if (!this.#state.isStored) return { state: serialize(this.#state) }
    return this.#members.size > 0 || this.#rejoinPhase !== 'over' ? { state: null } : undefined
  }

  /** For the developer's live view. */
  summary(): ChannelSummary | undefined {
    if (!this.#state || this.#members.size === 0) return undefined
    return { channel: this.name, members: this.#members.size, voice: voiceOf(this.#state.settings) }
  }

  /** Whether the player stands in what is kept of this channel. */
  mentions(playerId: string): boolean {
    if (!this.#state) return false
    const { owner, lists } = this.#state
    return owner === playerId || Object.values(lists).some((list) => list.has(playerId))
  }

  // Coming and going

  #create({ ref, player, changes }: MessageOf<'create'>): object {
    if (this.#state && !this.#waitsFor(player)) throw new ApiError('channel_exists')
    const fresh = newState(this.#now())
    this.#state = { ...fresh, owner: player.id, settings: withChanges(fresh.settings, changes) }
    this.#context.changed()
    return this.#join({ ref, player })
  }

  /** Its owner was the last one in it and may make it anew instead of coming back. */
  #waitsFor({ id }: ChannelMember): boolean {
    return this.#members.size === 0 && this.#state?.owner === id
  }

  #join({ ref, player, isRejoin: isRejoin = false }: Joiner & { isRejoin?: boolean }): object {
    const state = (this.#state ??= this.#madeByJoining(player))
    const id = player?.id ?? null
    const former = this.#members.find(ref) ?? this.#members.withPlayer(player?.id)
    // Whoever was in comes back in, whatever became of the rules; but not when banned, nor over the number of members.
    if (isRejoin) requireNotBanned(state.lists, id, this.#now())
    else if (former?.ref !== ref) requireMayJoin(state, id, this.#now())
    if (!former && this.#members.size >= state.settings.maxMembers) throw new ApiError('channel_full')

    const silently = isRejoin && this.#rejoinPhase !== 'over'
    this.#members.add({ ref, player }, former, { silently })
    if (this.#members.size === 1) this.#context.changed()
    if (silently) this.#rejoinPhase = 'silently'
    else this.#context.tell(ref, joinedEvent(this.name, state, this.#members.players(), id, this.#now()))
    return {}
  }

  /** CHN-03 */
  #madeByJoining(player: ChannelMember | null): ChannelState {
    if (isMadeName(this.name)) throw new ApiError('channel_not_found')
    if (!player) throw new ApiError('player_required')
    return newState(this.#now())
  }

  #leave(ref: ConnectionRef): object {
    if (!this.#members.find(ref)) return {}
    this.#members.remove(ref)
    this.#endIfLeft()
    return {}
  }

  #removeWithReason({ ref, reason }: MessageOf<'dismiss'>): object {
    this.#members.removeWithReason(ref, reason)
    this.#endIfLeft()
    return {}
  }

  #endIfLeft() {
    if (this.#members.size > 0) return
    if (this.#state?.isStored) this.#endUnlessJoined(REJOIN_GRACE_MS)
    else this.#context.end()
  }

  #endUnlessJoined(ms: number) {
    this.#ending?.cancel()
    this.#ending = this.#context.after(ms, () => {
      if (this.#members.size === 0) this.#context.end()
    })
  }

  #endRejoinPhase() {
    const state = this.#state
    if (state && this.#rejoinPhase === 'silently')
      for (const { ref, player } of this.#members)
        this.#context.tell(
          ref,
          joinedEvent(this.name, state, this.#members.players(), player?.id ?? null, this.#now()),
        )
    this.#rejoinPhase = 'over'
  }

  // Messages

  #send({ ref, type, data }: MessageOf<'send'>): object {
    const member = this.#members.find(ref)
    if (!this.#state || !member) throw new ApiError('not_in_channel')
    const now = this.#needs.clock.now()
    const refusal = sendRefusal(this.#state, member.player?.id ?? null, now.toISOString())
    if (refusal) throw refusal
    if (!member.rate.take(now.getTime())) throw new ApiError('rate_limited', { retryAfterSeconds: 1 })

    this.#context.members.sendText(messageText(this.name, member.player?.id ?? '', type, data, now.getTime()))
    return {}
  }

  #sendAsServer({ type, data }: MessageOf<'sendAsServer'>): { delivered: number } {
    this.#existing()
    this.#context.members.sendText(
      messageText(this.name, 'server', type, data, this.#needs.clock.now().getTime()),
    )
    return { delivered: this.#members.size }
  }

  // Moderation and settings

  #moderate({ by, moderation }: MessageOf<'moderate'>): object | Promise<object> {
    const state = 'server' in by ? this.#existing() : this.#ownedBy(by.playerId)
    if ('playerId' in by && moderation.playerId === by.playerId)
      throw invalidField('$.playerId', 'is the owner, who is not moderated')

    const change = listChangeOf(moderation, (seconds) => timestamp(this.#needs.clock, seconds * SECOND_MS))
    if (change) requireListCapacity(state.lists, change, this.#now())
    if ('server' in by) return this.#moderateAsServer(state, by.server, moderation, change)
    if (change) applyTo(state.lists, change)
    return this.#moderated(state, moderation)
  }

  async #moderateAsServer(
    state: ChannelState,
    server: ServerActor,
    moderation: Moderation,
    change: ListChange | undefined,
  ): Promise<object> {
    const { records } = this.#needs
    const { assertStillOwner: assertStillOwner } = this.#context
    const audited = this.#audited(server, 'channel.moderate', moderation)
    if (change && state.isStored)
      await records.changeList(this.#stored, change, this.#now(), assertStillOwner, audited)
    else await records.note(this.#stored, assertStillOwner, audited)
    // What is in the database is so, whoever owns the channel by now; but only its owner says it.
    if (change) applyTo(state.lists, change)
    assertStillOwner()
    return this.#moderated(state, moderation)
  }

  /** The entry of the audit log, in the transaction of the change (AUD-01). */
  #audited(
    server: ServerActor,
    action: 'channel.write' | 'channel.delete' | 'channel.moderate',
    details: Record<string, unknown>,
  ): Alongside {
    const entry = { ...server, action, target: this.name, details }
    return (transaction) => this.#needs.audit.record(transaction, entry)
  }

  #moderated(state: ChannelState, { op, playerId }: Moderation): object {
    this.#context.changed()
    const member = this.#members.withPlayer(playerId)
    if (!member) return {}

    const { closeReason: putsOut, notifiesPlayer: isTold } = OPERATIONS[op]
    if (isTold) this.#tellSelf(member, state)
    if (!putsOut || (putsOut === 'uninvited' && state.settings.join !== 'invited')) return {}
    this.#members.tellClosed(member.ref, putsOut)
    return this.#leave(member.ref)
  }

  /** CHN-17 */
  async #write({ server, changes }: MessageOf<'write'>): Promise<ChannelView> {
    const { records, isCallLive } = this.#needs
    const before = this.#state ?? newState(this.#now())
    const { state, lists } = applyServerWrite(before, changes)
    if (
      !hasSameVoice(before.settings, state.settings) &&
      isCallLive(this.#context.id.environmentId, this.name)
    )
      throw new ApiError('voice_in_use')

    const audited = this.#audited(server, 'channel.write', auditDetailsOf(changes))
    await records.write(this.#stored, { state, lists }, this.#context.assertStillOwner, audited)
    this.#state = state
    this.#context.assertStillOwner()
    this.#context.changed()
    this.#tellWhoIsAffected(before, state)
    if (this.#members.size === 0) this.#endUnlessJoined(REJOIN_GRACE_MS)
    return channelView(this.name, state, this.#members.players())
  }

  async #delete({ server }: MessageOf<'delete'>): Promise<{ deleted: true }> {
    const { records } = this.#needs
    const { assertStillOwner: assertStillOwner } = this.#context
    const audited = this.#audited(server, 'channel.delete', {})
    if (this.#existing().isStored) {
      await records.remove(this.#stored, assertStillOwner, audited)
    } else {
      await records.note(this.#stored, assertStillOwner, audited)
      assertStillOwner()
    }
    this.#context.members.send({ t: 'channel_closed', channel: this.name, reason: 'deleted' })
    this.#context.end()
    return { deleted: true }
  }

  #forget(playerId: string): object {
    if (!this.#state) return {}
    for (const list of Object.values(this.#state.lists)) list.delete(playerId)
    if (this.#state.owner === playerId) this.#state.owner = null
    this.#context.changed()
    return {}
  }

  #tellWhoIsAffected(before: ChannelState, state: ChannelState) {
    const canSend = (of: ChannelState, playerId: string) => selfOf(of, playerId, this.#now()).canSend
    for (const member of this.#members) {
      const { player } = member
      if (player && canSend(before, player.id) !== canSend(state, player.id)) this.#tellSelf(member, state)
    }
  }

  #tellSelf({ ref, player }: Joiner, state: ChannelState) {
    const self = selfOf(state, player?.id ?? null, this.#now())
    this.#context.tell(ref, { t: 'channel_self', channel: this.name, ...self })
  }

  // Looking

  get name(): string {
    return this.#context.id.key
  }

  /** How the database knows it. */
  get #stored(): StoredChannel {
    return { environmentId: this.#context.id.environmentId, name: this.name }
  }

  #now(): string {
    return timestamp(this.#needs.clock)
  }

  #existing(): ChannelState {
    if (!this.#state) throw new ApiError('channel_not_found')
    return this.#state
  }

  #ownedBy(playerId: string | null): ChannelState {
    if (playerId === null || this.#state?.owner !== playerId) throw new ApiError('owner_only')
    return this.#state
  }
}
