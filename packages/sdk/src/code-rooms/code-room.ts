import type * as contract from '@svc/contract/realtime/rooms'

import type { NewError } from '../http/errors.ts'
import { monotonicNow, withTimeout } from '../http/platform.ts'
import type { Received } from '../realtime/frames.ts'
import type { Room } from '../realtime/room.ts'
import type { Socket } from '../realtime/socket.ts'
import { become, merge } from './merge.ts'
import { createPredictions } from './predict.ts'
import { createSmoothing } from './smooth.ts'

/** What a room with code can do beyond others. */
export type CodeRoom = ReturnType<typeof openCodeRoom>
export type OpenCodeRoom = typeof openCodeRoom

type Deps = {
  selfId: string
  request: Socket['request']
  newError: NewError
  now?: () => number
}

const RECONNECT_MAX_MS = 15_000

/** The part of a room that is needed only if code runs in it. */
export function openCodeRoom(
  room: Room,
  view: contract.Room,
  { selfId, request, newError, now = monotonicNow }: Deps,
) {
  const { presence, state } = room
  const inner: { -readonly [key in 'own' | 'tick']: Room[key] } = room
  const smoothing = createSmoothing(state, room.server?.tickRate ?? 0, now)
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
    become(room.own, own)
    become(state, now)
    predictions.restored()
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

    synced({ tick, at, patch, own, acks }: Received<typeof contract.sync>) {
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
