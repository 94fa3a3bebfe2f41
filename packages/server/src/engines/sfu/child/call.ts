import type { Traffic } from '../traffic.ts'
import { OPUS_PAYLOAD_TYPE, type Peer, sourceOfSlot } from './peer.ts'
import { PublisherLimit } from './publisher-limit.ts'
import { composePacket, type Packet, parsePacket } from './rtp.ts'
import type { TurnLimit } from './turn-limit.ts'

export type Member = {
  id: string
  peer: Peer
  /** The request that admitted it. */
  requestId: number
  canSpeak: boolean
  /** Its answer has been set: it can receive. */
  isReady: boolean
  /** What the client reports, for push to talk. */
  saysSpeaking: boolean
  payloadType: number
  levelId: number
  /** Smoothed, in dB below full scale. */
  levelDb: number
  loudAtMs: number
  slot: Slot | undefined
  limit: PublisherLimit
}

type Slot = {
  index: number
  owner: Member | undefined
  takenAtMs: number
  sentAtMs: number
  /** The last packet, as sent and as received; undefined after a change of owner. */
  sequence: number
  timestamp: number
  received: { sequence: number; timestamp: number } | undefined
}

const LOUD_DB = 60
/** A slot whose owner is quiet for this long may be taken by another. */
const QUIET_MS = 600
/** After this long it is freed, and the owner no longer counts as speaking. */
const FREED_AFTER_MS = 1_000
/** A member who is this much louder than the quietest owner gets its slot, but only after the owner had it for some time. */
const LOUDER_DB = 10
const HELD_MS = 300
const SAMPLES_PER_MS = 48
const FRAME_SAMPLES = 960

/**
 * One call. Each receiver has the same fixed slots, negotiated once; the loudest members own them. A packet is rewritten once for its
 * slot and then sent to all receivers, so that nothing is negotiated when speakers change.
 */
export class Call {
  readonly members = new Map<string, Member>()
  renewedAtMs: number
  readonly #slots: Slot[]
  readonly #traffic: Traffic
  readonly #turn: TurnLimit
  readonly #speakersChanged: () => void

  constructor(slots: number, traffic: Traffic, turn: TurnLimit, nowMs: number, speakersChanged: () => void) {
    this.#slots = Array.from({ length: slots }, (_, index) => ({
      index,
      owner: undefined,
      takenAtMs: 0,
      sentAtMs: 0,
      sequence: 0,
      timestamp: 0,
      received: undefined,
    }))
    this.#traffic = traffic
    this.#turn = turn
    this.renewedAtMs = nowMs
    this.#speakersChanged = speakersChanged
  }

  get speakers(): (string | null)[] {
    return this.#slots.map(({ owner }) => owner?.id ?? null)
  }

  add(
    id: string,
    peer: Peer,
    known: Pick<Member, 'requestId' | 'canSpeak' | 'payloadType' | 'levelId'>,
  ): Member {
    const member: Member = {
      ...known,
      id,
      peer,
      isReady: false,
      saysSpeaking: true,
      levelDb: 127,
      loudAtMs: 0,
      slot: undefined,
      limit: new PublisherLimit(),
    }
    this.members.set(id, member)
    peer.onPacket = (bytes) => this.#receive(member, bytes, performance.now())
    return member
  }

  remove(id: string) {
    const member = this.members.get(id)
    if (!member) return
    this.members.delete(id)
    this.#free(member)
    member.peer.close()
  }

  setCanSpeak(id: string, canSpeak: boolean) {
    const member = this.members.get(id)
    if (!member) return
    member.canSpeak = canSpeak
    if (!canSpeak) this.#free(member)
  }

  setSpeaking(id: string, speaking: boolean) {
    const member = this.members.get(id)
    if (!member) return
    member.saysSpeaking = speaking
    if (!speaking) this.#free(member)
  }

  freeQuietSlots(nowMs: number) {
    for (const { owner } of this.#slots)
      if (owner && nowMs - owner.loudAtMs > FREED_AFTER_MS) this.#free(owner)
  }

  close() {
    for (const id of this.members.keys()) this.remove(id)
  }

  #free(member: Member) {
    if (!member.slot) return
    member.slot.owner = undefined
    member.slot = undefined
    this.#speakersChanged()
  }

  #receive(member: Member, bytes: Buffer, nowMs: number) {
    this.#traffic.packetsIn++
    if (!this.#turn.admits(nowMs)) return void this.#traffic.dropped.late++
    if (!member.canSpeak) return void this.#traffic.dropped.muted++
    if (!member.limit.admits(bytes.length, nowMs)) return void this.#traffic.dropped.rate++
    const packet = parsePacket(bytes, member.levelId)
    if (!packet || packet.payloadType !== member.payloadType) return void this.#traffic.dropped.invalid++

    member.levelDb = member.levelDb === 127 ? packet.levelDb : member.levelDb * 0.8 + packet.levelDb * 0.2
    const isLoud = packet.levelDb < LOUD_DB && member.saysSpeaking
    if (isLoud) member.loudAtMs = nowMs
    const slot = member.slot ?? (isLoud ? this.#take(member, nowMs) : undefined)
    if (!slot) return void this.#traffic.dropped.slots++
    this.#forward(slot, packet, nowMs)
  }

  /** A free slot, or one whose owner is quiet, or that of the quietest owner if it is much quieter. */
  #take(member: Member, nowMs: number): Slot | undefined {
    const free = this.#slots.find(({ owner }) => !owner)
    const quiet = this.#slots.find(({ owner }) => owner && nowMs - owner.loudAtMs > QUIET_MS)
    const slot = free ?? quiet ?? this.#quieterThan(member, nowMs)
    if (!slot) return undefined
    if (slot.owner) slot.owner.slot = undefined
    slot.owner = member
    slot.takenAtMs = nowMs
    slot.received = undefined
    member.slot = slot
    this.#speakersChanged()
    return slot
  }

  #quieterThan({ levelDb }: Member, nowMs: number): Slot | undefined {
    let quietest: Slot | undefined
    for (const slot of this.#slots)
      if ((slot.owner?.levelDb ?? 0) > (quietest?.owner?.levelDb ?? -1)) quietest = slot
    if (!quietest?.owner || nowMs - quietest.takenAtMs < HELD_MS) return undefined
    return quietest.owner.levelDb - levelDb > LOUDER_DB ? quietest : undefined
  }

  #forward(slot: Slot, packet: Packet, nowMs: number) {
    const { received } = slot
    if (received) {
      slot.sequence = (slot.sequence + packet.sequence - received.sequence) & 0xffff
      slot.timestamp = (slot.timestamp + packet.timestamp - received.timestamp) >>> 0
    } else {
      const pausedMs = slot.sentAtMs === 0 ? 0 : nowMs - slot.sentAtMs
      slot.sequence = (slot.sequence + 1) & 0xffff
      slot.timestamp = (slot.timestamp + Math.max(FRAME_SAMPLES, Math.round(pausedMs * SAMPLES_PER_MS))) >>> 0
    }
    slot.received = packet
    slot.sentAtMs = nowMs
    const bytes = composePacket(
      {
        payloadType: OPUS_PAYLOAD_TYPE,
        marker: !received || packet.marker,
        sequence: slot.sequence,
        timestamp: slot.timestamp,
        source: sourceOfSlot(slot.index),
      },
      packet.payload,
    )
    const { owner } = slot
    for (const member of this.members.values()) {
      if (member === owner || !member.isReady) continue
      if (member.peer.send(slot.index, bytes)) this.#traffic.packetsOut++
    }
  }
}
