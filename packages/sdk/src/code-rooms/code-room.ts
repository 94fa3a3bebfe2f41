import type { FieldsOf } from '@svc/contract/common/frame'
import type * as codeRooms from '@svc/contract/realtime/code-rooms'
import type * as contract from '@svc/contract/realtime/rooms'

import type { SvcError } from '../http/errors.ts'
import type { Call } from '../http/http.ts'
import { monotonicNow, randomStart } from '../http/platform.ts'
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
  now?: () => number
}

/** The room keeps the answers of as many calls of a player. */
const REPEATABLE_MAX = 64

/** The kept rooms of the player. */
export const listMine = async (asPlayer: Call): Promise<codeRooms.KeptRoom[]> =>
  (await asPlayer<typeof codeRooms.listMyRooms>('GET /v1/x/rooms/mine', {})).rooms

/** The part of a room that is needed only if code runs in it. */
export function openCodeRoom(
  room: JoinedRoom,
  view: contract.Room,
  { selfId, request, now = monotonicNow }: Deps,
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
  /** The number of the last call. The page may have been loaded again, so it does not begin with 0. */
  let calls = randomStart()
  let unanswered = 0
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

  /** Until the seat is restored, or the room has ended. A call must not overtake messages that wait for the connection. */
  async function connected(): Promise<void> {
    let stop = () => {}
    const back = new Promise<void>((resolve) => (stop = room.on('reconnected', resolve)))
    await Promise.race([back, room.ended])
    stop()
  }

  /** With a number, what was sent before a lost connection is sent again: the room handles it once. */
  async function send(fields: FieldsOf<typeof contract.send>): Promise<unknown> {
    for (;;) {
      if (presence.phase === 'reconnecting') await connected()
      try {
        return (await request<typeof contract.send>('send', fields)).data
      } catch (error) {
        const isLost = (error as SvcError).code === 'network_error' && presence.phase === 'reconnecting'
        if (!isLost || fields.call === undefined) throw error
        await connected()
        if (!room.isConnected) throw error
      }
    }
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

    async call(type: string, given?: unknown): Promise<unknown> {
      // A copy: the caller may change the object later.
      const data = given === undefined ? {} : { data: JSON.parse(JSON.stringify(given)) }
      const number = unanswered < REPEATABLE_MAX ? { call: ++calls } : {}
      unanswered++
      return send({ type, ...data, ...number }).finally(() => unanswered--)
    },

    predict: predictions.predict,
    smooth: smoothing.smooth,
  }
}
