import type { FieldsOf } from '@svc/contract/frame'
import type * as contract from '@svc/contract/rooms'

import { banIn, isTransient, isSvcError, refusal, SvcError } from './errors.ts'
import type { AnyFrame, Received, Warning } from './frames.ts'
import type { Call } from './http.ts'
import { pause } from './platform.ts'
import type { RoomFrame } from './room-events.ts'
import { Room } from './room.ts'
import type { Socket } from './socket.ts'

/** The options of a new room. */
export type NewRoom = FieldsOf<typeof contract.create>
/** `signal` cancels the search. */
export type QuickMatchOptions = { signal?: AbortSignal }
/** `svc.rooms`. */
export type Rooms = ReturnType<typeof createRooms>

/** Somebody who waits for a match. */
type Wait = {
  mode: string | undefined
  isQueued: boolean
  matched(room: Room): void
  failed(error: unknown): void
}

/** The service keeps a seat for 30 s, and longer over its own restart. */
const LOST_MAX_MS = 120_000
const RESUME_AGAIN_MS = 1_000

/** Multiplayer rooms and matchmaking. A player sits in one room at a time. */
export function createRooms({ socket, call }: { socket: Socket; call: Call }) {
  let room: Room | undefined
  let wait: Wait | undefined
  /** How many rooms are asked for by other ways than a match. */
  let taking = 0
  let lostTimer: ReturnType<typeof setTimeout> | undefined

  const isWanted = () => room !== undefined || wait !== undefined

  socket.join({
    isInUse: isWanted,
    receive,
    lost() {
      room?.lost()
      if (isWanted()) lostTimer ??= setTimeout(giveUp, LOST_MAX_MS)
    },
    back() {
      if (room) return void resume(room)
      found()
      if (wait?.isQueued) void enqueue(wait)
    },
    ended(error) {
      found()
      room?.end(error.code, banIn(error))
      wait?.failed(error)
    },
  })

  /** There is nothing lost any more. */
  function found() {
    clearTimeout(lostTimer)
    lostTimer = undefined
  }

  function giveUp() {
    found()
    room?.end('lost')
    wait?.failed(new SvcError('network_error'))
  }

  function receive(frame: AnyFrame) {
    if (frame.t === 'room_joined') return seated(frame as Received<typeof contract.roomJoined>)
    if (frame.t === 'warn') return warned(frame as Warning)
    if (ROOM_FRAMES.has(frame.t)) room?.receive(frame as RoomFrame)
  }

  function seated({ room: view, selfId }: Received<typeof contract.roomJoined>) {
    found()
    if (room?.id === view.id) return room.show(view)
    room?.end('replaced')
    const seat = new Room(view, selfId, socket, () => {
      if (room !== seat) return
      room = undefined
      found()
    })
    room = seat
    wait?.matched(seat.deliverBuffered())
  }

  function warned(warning: Warning) {
    const error = refusal(warning)
    // The end of the connection, which follows, says the same.
    if (warning.code === 'server_restarting') return
    if (warning.request === 'quickMatch') wait?.failed(error)
    else if (warning.request === undefined || OF_ROOM.has(warning.request)) room?.warn(error)
  }

  async function resume(seat: Room): Promise<void> {
    try {
      await socket.request<typeof contract.resume>('resume', { roomId: seat.id })
    } catch (error) {
      // Lost once more: there will be another try.
      if (isSvcError(error, 'network_error')) return
      if (!isTransient(error)) return seat.end('lost')
      await pause(RESUME_AGAIN_MS)
      if (room === seat && !seat.isConnected && socket.isOpen) return resume(seat)
    }
  }

  async function enqueue(waiting: Wait) {
    try {
      await socket.open()
    } catch (error) {
      return waiting.failed(error)
    }
    if (wait !== waiting) return
    waiting.isQueued = true
    const fields = waiting.mode === undefined ? {} : { mode: waiting.mode }
    await socket.request<typeof contract.quickMatch>('quickMatch', fields).catch((error: unknown) => {
      // Lost: once it is back, the wait begins anew.
      if (!isSvcError(error, 'network_error')) waiting.failed(error)
    })
  }

  /** `room_joined` comes before the reply (WSK-09): whoever has it has the seat, even if the reply got lost. */
  async function take(asked: Promise<unknown>): Promise<Room> {
    const before = room
    taking++
    await asked
      .catch((error: unknown) => {
        if (room === before || !isSvcError(error, 'network_error')) throw error
      })
      .finally(() => taking--)
    if (!room) throw new SvcError('room_not_found')
    return room.deliverBuffered()
  }

  return {
    /** The room that the player is in. */
    get current(): Room | undefined {
      return room
    },

    /** Creates a room and joins it as host. */
    create: (fields: NewRoom = {}): Promise<Room> =>
      take(socket.request<typeof contract.create>('create', fields)),

    /** By its code, or by its id from `list`. */
    join: ({ code, id }: { code: string; id?: never } | { id: string; code?: never }): Promise<Room> =>
      take(socket.request<typeof contract.join>('join', id === undefined ? { code } : { roomId: id })),

    /** After a reload: back to the seat that is still kept, if there is one. */
    resume: async (): Promise<Room | null> => {
      const { room: kept } = await socket.open()
      if (room || !kept) return room ?? null
      return take(socket.request<typeof contract.resume>('resume', { roomId: kept.id })).catch(
        (error: unknown) => {
          // Kept when the connection was made, and no longer.
          if (isSvcError(error, 'room_not_found')) return null
          throw error
        },
      )
    },

    /** Resolves when there are enough players, or the time to wait for more is over. */
    quickMatch: (mode?: string, { signal }: QuickMatchOptions = {}): Promise<Room> =>
      new Promise((resolve, reject) => {
        if (wait) throw new SvcError('already_queued')
        if (signal?.aborted) throw new SvcError('aborted')
        const over = () => {
          // Nobody else's: this one may have been given up before its answer came.
          if (wait === mine) wait = undefined
          if (!isWanted()) found()
          signal?.removeEventListener('abort', abort)
        }
        const mine: Wait = {
          mode,
          isQueued: false,
          matched: (found) => (over(), resolve(found)),
          failed: (error) => (over(), reject(error)),
        }
        const abort = () => {
          mine.failed(new SvcError('aborted'))
          void cancel()
        }
        signal?.addEventListener('abort', abort)
        wait = mine
        void enqueue(mine)
      }),

    /** Lists open public rooms. */
    list: async ({ mode }: { mode?: string } = {}): Promise<contract.RoomSummary[]> => {
      const query = mode === undefined ? {} : { mode }
      return (await call<typeof contract.listRooms>('GET /v1/rooms', { query })).rooms
    },
  }

  /** It may have been too late to cancel: then nobody wants the seat. */
  async function cancel() {
    if (!socket.isOpen) return
    const before = room
    await socket.request<typeof contract.cancelMatch>('cancelMatch', {}).catch(() => {})
    if (!before && !wait && taking === 0) await room?.leave().catch(() => {})
  }
}

const OF_ROOM = new Set(['send', 'setState', 'setMyState', 'signal'])

const ROOM_FRAMES: ReadonlySet<string> = new Set<RoomFrame['t']>([
  'player_joined',
  'player_left',
  'player_disconnected',
  'player_reconnected',
  'player_renamed',
  'host_changed',
  'state',
  'player_state',
  'message',
  'locked',
  'signal',
  'room_closed',
])
