import type { Clock } from '../../../platform/clock.ts'
import type { Random } from '../../../platform/random.ts'
import { ipBytes, readXorAddress, writeXorAddress } from './addresses.ts'
import { type Allocation, createAllocations, type Limits, LIMITS } from './allocations.ts'
import { type Authentication, REALM } from './authentication.ts'
import { composeChannelData, isChannelData, parseChannelData } from './channel-data.ts'
import { type Link, PACKET_BYTES_MAX } from './client-transport.ts'
import { createRequests, REFUSAL } from './requests.ts'
import {
  ATTRIBUTE,
  type Attribute,
  composeMessage,
  errorOf,
  type Message,
  messageId,
  unknownAttributesIn,
  parseMessage,
  successOf,
  TYPE,
  valueOf,
} from './stun.ts'

type RelayOptions = { authentication: Authentication; clock: Clock; random: Random; limits?: Limits }

export type Relay = ReturnType<typeof createRelay>

const UNKNOWN_LISTED_MAX = 4
const REQUESTS: ReadonlySet<number> = new Set([
  TYPE.allocate,
  TYPE.refresh,
  TYPE.createPermission,
  TYPE.channelBind,
])

/**
 * A closed TURN relay: the only peers of a client are the other clients of the same room on this relay. Relayed addresses are
 * virtual and packets are routed in memory. So no port range has to be opened, there is no socket per client, and no other host
 * can be reached through the relay.
 */
export function createRelay({ authentication, clock, random, limits = LIMITS }: RelayOptions) {
  const allocations = createAllocations(clock, limits)
  const handle = createRequests(allocations)
  let forwardedBytes = 0
  const indicationId = messageId(random.bytes(12))

  /** Sent to unauthenticated clients, too, so it must stay small. */
  function answerBinding({ type, id, hasFingerprint }: Message, link: Link) {
    const mapped = writeXorAddress({ ip: ipBytes(link.ip), port: link.port }, id)
    const attributes: Attribute[] = [[ATTRIBUTE.xorMappedAddress, mapped]]
    link.send(composeMessage(successOf(type), id, attributes, { fingerprint: hasFingerprint }))
  }

  /** Without a reason phrase, because it is sent to unauthenticated clients, too. */
  function challenge(code: 400 | 401 | 438, { type, id, hasFingerprint }: Message, link: Link) {
    const attributes: Attribute[] = [[ATTRIBUTE.errorCode, errorCode(code)]]
    if (code !== 400) {
      attributes.push([ATTRIBUTE.realm, Buffer.from(REALM)])
      attributes.push([ATTRIBUTE.nonce, Buffer.from(authentication.nonceFor(link))])
    }
    link.send(composeMessage(errorOf(type), id, attributes, { fingerprint: hasFingerprint }))
  }

  function answerRequest(message: Message, link: Link) {
    const who = authentication.check(message, link)
    if (typeof who === 'number') return challenge(who, message, link)

    const answer = (type: number, attributes: Attribute[]) =>
      link.send(
        composeMessage(type, message.id, attributes, { key: who.key, fingerprint: message.hasFingerprint }),
      )
    const notUnderstood = unknownAttributesIn(message)
    const reply = notUnderstood.length > 0 ? 420 : handle(message, link, who)
    if (Array.isArray(reply)) return answer(successOf(message.type), reply)
    answer(errorOf(message.type), [
      [ATTRIBUTE.errorCode, errorCode(reply, REFUSAL[reply])],
      ...(reply === 420 ? [listOf(notUnderstood)] : []),
    ])
  }

  function relaySendIndication(message: Message, link: Link) {
    const from = allocations.find(link)
    const peer = readXorAddress(valueOf(message, ATTRIBUTE.xorPeerAddress) ?? Buffer.alloc(0), message.id)
    const data = valueOf(message, ATTRIBUTE.data)
    if (!from || !peer || !data || !peer.ip.equals(from.room.ip)) return
    if (unknownAttributesIn(message).length === 0) relay(from, peer.port, data)
  }

  function relayChannelData(bytes: Buffer, link: Link): boolean {
    const parsed = parseChannelData(bytes)
    if (!parsed) return false
    const from = allocations.find(link)
    if (!from) return true
    const port = from.channels.portOf(parsed.channel)
    if (port !== undefined) relay(from, port, parsed.data)
    return true
  }

  function relay(from: Allocation, port: number, data: Buffer) {
    const to = allocations.receiver(from, port, data.length)
    if (!to) return
    forwardedBytes += data.length
    const channel = to.channels.numberOf(from.port)
    to.link.send(
      channel === undefined
        ? dataIndication(from, data)
        : composeChannelData(channel, data, to.link.isStream),
    )
  }

  function dataIndication({ room, port }: Allocation, data: Buffer): Buffer {
    // An indication gets no response: its id only has to differ from the previous one.
    indicationId.writeUInt32BE((indicationId.readUInt32BE(12) + 1) >>> 0, 12)
    const peer = writeXorAddress({ ip: room.ip, port }, indicationId)
    return composeMessage(TYPE.dataIndication, indicationId, [
      [ATTRIBUTE.xorPeerAddress, peer],
      [ATTRIBUTE.data, data],
    ])
  }

  return {
    /** Returns false for bytes that are neither a message nor channel data: the rest of a stream cannot be parsed then. */
    receive(bytes: Buffer, link: Link): boolean {
      if (bytes.length > PACKET_BYTES_MAX) return false
      if (isChannelData(bytes)) return relayChannelData(bytes, link)

      const message = parseMessage(bytes)
      if (!message) return false
      if (message.type === TYPE.sendIndication) relaySendIndication(message, link)
      else if (message.type === TYPE.binding) answerBinding(message, link)
      else if (REQUESTS.has(message.type)) answerRequest(message, link)
      return true
    },

    isInUse: (link: Link): boolean => allocations.find(link) !== undefined,

    forget(link: Link) {
      const allocation = allocations.find(link)
      if (allocation) allocations.close(allocation)
    },

    sweep: () => allocations.closeExpired(),
    allocations: () => allocations.size(),
    forwardedBytes: () => forwardedBytes,
  }
}

function errorCode(code: number, reason = ''): Buffer {
  const digits = Buffer.from([0, 0, Math.floor(code / 100), code % 100])
  return Buffer.concat([digits, Buffer.from(reason)])
}

function listOf(types: number[]): Attribute {
  const listed = types.slice(0, UNKNOWN_LISTED_MAX)
  return [ATTRIBUTE.unknownAttributes, Buffer.from(listed.flatMap((type) => [type >> 8, type & 255]))]
}
