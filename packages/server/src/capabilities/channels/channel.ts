import type { ChannelMember, ChannelView, Moderation } from '@svc/contract/realtime/channels'

import {
  type Actor,
  type ActorContext,
  ActorMovedError,
  type ConnectionRef,
  DetachedAnswer,
} from '../../platform/actors/actor.ts'
import { ApiError, invalidField } from '../../platform/api-error.ts'
import { SECOND_MS, timestamp } from '../../platform/clock.ts'
import type { ChannelCall } from '../../platform/ports/channel-call.ts'
import { MessageRate } from '../../platform/time/message-rate.ts'
import type { Timer } from '../../platform/time/timers.ts'
import { ChannelMembers, type Joiner } from './channel-members.ts'
import type {
  ChannelSummary,
  MessageFields,
  ChannelDeps,
  ChannelSnapshot,
  ServerActor,
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
import { createChannelWrites } from './channel-writes.ts'
import { messageText } from './message-frame.ts'
import { applyTo, type ListChange, listChangeOf, OPERATIONS, requireListCapacity } from './moderation.ts'
import { isMadeName } from './names.ts'
import { channelView, joinedEvent } from './views.ts'

/** How long members may rejoin after a restart, a node failure, or the loss of the last connection. */
const REJOIN_GRACE_MS = 10 * SECOND_MS
/** The others do not hear of a connection that is lost and back within this time. */
const SEAT_GRACE_MS = 5 * SECOND_MS
/** Negative cache: many requests for an unknown channel cost one database read. */
const NEGATIVE_CACHE_MS = SECOND_MS

/** One channel: its settings, its members, and what they may do. It stores no messages. */
export class Channel implements Actor<ChannelSnapshot> {
  readonly #context: ActorContext
  readonly #deps: ChannelDeps
  readonly #members: ChannelMembers
  readonly #writes: ReturnType<typeof createChannelWrites>
  readonly #rate: MessageRate
  /** Undefined if the channel does not exist, or not yet. */
  #state: ChannelState | undefined
  /** While members rejoin after a takeover, joins are not announced; afterwards everyone gets a fresh member list. */
  #rejoinPhase: 'waiting' | 'rejoining' | 'done'
  #ending: Timer | undefined
  /** Created by the first request for it. */
  #call: ChannelCall | undefined

  constructor(
    context: ActorContext,
    deps: ChannelDeps,
    { state, isFromSnapshot }: { state: ChannelState | undefined; isFromSnapshot: boolean },
  ) {
    this.#context = context
    this.#deps = deps
    this.#rate = new MessageRate(deps.clock.elapsedMs())
    this.#members = new ChannelMembers(context)
    this.#writes = createChannelWrites(context, deps)
    this.#state = state
    this.#rejoinPhase = isFromSnapshot && state ? 'waiting' : 'done'
    if (this.#rejoinPhase !== 'done') context.after(REJOIN_GRACE_MS, () => this.#endRejoinPhase())
    this.#endUnlessJoined(state ? REJOIN_GRACE_MS : NEGATIVE_CACHE_MS)
  }

  /** CHN-26: the seat of a lost connection waits for its player. */
  memberDisconnected(ref: ConnectionRef, wasLost: boolean) {
    this.#call?.memberLeft(ref)
    const isSeatKept = wasLost && this.#members.find(ref)?.player
    if (isSeatKept) this.#context.after(SEAT_GRACE_MS, () => this.#memberLost(ref, SEAT_GRACE_MS))
    else this.#memberLost(ref)
  }

  /** The member did not leave, so after the last disconnect the channel waits before it ends. */
  #memberLost(ref: ConnectionRef, sinceMs = 0) {
    if (!this.#members.find(ref)) return
    this.#members.memberDisconnected(ref)
    if (this.#members.size === 0) this.#endUnlessJoined(REJOIN_GRACE_MS - sinceMs)
  }

  snapshot(): ChannelSnapshot | undefined {
    if (!this.#state) return undefined
    if (!this.#state.isStored) return { state: serialize(this.#state) }
    return this.#members.size > 0 || this.#rejoinPhase !== 'done' ? { state: null } : undefined
  }

  /** For the developer's live view. */
  summary(node: string): ChannelSummary | undefined {
    if (!this.#state || this.#members.size === 0) return undefined
    return {
      channel: this.name,
      members: this.#members.size,
      voice: voiceOf(this.#state.settings),
      call: this.#call?.summary() ?? null,
      node,
      messagesPerSecond: this.#rate.read(this.#deps.clock.elapsedMs()),
    }
  }

  close() {
    this.#call?.close()
  }

  /** Whether the player owns the channel or is in one of its lists. */
  mentions(playerId: string): boolean {
    if (!this.#state) return false
    const { owner, lists } = this.#state
    return owner === playerId || Object.values(lists).some((list) => list.has(playerId))
  }

  // Joining and leaving

  create({ ref, player, changes }: MessageFields<'create'>): object {
    if (this.#state && !this.#waitsFor(player)) throw new ApiError('channel_exists')
    const fresh = newState(this.#now())
    this.#state = { ...fresh, owner: player.id, settings: withChanges(fresh.settings, changes) }
    this.#context.changed()
    return this.join({ ref, player })
  }

  /** A channel that nobody is connected to may be created again by its owner. */
  #waitsFor({ id }: ChannelMember): boolean {
    return this.#context.members.size === 0 && this.#state?.owner === id
  }

  join({ ref, player, isRejoin = false }: Joiner & { isRejoin?: boolean }): object {
    const state = (this.#state ??= this.#madeByJoining(player))
    const id = player?.id ?? null
    const former = this.#members.find(ref) ?? this.#members.withPlayer(player?.id)
    // A former member may rejoin even if the rules have changed, unless it is banned or the channel is full.
    if (isRejoin) requireNotBanned(state.lists, id, this.#now())
    else if (former?.ref !== ref) requireMayJoin(state, id, this.#now())
    if (!former && this.#members.size >= state.settings.maxMembers) throw new ApiError('channel_full')

    const announce = !isRejoin || this.#rejoinPhase === 'done'
    // A member that rejoins was told that the call is over, and joins it again.
    if (former && (isRejoin || former.ref !== ref)) this.#call?.memberLeft(former.ref)
    this.#members.add({ ref, player }, former, { announce })
    if (this.#members.size === 1) this.#context.changed()
    if (!announce) this.#rejoinPhase = 'rejoining'
    else this.#context.sendEvent(ref, joinedEvent(this.name, state, this.#members.players(), id, this.#now()))
    return {}
  }

  /** CHN-03 */
  #madeByJoining(player: ChannelMember | null): ChannelState {
    if (isMadeName(this.name)) throw new ApiError('channel_not_found')
    if (!player) throw new ApiError('player_required')
    return newState(this.#now())
  }

  leave(ref: ConnectionRef): object {
    if (!this.#members.find(ref)) return {}
    this.#call?.memberLeft(ref)
    this.#members.remove(ref)
    this.#endIfLeft()
    return {}
  }

  removeWithReason({ ref, reason }: MessageFields<'removeWithReason'>): object {
    this.#call?.memberLeft(ref)
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
    if (state && this.#rejoinPhase === 'rejoining')
      for (const { ref, player } of this.#members)
        this.#context.sendEvent(
          ref,
          joinedEvent(this.name, state, this.#members.players(), player?.id ?? null, this.#now()),
        )
    this.#rejoinPhase = 'done'
  }

  // Messages

  send({ ref, messageType, data }: MessageFields<'send'>): object {
    const member = this.#members.find(ref)
    if (!this.#state || !member) throw new ApiError('not_in_channel')
    const now = this.#deps.clock.now()
    const refusal = sendRefusal(this.#state, member.player?.id ?? null, now.toISOString())
    if (refusal) throw refusal
    if (!member.rate.take(this.#deps.clock.elapsedMs()))
      throw new ApiError('rate_limited', { retryAfterSeconds: 1 })

    this.#rate.add()
    this.#context.members.sendText(
      messageText(this.name, member.player?.id ?? '', messageType, data, now.getTime()),
    )
    return {}
  }

  sendAsServer({ messageType, data }: MessageFields<'sendAsServer'>): { delivered: number } {
    this.#existing()
    this.#rate.add()
    this.#context.members.sendText(
      messageText(this.name, 'server', messageType, data, this.#deps.clock.now().getTime()),
    )
    return { delivered: this.#context.members.size }
  }

  // Moderation and settings

  moderate({ by, moderation }: MessageFields<'moderate'>): object | Promise<object> {
    const state = 'server' in by ? this.#existing() : this.#ownedBy(by.playerId)
    if ('playerId' in by && moderation.playerId === by.playerId)
      throw invalidField('$.playerId', 'is the owner, who cannot be moderated')

    const change = listChangeOf(moderation, (seconds) => timestamp(this.#deps.clock, seconds * SECOND_MS))
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
    await this.#writes.moderate(server, moderation, state.isStored ? change : undefined, this.#now())
    if (change) applyTo(state.lists, change)
    this.#announce(() => void this.#moderated(state, moderation))
    return {}
  }

  /** A change is committed even if ownership was lost during the write. Only the owner may announce it, now or when it is the owner again. */
  #announce(work: () => void) {
    if (!this.#context.whenOwned(work)) throw new ActorMovedError()
  }

  #moderated(state: ChannelState, { op, playerId }: Moderation): object {
    this.#context.changed()
    this.#call?.rulesChanged()
    const member = this.#members.withPlayer(playerId)
    if (!member) return {}

    const { closeReason, notifiesPlayer } = OPERATIONS[op]
    if (notifiesPlayer) this.#sendSelf(member, state)
    if (!closeReason || (closeReason === 'uninvited' && state.settings.join !== 'invited')) return {}
    this.#members.sendClosed(member.ref, closeReason)
    return this.leave(member.ref)
  }

  /** CHN-17 */
  async write(message: MessageFields<'write'>): Promise<ChannelView> {
    const before = this.#state ?? newState(this.#now())
    const { state, lists } = applyServerWrite(before, message.changes)
    if (!hasSameVoice(before.settings, state.settings) && this.#call?.summary())
      throw new ApiError('voice_in_use')

    await this.#writes.write(message, { state, lists })
    this.#state = state
    this.#announce(() => this.#written(before, state))
    return channelView(this.name, state, this.#members.players())
  }

  #written(before: ChannelState, state: ChannelState) {
    this.#context.changed()
    this.#sendSelfToAffected(before, state)
    this.#call?.rulesChanged()
    if (this.#members.size === 0) this.#endUnlessJoined(REJOIN_GRACE_MS)
  }

  async delete({ server }: MessageFields<'delete'>): Promise<{ deleted: true }> {
    await this.#writes.remove(server, this.#existing())
    this.#announce(() => {
      this.#context.members.send({ t: 'channel_closed', channel: this.name, reason: 'deleted' })
      this.#context.end()
    })
    return { deleted: true }
  }

  forget(playerId: string): object {
    if (!this.#state) return {}
    for (const list of Object.values(this.#state.lists)) list.delete(playerId)
    if (this.#state.owner === playerId) this.#state.owner = null
    this.#context.changed()
    this.#call?.rulesChanged()
    return {}
  }

  #sendSelfToAffected(before: ChannelState, state: ChannelState) {
    const canSend = (of: ChannelState, playerId: string) => selfOf(of, playerId, this.#now()).canSend
    for (const member of this.#members) {
      const { player } = member
      if (player && canSend(before, player.id) !== canSend(state, player.id)) this.#sendSelf(member, state)
    }
  }

  #sendSelf({ ref, player }: Joiner, state: ChannelState) {
    const self = selfOf(state, player?.id ?? null, this.#now())
    this.#context.sendEvent(ref, { t: 'channel_self', channel: this.name, ...self })
  }

  // The call

  receiveForCall({ ref, request }: MessageFields<'call'>): object {
    const member = this.#members.find(ref)
    if (!this.#state || !member) throw new ApiError('not_in_channel')
    if (!member.player) throw new ApiError('player_required')
    if (!this.#state.settings.voice) throw new ApiError('voice_disabled')
    this.#call ??= this.#openCall()
    const answer = this.#call.receive({ ref, playerId: member.player.id }, request)
    return answer instanceof Promise ? new DetachedAnswer(answer) : answer
  }

  #openCall(): ChannelCall {
    const { members, sendEvent, after, assertStillOwner, whenOwned, id } = this.#context
    return this.#deps.openCall({
      environmentId: id.environmentId,
      channel: this.name,
      voice: () => (this.#state ? voiceOf(this.#state.settings) : null),
      maxMembers: () => this.#state?.settings.maxMembers ?? 0,
      isMember: (ref) => this.#members.find(ref) !== undefined,
      speechOf: (playerId) => {
        const self = this.#state && selfOf(this.#state, playerId, this.#now())
        return { canSpeak: self?.canSend ?? false, mutedUntilMs: self?.mutedUntil ?? null }
      },
      sendEvent,
      sendText: (refs, text) => members.sendTo(refs, text),
      after,
      assertStillOwner,
      whenOwned,
    })
  }

  // Views

  view(): ChannelView {
    return channelView(this.name, this.#existing(), this.#members.players())
  }

  rename(player: ChannelMember): object {
    this.#members.rename(player)
    return {}
  }

  get name(): string {
    return this.#context.id.key
  }

  #now(): string {
    return timestamp(this.#deps.clock)
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
