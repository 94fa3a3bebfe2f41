import type * as codeRooms from '@svc/contract/realtime/code-rooms'
import type * as contract from '@svc/contract/realtime/rooms'

import type { NewError } from '../http/errors.ts'
import type { Call } from '../http/http.ts'
import { monotonicNow, withTimeout } from '../http/platform.ts'
import type { On } from '../realtime/events.ts'
import type { Received } from '../realtime/frames.ts'
import type { State } from '../realtime/patches.ts'
import type { Presence } from '../realtime/presence.ts'
import type { RoomEvents, RoomFrame, RoomPlayer } from '../realtime/room-events.ts'
import type { Socket } from '../realtime/socket.ts'
import { become, merge } from './merge.ts'
import { createPredictions } from './predict.ts'
import { createSmoothing } from './smooth.ts'

/** What a room with code can do beyond others. */
export type CodeRoom = ReturnType<typeof openCodeRoom>

/** What it needs of the room. */
type JoinedRoom = {
  readonly players: readonly RoomPlayer[]
  readonly state: State
  readonly own: State
  readonly tick: number
  readonly server: { readonly tickRate: number } | undefined
  readonly isConnected: boolean
  readonly ended: Promise<void>
  readonly on: On<RoomEvents>
  readonly presence: Presence<RoomEvents, RoomFrame>
}

type Deps = {
  selfId: string
  request: Socket['request']
  newError: NewError
  now?: () => number
}

const RECONNECT_MAX_MS = 15_000

/** The kept rooms of the player. */
export const listMine = async (asPlayer: Call): Promise<codeRooms.KeptRoom[]> =>
  (await asPlayer<typeof codeRooms.listMyRooms>('GET /v1/x/rooms/mine', {})).rooms

/** The part of a room that is needed only if code runs in it. */
export function openCodeRoom(
  room: JoinedRoom,
  view: contract.Room,
  { selfId, request, newError, now = monotonicNow }: Deps,
) {
  const { presence, state } = room
  const inner: { -readonly [key in 'own' | 'tick']: JoinedRoom[key] } = room
  const smoothing = createSmoothing(state, room.server?.tickRate ?? 0, now)
  /** Changes of the own state, until those of the shared state in the same turn have come. */
  let heldOwn: State | undefined
  const predictions = createPredictions({
    confirmed: state,
    selfId,
    send: (fields) => !!presence.send('send', fields),
    isConnected: () => room.isConnected,
    now,
    changed: announce,
  })
  void room.ended.then(predictions.stop)
  take(view)

  function take({ server, own = {}, state: now }: contract.Room) {
    inner.tick = server?.tick ?? 0
    heldOwn = undefined
    become(room.own, own)
    become(state, now)
    predictions.restored(server?.seq)
    smoothing.restored()
  }

  function announce() {
    // A listener may have left the room.
    if (room.isConnected) presence.emit('sync', state, { tick: room.tick })
  }

  /** A call must not overtake messages that wait for the connection. */
  function connected(): Promise<void> {
    const stops: (() => void)[] = []
    const back = new Promise<void>((resolve) => stops.push(room.on('reconnected', resolve)))
    const done = Promise.race([back, room.ended])
    return withTimeout(done, RECONNECT_MAX_MS, () => newError('network_error')).finally(() =>
      stops.forEach((stop) => stop()),
    )
  }

  return {
    /** Takes the state that came with the seat, without an event. `announce` follows. */
    take,
    announce,

    synced({ tick, at, patch, own = heldOwn, acks, more }: Received<typeof contract.sync>) {
      heldOwn = more ? own : undefined
      if (more) return
      inner.tick = tick
      if (patch) merge(state, patch)
      if (own) merge(room.own, own)
      predictions.synced(acks?.[room.players.findIndex(({ id }) => id === selfId)])
      smoothing.synced(at, patch)
      presence.emit('sync', state, { tick, at, ...(patch && { patch }), ...(own && { own }) })
    },

    async call(type: string, data?: unknown): Promise<unknown> {
      if (presence.phase === 'reconnecting') await connected()
      const fields = { type, ...(data !== undefined && { data }) }
      return (await request<typeof contract.send>('send', fields)).data
    },

    predict: predictions.predict,
    smooth: smoothing.smooth,
  }
}
