import { type Clock, millisecondsOf, MINUTE_MS, SECOND_MS } from '../../../platform/clock.ts'
import { virtualIpOf } from './addresses.ts'
import type { Identity } from './authentication.ts'
import { type Channels, createChannels } from './channels.ts'
import type { Link } from './client-transport.ts'

export const LIMITS = {
  allocationsMax: 16_000,
  /** The players of one environment must not use up the relay. */
  allocationsPerEnvironmentMax: 4_000,
  /** A mesh of 8 needs 7 connections, each with UDP and TCP, on each of the player's networks. */
  allocationsPerPlayerMax: 64,
  channelsPerAllocationMax: 64,
  /** Bytes per second that one allocation may send, also as one burst. */
  bytesPerSecondMax: 250_000,
}
export type Limits = typeof LIMITS

/** Lifetime of an allocation; live clients refresh it. */
const ALLOCATION_MS = 10 * MINUTE_MS
const PERMISSION_MS = 5 * MINUTE_MS

/** Only even ports, for old clients that request them. */
const PORT_MIN = 49_152
const PORT_MAX = 65_534
/** Small packets cost us as much as large ones. */
const PACKET_COST_BYTES = 64

/** A room: its players reach only each other, each at a port of the IP address of the room. */
type Room = { key: string; ip: Buffer; byPort: Map<number, Allocation>; nextPort: number }

/** Its times are by the elapsed time of the clock. */
export type Allocation = {
  link: Link
  identity: Identity
  /** Transaction id of the request that created it, which may arrive twice. */
  requestId: Buffer
  room: Room
  port: number
  expiresAtMs: number
  /** Permission for the IP address of the room; TURN has no finer permissions. */
  permittedUntilMs: number
  channels: Channels
  bytesLeft: number
  refilledAtMs: number
}

export type Allocations = ReturnType<typeof createAllocations>

/** The allocations of all clients: at most one per link, and grouped by room. */
export function createAllocations(clock: Clock, limits: Limits) {
  const byLink = new Map<string, Allocation>()
  const rooms = new Map<string, Room>()
  const counts = new Map<string, number>()
  const nowMs = () => clock.elapsedMs()

  function count(key: string, change: 1 | -1) {
    const next = (counts.get(key) ?? 0) + change
    if (next > 0) counts.set(key, next)
    else counts.delete(key)
  }

  function enter({ environmentId, roomId }: Identity): Room {
    const key = `${environmentId}/${roomId}`
    const room = rooms.get(key) ?? { key, ip: virtualIpOf(key), byPort: new Map(), nextPort: PORT_MIN }
    rooms.set(key, room)
    return room
  }

  function close(allocation: Allocation) {
    const { link, identity, room, port } = allocation
    if (!byLink.delete(link.key)) return
    room.byPort.delete(port)
    if (room.byPort.size === 0) rooms.delete(room.key)
    for (const key of countedUnder(identity)) count(key, -1)
  }

  function find(link: Link): Allocation | undefined {
    const allocation = byLink.get(link.key)
    if (!allocation || nowMs() < allocation.expiresAtMs) return allocation
    close(allocation)
    return undefined
  }

  /** The lifetime of TURN, but never longer than the credentials. */
  function extend(allocation: Allocation, { expiresAtMs }: Identity) {
    allocation.expiresAtMs = nowMs() + Math.min(ALLOCATION_MS, expiresAtMs - millisecondsOf(clock))
  }

  return {
    find,
    close,
    extend,
    size: () => byLink.size,

    open(link: Link, identity: Identity, requestId: Buffer): Allocation | 'quota_reached' | 'full' {
      const [environment, player] = countedUnder(identity)
      if ((counts.get(player) ?? 0) >= limits.allocationsPerPlayerMax) return 'quota_reached'
      if ((counts.get(environment) ?? 0) >= limits.allocationsPerEnvironmentMax) return 'full'
      if (byLink.size >= limits.allocationsMax) return 'full'

      const room = enter(identity)
      const port = nextPortOf(room)
      const allocation: Allocation = {
        link,
        identity,
        requestId,
        room,
        port,
        expiresAtMs: 0,
        permittedUntilMs: 0,
        channels: createChannels(clock, limits.channelsPerAllocationMax),
        bytesLeft: limits.bytesPerSecondMax,
        refilledAtMs: nowMs(),
      }
      extend(allocation, identity)
      byLink.set(link.key, allocation)
      room.byPort.set(port, allocation)
      count(environment, 1)
      count(player, 1)
      return allocation
    },

    /** Returns undefined if the allocation expired while a request was processed. */
    secondsLeft: ({ expiresAtMs }: Allocation) =>
      Math.max(0, Math.floor((expiresAtMs - nowMs()) / SECOND_MS)),

    permit(allocation: Allocation) {
      allocation.permittedUntilMs = nowMs() + PERMISSION_MS
    },

    /** Finds the receiver of a packet: in the room of the sender, with permissions of both, within the rate of the sender. */
    receiver(from: Allocation, port: number, bytes: number): Allocation | undefined {
      const now = nowMs()
      const to = from.room.byPort.get(port)
      if (!to || now >= to.expiresAtMs) return undefined
      if (now >= from.permittedUntilMs || now >= to.permittedUntilMs) return undefined
      return spend(from, bytes + PACKET_COST_BYTES, now, limits.bytesPerSecondMax) ? to : undefined
    },

    closeExpired() {
      for (const allocation of byLink.values()) if (nowMs() >= allocation.expiresAtMs) close(allocation)
    },
  }
}

const countedUnder = ({ environmentId, playerId }: Identity) =>
  [environmentId, `${environmentId}:${playerId}`] as const

/** Assigns ports in rotation, so that a freed port is not reused soon. There are more ports than allocations in a room. */
function nextPortOf(room: Room): number {
  const after = (port: number) => (port === PORT_MAX ? PORT_MIN : port + 2)
  let port = room.nextPort
  while (room.byPort.has(port)) port = after(port)
  room.nextPort = after(port)
  return port
}

function spend(allocation: Allocation, cost: number, nowMs: number, bytesPerSecond: number): boolean {
  const elapsedMs = nowMs - allocation.refilledAtMs
  const refilled = allocation.bytesLeft + (elapsedMs * bytesPerSecond) / SECOND_MS
  allocation.refilledAtMs = nowMs
  allocation.bytesLeft = Math.min(bytesPerSecond, refilled)
  if (allocation.bytesLeft < cost) return false
  allocation.bytesLeft -= cost
  return true
}
