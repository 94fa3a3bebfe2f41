import { type Address, ipBytes, readXorAddress, writeXorAddress } from './addresses.ts'
import type { Allocation, Allocations } from './allocations.ts'
import type { Authenticated } from './authentication.ts'
import { CHANNEL_MAX, CHANNEL_MIN } from './channel-data.ts'
import type { Link } from './client-transport.ts'
import { ATTRIBUTE, type Attribute, type Message, TYPE, uint32, valueOf, valuesOf } from './stun.ts'

/** Error codes of TURN with their reason phrases. */
export const REFUSAL = {
  400: 'Bad Request',
  403: 'Forbidden',
  420: 'Unknown Attribute',
  437: 'Allocation Mismatch',
  440: 'Address Family not Supported',
  441: 'Wrong Credentials',
  442: 'Unsupported Transport Protocol',
  486: 'Allocation Quota Reached',
  508: 'Insufficient Capacity',
} as const
type RefusalCode = keyof typeof REFUSAL

type Reply = Attribute[] | RefusalCode

const UDP = 17
const IPV4 = 1
const RESERVE_NEXT_PORT = 0x80

/** Requests of authenticated clients. Each returns attributes, or an error code. */
export function createRequests(allocations: Allocations) {
  function allocate(message: Message, link: Link, { identity }: Authenticated): Reply {
    const transport = valueOf(message, ATTRIBUTE.requestedTransport)
    const family = valueOf(message, ATTRIBUTE.requestedAddressFamily)
    const existing = allocations.find(link)
    if (existing) return existing.requestId.equals(message.id) ? allocated(existing, message) : 437
    if (!transport) return 400
    if (transport[0] !== UDP) return 442
    if (family && family[0] !== IPV4) return 440
    if ((valueOf(message, ATTRIBUTE.evenPort)?.[0] ?? 0) & RESERVE_NEXT_PORT) return 508

    const allocation = allocations.open(link, identity, Buffer.from(message.id))
    if (allocation === 'quota_reached') return 486
    if (allocation === 'full') return 508
    return allocated(allocation, message)
  }

  const allocated = (allocation: Allocation, { id }: Message): Attribute[] => {
    const { link, room, port } = allocation
    const mapped = { ip: ipBytes(link.ip), port: link.port }
    return [
      [ATTRIBUTE.xorRelayedAddress, writeXorAddress({ ip: room.ip, port }, id)],
      [ATTRIBUTE.lifetime, uint32(allocations.secondsLeft(allocation))],
      [ATTRIBUTE.xorMappedAddress, writeXorAddress(mapped, id)],
    ]
  }

  function refresh(message: Message, allocation: Allocation, { identity }: Authenticated): Reply {
    const lifetime = valueOf(message, ATTRIBUTE.lifetime)
    if (lifetime && lifetime.length !== 4) return 400
    if (lifetime?.readUInt32BE(0) === 0) {
      allocations.close(allocation)
      return [[ATTRIBUTE.lifetime, uint32(0)]]
    }
    allocations.extend(allocation, identity)
    return [[ATTRIBUTE.lifetime, uint32(allocations.secondsLeft(allocation))]]
  }

  function createPermission(message: Message, allocation: Allocation): Reply {
    const peers = peersOf(message, allocation)
    if (typeof peers === 'number') return peers
    allocations.permit(allocation)
    return []
  }

  function channelBind(message: Message, allocation: Allocation): Reply {
    const channel = valueOf(message, ATTRIBUTE.channelNumber)
    const peers = peersOf(message, allocation)
    if (channel?.length !== 4) return 400
    if (typeof peers === 'number') return peers
    const [peer] = peers
    const number = channel.readUInt16BE(0)
    if (!peer || number < CHANNEL_MIN || number > CHANNEL_MAX) return 400

    const outcome = allocation.channels.bind(number, peer.port)
    if (outcome === 'taken') return 400
    if (outcome === 'full') return 508
    allocations.permit(allocation)
    return []
  }

  return (message: Message, link: Link, who: Authenticated): Reply => {
    if (message.type === TYPE.allocate) return allocate(message, link, who)

    const allocation = allocations.find(link)
    if (!allocation) return 437
    if (!isOwner(allocation, who)) return 441
    if (message.type === TYPE.refresh) return refresh(message, allocation, who)
    if (message.type === TYPE.createPermission) return createPermission(message, allocation)
    return channelBind(message, allocation)
  }
}

/** Compares player and room: the user name changes when credentials are renewed. */
const isOwner = ({ identity: owner }: Allocation, { identity }: Authenticated): boolean =>
  owner.playerId === identity.playerId &&
  owner.roomId === identity.roomId &&
  owner.environmentId === identity.environmentId

/** Accepts only the IP address of the room, so no other host can be reached through the relay. */
function peersOf(message: Message, { room }: Allocation): Address[] | RefusalCode {
  const peers = valuesOf(message, ATTRIBUTE.xorPeerAddress).map((value) => readXorAddress(value, message.id))
  const readable = peers.filter((peer) => peer !== undefined)
  if (peers.length === 0 || readable.length < peers.length) return 400
  return readable.every((peer) => peer.ip.equals(room.ip)) ? readable : 403
}
