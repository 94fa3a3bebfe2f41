import type { NewError } from '../http/errors.ts'
import { thisPlatform } from '../http/platform.ts'
import { createEvents } from './events.ts'
import { createIceConfiguration, Peer, receiveSignal } from './peer.ts'
import type { RoomPlayer } from './room-events.ts'
import type { Room } from './room.ts'

/** The events of a mesh. */
export type MeshEvents = {
  /** A message from another player. */
  message: [type: string, data: unknown, from: RoomPlayer]
  /** The direct connection to this player is open. */
  peer_open: [player: RoomPlayer]
  /** The direct connection to this player was closed. */
  peer_closed: [player: RoomPlayer]
}
/** Options for `svc.p2p.open`. */
export type MeshOptions = {
  /** The time in milliseconds; for tests. */
  now?: () => number
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

const REBUILDS_MAX = 4

/** Connects the players of a peer-to-peer room with each other; their messages do not pass through the service. */
export async function openMesh(
  room: Room,
  newError: NewError,
  { now = thisPlatform().now }: MeshOptions = {},
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
  function add(playerId: string, gen = now(), { isFirst = true, rebuilds = 0 } = {}) {
    remove(playerId)
    const player = () => room.players.find(({ id }) => id === playerId)
    const data = createDataChannels({ opened, received })
    const peer: Peer = new Peer({
      gen,
      isFirst,
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

  function rebuild(playerId: string, peer: Peer) {
    const known = peers.get(playerId)
    if (known?.peer !== peer) return
    if (known.rebuilds < REBUILDS_MAX) add(playerId, peer.gen + 1, { rebuilds: known.rebuilds + 1 })
    else remove(playerId)
  }

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
        add(from, newGen, { isFirst }),
      ),
    ),
    room.on('player_joined', ({ id }) => add(id)),
    room.on('player_left', ({ id }) => remove(id)),
  ]
  void room.ended.then(close)
  for (const { id } of room.players) if (id !== room.me.id) add(id)

  function close() {
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
