import type { NewError } from '../http/errors.ts'
import { thisPlatform } from '../http/platform.ts'
import { createEvents } from './events.ts'
import { onNetworkChange } from './network-change.ts'
import { createIceConfiguration, Peer, PEER_TIMES, type PeerTimes, receiveSignal } from './peer.ts'
import type { RoomPlayer } from './room-events.ts'
import type { Room } from './room.ts'

/** The events of a mesh. */
export type MeshEvents = {
  /** A message from another player. */
  message: [type: string, data: unknown, from: RoomPlayer]
  /** The direct connection to this player is open. */
  peer_open: [player: RoomPlayer]
  /**
   * The direct connection to this player was closed. While both are in the room the SDK tries to connect again. Messages of the time
   * before can be lost, also those that were not `fast`: when `peer_open` comes, send your state again.
   */
  peer_closed: [player: RoomPlayer]
}
/** Options for `svc.p2p.open`. */
export type MeshOptions = {
  /** The time in milliseconds; for tests. */
  now?: () => number
  /** @internal How long connections may take; for tests. */
  times?: PeerTimes
}
/** Options for `mesh.send`. */
export type SendOptions = {
  /** Ids of the receivers (default: all connected players). */
  to?: string[]
  /** Trades reliability for speed: lost messages are not resent. For positions, which the next message replaces anyway. */
  fast?: boolean
}
/** Direct connections to the players of a room, from `svc.p2p.open`. */
export type Mesh = Awaited<ReturnType<typeof openMesh>>

type Attempt = { isFirst?: boolean; rebuilds?: number | undefined }

/** After this many failures in a row the attempts get longer, up to three times as long. */
const QUICK_REBUILDS = 3
const SLOWDOWN_MAX = 3

const timesAfter = (rebuilds: number, { connectMs, recoverMs }: PeerTimes): PeerTimes => ({
  connectMs: connectMs * Math.min(SLOWDOWN_MAX, Math.max(1, rebuilds + 1 - QUICK_REBUILDS)),
  recoverMs,
})

/** Connects the players of a peer-to-peer room with each other; their messages do not pass through the service. */
export async function openMesh(
  room: Room,
  newError: NewError,
  { now = thisPlatform().now, times = PEER_TIMES }: MeshOptions = {},
) {
  if (typeof RTCPeerConnection === 'undefined')
    throw newError('not_available', { message: 'peer-to-peer needs a browser with WebRTC' })
  const events = createEvents<MeshEvents>()
  /** `announced` is the player of an emitted `peer_open` whose `peer_closed` is still due; a player who left is in no other list. */
  const peers = new Map<
    string,
    { peer: Peer; data: DataChannels; rebuilds: number; announced: RoomPlayer | undefined }
  >()
  const readIce = () => room.iceServers()
  const ice = createIceConfiguration(await readIce(), readIce, now)

  /** A generation is a time, so that a reloaded page has a later one than the others know. */
  function add(playerId: string, gen = now(), { isFirst = true, rebuilds = 0 }: Attempt = {}) {
    remove(playerId)
    const player = () => room.players.find(({ id }) => id === playerId)
    const data = createDataChannels({ opened, received })
    const peer: Peer = new Peer({
      gen,
      isFirst,
      times: timesAfter(rebuilds, times),
      configuration: ice.current(),
      isPolite: room.me.id < playerId,
      renew: ice.renewed,
      send: ({ kind, data: signal }) => room.signal(playerId, kind, signal, gen),
      setUp: data.setUp,
      isOpen: data.isOpen,
      failed: () => rebuild(playerId, peer),
    })

    function opened() {
      const openedPlayer = player()
      const known = peers.get(playerId)
      if (!openedPlayer || known?.peer !== peer) return
      known.announced = openedPlayer
      known.rebuilds = 0
      events.emit('peer_open', openedPlayer)
    }

    function received(text: string) {
      const from = player()
      const message = readMessage(text)
      if (from && message) events.emit('message', message.type, message.data, from)
    }
    peers.set(playerId, { peer, data, rebuilds, announced: undefined })
    return peer
  }

  /** As long as both are in the room, because the other side can come back at any time. */
  function rebuild(playerId: string, peer: Peer) {
    const known = peers.get(playerId)
    if (known?.peer === peer) add(playerId, peer.gen + 1, { rebuilds: known.rebuilds + 1 })
  }

  /** The player or the network is back: an open connection may have lost its route, others begin again. */
  function refresh(playerId: string) {
    const peer = peers.get(playerId)?.peer
    if (peer?.isOpen) void peer.restart()
    else add(playerId, Math.max(now(), (peer?.gen ?? 0) + 1))
  }

  const refreshAll = () => room.players.forEach(({ id }) => id !== room.me.id && refresh(id))

  function remove(playerId: string) {
    const known = peers.get(playerId)
    if (!known) return
    peers.delete(playerId)
    known.peer.close()
    if (known.announced) events.emit('peer_closed', known.announced)
  }

  const stops = [
    room.on('signal', (from, kind, data, gen) =>
      receiveSignal(peers.get(from)?.peer, { kind, data, gen: gen ?? 0 }, (newGen, isFirst) =>
        add(from, newGen, { isFirst, rebuilds: peers.get(from)?.rebuilds }),
      ),
    ),
    room.on('player_joined', ({ id }) => add(id)),
    room.on('player_left', ({ id }) => remove(id)),
    room.on('player_reconnected', ({ id }) => refresh(id)),
    room.on('reconnected', refreshAll),
  ]
  const closing = new AbortController()
  onNetworkChange(refreshAll, closing.signal)
  void room.ended.then(close)
  refreshAll()

  function close() {
    closing.abort()
    stops.forEach((stop) => stop())
    ;[...peers.keys()].forEach(remove)
  }

  return {
    /**
     * Adds a listener for an event. Returns a function that removes it.
     *
     * @example
     * mesh.on('message', (type, data, from) => console.log(from.displayName, type, data))
     */
    on: events.on,

    /** The players with an open direct connection. */
    get players(): RoomPlayer[] {
      return room.players.filter(({ id }) => peers.get(id)?.peer.isOpen)
    },

    /**
     * Sends a message directly to all connected players, or to some of them.
     *
     * @example
     * mesh.send('position', { x: 3, y: 4 }, { fast: true })
     */
    send(type: string, data?: unknown, { to, fast = false }: SendOptions = {}) {
      const text = JSON.stringify({ type, data: data ?? null })
      for (const [id, { data }] of peers) if (!to || to.includes(id)) data.send(text, fast)
    },

    /**
     * Closes all direct connections. You stay in the room.
     *
     * @example
     * mesh.close()
     */
    close,
  }
}

type DataChannels = ReturnType<typeof createDataChannels>

/** Two data channels: one reliable and ordered, one fast. */
function createDataChannels(listeners: { opened(): void; received(text: string): void }) {
  let channels: { reliable: RTCDataChannel; fast: RTCDataChannel } | undefined

  return {
    /** Both sides create the channels with fixed ids, so no `datachannel` event can arrive too early. */
    setUp(connection: RTCPeerConnection) {
      const reliable = connection.createDataChannel('reliable', { negotiated: true, id: 0 })
      const unordered = { negotiated: true, id: 1, ordered: false, maxRetransmits: 0 }
      const fast = connection.createDataChannel('fast', unordered)
      channels = { reliable, fast }
      for (const channel of [reliable, fast])
        channel.onmessage = ({ data }) => listeners.received(String(data))
      reliable.onopen = listeners.opened
    },
    isOpen: () => channels?.reliable.readyState === 'open',
    send(text: string, isFast: boolean) {
      const channel = isFast ? channels?.fast : channels?.reliable
      if (channel?.readyState === 'open') channel.send(text)
    },
  }
}

/** Returns undefined for malformed messages: other players are not trusted. */
function readMessage(text: string): { type: string; data: unknown } | undefined {
  try {
    const { type, data } = JSON.parse(text)
    return typeof type === 'string' ? { type, data } : undefined
  } catch {
    return undefined
  }
}
