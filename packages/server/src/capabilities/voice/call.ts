import { LIMITS } from '@svc/contract/common/limits'
import type { ChannelVoice } from '@svc/contract/realtime/channels'
import type { VoiceClosedReason, VoiceJoined } from '@svc/contract/realtime/voice'

import type { ConnectionRef } from '../../platform/actors/actor.ts'
import { ApiError, invalidField } from '../../platform/api-error.ts'
import { millisecondsOf, MINUTE_MS, SECOND_MS, timestamp } from '../../platform/clock.ts'
import type { CallContext, Caller } from '../../platform/ports/channel-call.ts'
import type { Who } from '../../platform/ports/sfu.ts'
import { randomBase32 } from '../../platform/random.ts'
import { requireAdmitted } from '../../platform/time/sliding-limit.ts'
import type { Timer } from '../../platform/time/timers.ts'
import { type CallMember, CallMembers } from './call-members.ts'
import { iceFor } from './ice.ts'
import type { CallDeps } from './ports.ts'
import type { CallRequest, Published, RequestOf } from './requests.ts'

/** From the first join until the last member has left. */
type Session = {
  /** At the relay server. */
  id: string
  mode: ChannelVoice['mode']
  projectId: string
  startedAt: string
  /** By the elapsed time of the clock. */
  startedMs: number
  minutesNoted: number
  /** Who owns which slot. */
  slots: (string | null)[]
  timers: Timer[]
}

/** The calls of this node that have members. */
export type LiveCalls = Map<string, VoiceCall>

const ID_LENGTH = 16
const LONG_PACKETS_FROM_MEMBERS = 31

/** The call of one channel, inside the channel's actor. Empty most of the time; it keeps no sound. */
export class VoiceCall {
  readonly #context: CallContext
  readonly #deps: CallDeps
  readonly #live: LiveCalls
  readonly #members: CallMembers
  #session: Session | undefined
  #muteEnd: Timer | undefined

  constructor(context: CallContext, deps: CallDeps, live: LiveCalls) {
    this.#context = context
    this.#deps = deps
    this.#live = live
    this.#members = new CallMembers(context)
  }

  // For the channel

  receive(caller: Caller, request: CallRequest): object | Promise<object> {
    switch (request.type) {
      case 'join':
        return this.#join(caller, request)
      case 'leave':
        this.memberLeft(caller.ref)
        return {}
      case 'signal':
        return this.#signal(this.#memberIn('p2p', caller), request)
      case 'publish':
        return this.#publish(this.#memberIn('sfu', caller), request)
      case 'answer':
        return this.#answer(this.#memberIn('sfu', caller), request)
      case 'speaking':
        return this.#speaking(this.#memberIn('sfu', caller), request)
    }
  }

  summary() {
    if (!this.#session) return null
    return { members: this.#members.size, startedAt: this.#session.startedAt }
  }

  memberLeft(ref: ConnectionRef) {
    const member = this.#members.find(ref)
    if (!member || !this.#session) return
    if (this.#session.mode === 'sfu') this.#deps.sfu.remove(this.#who(this.#session, member))
    this.#members.remove(ref)
    if (this.#members.size === 0) this.#end()
  }

  /** Mutes, speakers and the send rule take effect here (D10): at the relay server with the next packet. */
  rulesChanged() {
    let nextEndMs = Infinity
    let isChanged = false
    for (const member of this.#members) {
      const { canSpeak, mutedUntilMs } = this.#context.speechOf(member.playerId)
      if (mutedUntilMs !== null) nextEndMs = Math.min(nextEndMs, mutedUntilMs)
      if (canSpeak === member.canSpeak) continue
      member.canSpeak = canSpeak
      isChanged = true
      if (this.#session?.mode === 'sfu')
        this.#deps.sfu.setCanSpeak(this.#who(this.#session, member), canSpeak)
    }
    if (isChanged) this.#members.changed()
    this.#muteEnd?.cancel()
    this.#muteEnd =
      nextEndMs === Infinity
        ? undefined
        : this.#context.after(Math.max(0, nextEndMs - millisecondsOf(this.#deps.clock)), () =>
            this.rulesChanged(),
          )
  }

  close() {
    this.#end()
  }

  // For this node's calls

  get mode(): ChannelVoice['mode'] | undefined {
    return this.#session?.mode
  }

  get size(): number {
    return this.#members.size
  }

  get projectId(): string | undefined {
    return this.#session?.projectId
  }

  /** False if another node may own the channel: then the lease of the call must end. */
  isOwned(): boolean {
    try {
      this.#context.assertStillOwner()
      return true
    } catch {
      return false
    }
  }

  speakersChanged(slots: (string | null)[]) {
    if (!this.#session) return
    this.#session.slots = slots.map((id) =>
      id === null ? null : (this.#members.withMemberId(id)?.playerId ?? null),
    )
    this.#members.send(JSON.stringify(this.#speakersEvent(this.#session)))
  }

  /** The connection to the relay server has failed: the client joins again. */
  memberGone(memberId: string) {
    this.#context.whenOwned(() => {
      const member = this.#members.withMemberId(memberId)
      if (!member) return
      this.#sendClosed(member.ref, 'unavailable')
      this.memberLeft(member.ref)
    })
  }

  /** If another node owns the channel in the meantime, the nodes of the members notify them. */
  closeForAll(reason: VoiceClosedReason) {
    const session = this.#session
    this.#context.whenOwned(() => {
      if (this.#session !== session) return
      for (const { ref } of this.#members) this.#sendClosed(ref, reason)
      this.#end()
    })
  }

  // Joining

  /** Errors in the order of the specification's list; the channel has already checked the first ones. */
  async #join(
    { ref, playerId }: Caller,
    { projectId, localAddress }: RequestOf<'join'>,
  ): Promise<VoiceJoined> {
    const context = this.#context
    const voice = this.#voice()
    if (await this.#isSuspended(projectId, voice.mode)) throw new ApiError('voice_suspended')
    await this.#count('joins', ref)
    if (voice.mode === 'sfu') this.#requireRelayServer()
    const ice = await iceFor(voice, { ...context, playerId, localAddress }, this.#deps)

    // The state may have changed during these calls.
    context.assertStillOwner()
    const now = this.#voice()
    if (!context.isMember(ref)) throw new ApiError('not_in_channel')
    const former = this.#members.find(ref)
    if (now.mode !== voice.mode || (!former && this.#members.size >= membersMax(voice)))
      throw new ApiError('voice_unavailable')

    const session = (this.#session ??= this.#begin(voice.mode, projectId))
    const { canSpeak } = context.speechOf(playerId)
    const member = former ?? {
      ref,
      playerId,
      memberId: randomBase32(this.#deps.random, ID_LENGTH),
      canSpeak,
      gen: 0,
    }
    this.#members.add(member)
    this.rulesChanged()
    if (voice.mode === 'p2p') return { ...voice, self: { canSpeak }, ...ice }
    context.sendEvent(ref, this.#speakersEvent(session))
    return { ...voice, self: { canSpeak }, ...ice, slots: LIMITS.voiceSlots }
  }

  #voice(): ChannelVoice {
    const voice = this.#context.voice()
    if (!voice) throw new ApiError('voice_disabled')
    return voice
  }

  /** Starts the process, so that it is ready when the client has created its offer. */
  #requireRelayServer() {
    const { isDown, isOverloaded } = this.#deps.sfu.load()
    if (isDown || (isOverloaded && !this.#session)) throw new ApiError('voice_unavailable')
    this.#deps.sfu.start()
  }

  /** While the counters are unavailable there is no limit: calls continue to work. */
  async #count(what: 'joins' | 'publishes', ref: ConnectionRef) {
    const admission = await this.#deps.counters
      .admit(`voice-${what}:${ref}`, MINUTE_MS, LIMITS.voiceConnectsPerMinuteMax)
      .catch(() => ({ isAdmitted: true, retryInMs: 0 }))
    requireAdmitted(admission)
  }

  async #isSuspended(projectId: string, mode: ChannelVoice['mode']): Promise<boolean> {
    const { isSuspended, isOverdue } = this.#deps
    return (await isSuspended(projectId)) || (mode === 'sfu' && (await isOverdue(projectId)))
  }

  #begin(mode: ChannelVoice['mode'], projectId: string): Session {
    const { minutesMax, random, clock } = this.#deps
    const session: Session = {
      id: randomBase32(random, ID_LENGTH),
      mode,
      projectId,
      startedAt: timestamp(clock),
      startedMs: clock.elapsedMs(),
      minutesNoted: 0,
      slots: Array.from({ length: LIMITS.voiceSlots }, () => null),
      timers: [this.#context.after(minutesMax * MINUTE_MS, () => this.#timeIsUp(session))],
    }
    this.#live.set(session.id, this)
    this.#scheduleMinute(session)
    return session
  }

  #timeIsUp(session: Session) {
    this.#noteMinutes(session)
    this.closeForAll('time_limit')
  }

  /** At each whole minute: records usage, and checks whether the project may still have calls. */
  #scheduleMinute(session: Session) {
    const elapsedMs = this.#elapsedMs(session)
    const nextMs = MINUTE_MS - (elapsedMs % MINUTE_MS)
    session.timers[1] = this.#context.after(nextMs, () => {
      this.#noteMinutes(session)
      this.#scheduleMinute(session)
      this.#recheck(session).catch(this.#deps.report)
    })
  }

  #noteMinutes(session: Session) {
    const minutes = Math.floor(this.#elapsedMs(session) / MINUTE_MS)
    // It is called every minute: more has passed only if this process stood still, which nobody pays for.
    const missed = Math.min(1, minutes - session.minutesNoted)
    session.minutesNoted = minutes
    if (session.mode === 'sfu' && missed > 0)
      this.#deps.noteUsage(this.#context.environmentId, 'voice.relayMinutes', missed * this.#members.size)
  }

  async #recheck(session: Session) {
    const isSuspended = await this.#isSuspended(session.projectId, session.mode)
    if (isSuspended && this.#session === session) this.closeForAll('suspended')
  }

  #end() {
    const session = this.#session
    this.#session = undefined
    this.#members.clear()
    this.#muteEnd?.cancel()
    if (!session) return
    this.#live.delete(session.id)
    for (const timer of session.timers) timer.cancel()
    if (session.mode === 'sfu') this.#deps.sfu.end(session.id)
  }

  // Peer-to-peer calls

  #signal({ playerId: from }: CallMember, { to, kind, data, gen }: RequestOf<'signal'>): object {
    if (to === from) throw invalidField('$.to', 'is yourself')
    const receiver = this.#members.withPlayer(to)
    if (!receiver) throw new ApiError('player_not_in_room')
    const head = JSON.stringify({ t: 'voice_signal', channel: this.#context.channel, from, kind, gen })
    this.#context.sendText([receiver.ref], `${head.slice(0, -1)},"data":${data}}`)
    return {}
  }

  // Relay-server calls

  async #publish(member: CallMember, { sdp, localAddress }: RequestOf<'publish'>): Promise<Published> {
    await this.#count('publishes', member.ref)
    const session = this.#sessionOf(member)
    const gen = ++member.gen
    const who = this.#who(session, member)
    const ptime = this.#context.maxMembers() >= LONG_PACKETS_FROM_MEMBERS ? 40 : 20
    const how = { canSpeak: member.canSpeak, address: localAddress.replace(/^::ffff:/, ''), ptime } as const
    const { answer, offer } = await this.#deps.sfu.admit(who, sdp, how)

    const isStillIn = this.#session === session && this.#members.find(member.ref) === member
    if (!isStillIn) this.#deps.sfu.remove(who)
    this.#context.assertStillOwner()
    if (!isStillIn) throw new ApiError('not_in_channel')
    // The right to speak may have changed while the relay server answered.
    this.#deps.sfu.setCanSpeak(who, member.canSpeak)
    return { sdp: answer, gen, offer }
  }

  async #answer(member: CallMember, { gen, sdp }: RequestOf<'answer'>): Promise<object> {
    if (member.gen === 0) throw invalidField('$.gen', 'there was no offer yet')
    if (gen === member.gen) await this.#deps.sfu.answer(this.#who(this.#sessionOf(member), member), sdp)
    return {}
  }

  async #speaking(member: CallMember, { speaking }: RequestOf<'speaking'>): Promise<object> {
    const admission = await this.#deps.counters
      .admit(`voice-speaking:${member.ref}`, SECOND_MS, LIMITS.voiceHintsPerSecondMax)
      .catch(() => ({ isAdmitted: true, retryInMs: 0 }))
    requireAdmitted(admission)
    this.#deps.sfu.setSpeaking(this.#who(this.#sessionOf(member), member), speaking)
    return {}
  }

  /** A request that belongs to the other mode is an error of the client. */
  #memberIn(mode: ChannelVoice['mode'], { ref }: Caller): CallMember {
    const member = this.#members.find(ref)
    if (!member || !this.#session) throw new ApiError('not_in_channel')
    if (this.#session.mode !== mode)
      throw invalidField('$.t', `is not for calls of the mode ${this.#session.mode}`)
    return member
  }

  #sessionOf({ ref }: CallMember): Session {
    if (!this.#session || !this.#members.find(ref)) throw new ApiError('not_in_channel')
    return this.#session
  }

  #who = (session: Session, { memberId }: CallMember): Who => ({ callId: session.id, memberId })

  #speakersEvent = ({ slots }: Session) => ({ t: 'voice_speakers', channel: this.#context.channel, slots })

  #sendClosed(ref: ConnectionRef, reason: VoiceClosedReason) {
    this.#context.sendEvent(ref, { t: 'voice_closed', channel: this.#context.channel, reason })
  }

  #elapsedMs({ startedMs }: Session): number {
    return this.#deps.clock.elapsedMs() - startedMs
  }
}

const membersMax = ({ mode }: ChannelVoice) =>
  mode === 'p2p' ? LIMITS.voiceMeshMembersMax : LIMITS.voiceMembersMax
