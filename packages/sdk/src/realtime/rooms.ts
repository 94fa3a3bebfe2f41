import type { FieldsOf } from '@svc/contract/common/frame'
import type * as codeRooms from '@svc/contract/realtime/code-rooms'
import type * as contract from '@svc/contract/realtime/rooms'

import { banIn, isTransient, isSvcError, refusal, SvcError } from '../http/errors.ts'
import type { Call } from '../http/http.ts'
import { pause } from '../http/platform.ts'
import { loadFile } from '../on-demand.ts'
import type { OptionsOf } from '../room/room-types.ts'
import type { AnyFrame, Received, Warning } from './frames.ts'
import type { RoomFrame } from './room-events.ts'
import { Room } from './room.ts'
import type { Socket } from './socket.ts'

/** Options for `svc.rooms.create`. */
export type NewRoom<Code = unknown> = {
  /** A mode in the config (default: the mode `default`). */
  mode?: string
  /** Leaves the room out of `svc.rooms.list`. */
  private?: boolean
  /** At most the `maxPlayers` of the mode. */
  maxPlayers?: number
  /** Any JSON up to 4 KB, shown in `svc.rooms.list`. */
  metadata?: unknown
  /** 4 to 12 letters and digits (default: 8 random ones). Choose one that is hard to guess. */
  code?: string
  /** Only the host may change the shared state. */
  hostOnlyState?: boolean
  /** Any JSON up to 4 KB, for `onCreate` of a room with code. */
  options?: OptionsOf<Code>
}
/** How far the search for a match is. */
export type MatchProgress = {
  /** How many players are waiting, including you. */
  waiting: number
  minPlayers: number
  maxPlayers: number
  /** When the match starts at the latest; null if that is not known. */
  startsAt: string | null
}
/** Options for `svc.rooms.quickMatch`. */
export type QuickMatchOptions = {
  /** Cancels the search. */
  signal?: AbortSignal
  /** Only players with the same `pool` meet: a region, a skill level, a version of the game. */
  pool?: string
  /** Players who pass the same string are put in one room as soon as `partySize` of them are waiting. */
  party?: string
  /** How many players the party has; required with `party`. */
  partySize?: number
  /** Called when something changes, at most once a second, while you wait. */
  onProgress?: (progress: MatchProgress) => void
}
/** Multiplayer rooms and matchmaking. A player can be in one room at a time. */
export type Rooms = ReturnType<typeof createRooms>

/** A pending quick match. */
type Wait = {
  fields: FieldsOf<typeof contract.quickMatch>
  onProgress: QuickMatchOptions['onProgress']
  isQueued: boolean
  matched(room: Room): void
  failed(error: unknown): void
}

/** The service keeps a seat for 30 s, and longer during its own restart. */
const DISCONNECTED_MAX_MS = 120_000
const RESUME_AGAIN_MS = 1_000

/** Multiplayer rooms and matchmaking. A player can be in one room at a time. */
export function createRooms({ socket, call, asPlayer }: { socket: Socket; call: Call; asPlayer: Call }) {
  let room: Room | undefined
  let wait: Wait | undefined
  /** How many rooms are being created or joined without matchmaking. */
  let pendingJoins = 0
  let giveUpTimer: ReturnType<typeof setTimeout> | undefined

  const isWanted = () => room !== undefined || wait !== undefined

  socket.join({
    isInUse: isWanted,
    receive,
    disconnected() {
      room?.presence.disconnected()
      if (isWanted()) giveUpTimer ??= setTimeout(giveUp, DISCONNECTED_MAX_MS)
    },
    connected() {
      if (room) return void resume(room)
      stopGiveUpTimer()
      if (wait?.isQueued) void enqueue(wait)
    },
    ended(error) {
      stopGiveUpTimer()
      room?.presence.end(error.code, banIn(error))
      wait?.failed(error)
    },
  })

  /** The connection is back, or no longer needed. */
  function stopGiveUpTimer() {
    clearTimeout(giveUpTimer)
    giveUpTimer = undefined
  }

  function giveUp() {
    stopGiveUpTimer()
    room?.presence.end('lost')
    wait?.failed(new SvcError('network_error'))
  }

  function receive(frame: AnyFrame) {
    if (frame.t === 'room_joined') return seated(frame as Received<typeof contract.roomJoined>)
    if (frame.t === 'warn') return warned(frame as Warning)
    if (frame.t === 'match_progress') {
      const { t: _, ...progress } = frame as Received<typeof contract.matchProgress>
      return wait?.onProgress?.(progress)
    }
    // A frame with a channel is for the channel or its call.
    if (!('channel' in frame)) room?.presence.receive(frame as RoomFrame)
  }

  function seated({ room: view, selfId }: Received<typeof contract.roomJoined>) {
    stopGiveUpTimer()
    if (room?.id === view.id) return room.applyView(view)
    room?.presence.end('replaced')
    const seat = new Room(view, selfId, socket, () => {
      if (room !== seat) return
      room = undefined
      stopGiveUpTimer()
    })
    room = seat
    wait?.matched(seat)
  }

  /** The room is complete. Its events follow when the caller has added its listeners. */
  async function handOver<Code>(seat: Room): Promise<Room<Code>> {
    await seat.loading
    if (seat !== room) throw new SvcError('network_error')
    seat.presence.flushSoon()
    return seat as Room<unknown> as Room<Code>
  }

  function warned(warning: Warning) {
    const error = refusal(warning)
    // The close of the connection, which follows, reports the same.
    if (warning.code === 'server_restarting') return
    if (warning.request === 'quickMatch') wait?.failed(error)
    else if (warning.request === undefined || ROOM_REQUESTS.has(warning.request)) room?.presence.warn(error)
  }

  async function resume(seat: Room, t: 'resume' | 'join' = 'resume'): Promise<void> {
    try {
      await socket.request<typeof contract.resume>(t as 'resume', { roomId: seat.id })
    } catch (error) {
      // The connection was lost again; the next one retries.
      if (isSvcError(error, 'network_error')) return
      // A room with code may be stored without the seat, if the service ended just after it was taken.
      if (seat.server && t === 'resume' && isSvcError(error, 'room_not_found')) return resume(seat, 'join')
      if (!isTransient(error)) return seat.presence.end('lost')
      await pause(RESUME_AGAIN_MS)
      if (room === seat && !seat.isConnected && socket.isOpen) return resume(seat, t)
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
    await socket.request<typeof contract.quickMatch>('quickMatch', waiting.fields).catch((error: unknown) => {
      // Connection lost: the search starts again once it is back.
      if (!isSvcError(error, 'network_error')) waiting.failed(error)
    })
  }

  /** `room_joined` comes before the reply (WSK-09): with it the player has the seat, even if the reply was lost. */
  async function awaitSeat<Code>(request: Promise<unknown>): Promise<Room<Code>> {
    const before = room
    pendingJoins++
    await request
      .catch((error: unknown) => {
        if (room === before || !isSvcError(error, 'network_error')) throw error
      })
      .finally(() => pendingJoins--)
    if (!room) throw new SvcError('room_not_found')
    return handOver(room)
  }

  return {
    /** The room that you are in. */
    get current(): Room | undefined {
      return room
    },

    /**
     * Creates a room and joins it as its host.
     *
     * @throws `mode_not_found` The config has no such mode.
     * @throws `already_in_room` Leave `svc.rooms.current` first, or return to it with `svc.rooms.resume()`.
     * @throws `code_taken` Another room has this code.
     * @throws `mode_unavailable` The class of the mode's `room` is not deployed, or your functions are disabled.
     *
     * @example
     * const room = await svc.rooms.create({ mode: 'party', private: true })
     * console.log(`Your friends join with the code ${room.code}`)
     */
    create: <Code = unknown>(fields: NewRoom<Code> = {}): Promise<Room<Code>> =>
      awaitSeat(socket.request<typeof contract.create>('create', fields)),

    /**
     * Joins a room by its code, or by its id from `list`.
     *
     * @throws `room_not_found` No open room has this code. It may have closed, or the code is mistyped.
     * @throws `room_full` All seats are taken.
     * @throws `room_locked` The host locked the room.
     * @throws `too_many_rooms` You have seats in 50 kept rooms. Leave one of `svc.rooms.mine()` first.
     * @throws `join_refused` The code of the room refused you. `error.details.reason` is its reason.
     * @throws `already_in_room` Leave `svc.rooms.current` first, or return to it with `svc.rooms.resume()`.
     *
     * @example
     * const room = await svc.rooms.join({ code: codeInput.value })
     * console.log(room.players.length) // → 2
     */
    join: <Code = unknown>({
      code,
      id,
    }: { code: string; id?: never } | { id: string; code?: never }): Promise<Room<Code>> =>
      // What is undefined is not sent.
      awaitSeat(
        socket.request<typeof contract.join>('join', { code, roomId: id } as FieldsOf<typeof contract.join>),
      ),

    /**
     * Takes your seat back after a page reload, within 30 seconds. Resolves with null if there is none.
     *
     * @example
     * const room = await svc.rooms.resume()
     * if (room) console.log(`Back in room ${room.code}`)
     */
    resume: async <Code = unknown>(): Promise<Room<Code> | null> => {
      const { room: kept } = await socket.open()
      if (room || !kept) return (room as Room<unknown> as Room<Code> | undefined) ?? null
      return awaitSeat<Code>(socket.request<typeof contract.resume>('resume', { roomId: kept.id })).catch(
        (error: unknown) => {
          // The seat expired after the connection was opened.
          if (isSvcError(error, 'room_not_found')) return null
          throw error
        },
      )
    },

    /**
     * Finds a match: a running one with a free seat, or a new one as soon as enough players are waiting. Resolves with the room. If you lost
     * the connection to such a match or reloaded the page, it returns to the match, within 30 seconds.
     *
     * @param mode A mode in the config, by default the mode `default`.
     * @throws `mode_not_found` The config has no such mode.
     * @throws `already_in_room` Leave `svc.rooms.current` first.
     * @throws `already_queued` A search is already running.
     * @throws `aborted` `signal` cancelled the search.
     *
     * @example
     * const room = await svc.rooms.quickMatch('duel', {
     *   signal: AbortSignal.timeout(60_000),
     *   onProgress: ({ waiting, minPlayers }) => console.log(`${waiting} of ${minPlayers}`),
     * })
     * console.log(room.players.length) // → 2
     */
    quickMatch: <Code = unknown>(mode?: string, options: QuickMatchOptions = {}): Promise<Room<Code>> =>
      new Promise((resolve, reject) => {
        if (wait) throw new SvcError('already_queued')
        const { signal, onProgress, ...fields } = options
        if (signal?.aborted) throw new SvcError('aborted')
        const finish = () => {
          // Only this wait: it may have been cancelled before its reply, and another one started.
          if (wait === ownWait) wait = undefined
          if (!isWanted()) stopGiveUpTimer()
          signal?.removeEventListener('abort', abort)
        }
        const ownWait: Wait = {
          fields: { ...fields, ...(mode !== undefined && { mode }), progress: !!onProgress },
          onProgress,
          isQueued: false,
          matched: (seat) => (finish(), resolve(handOver(seat))),
          failed: (error) => (finish(), reject(error)),
        }
        const abort = () => {
          ownWait.failed(new SvcError('aborted'))
          void cancel()
        }
        signal?.addEventListener('abort', abort)
        wait = ownWait
        void enqueue(ownWait)
      }),

    /**
     * Lists the newest open rooms. Full, locked and private rooms are left out.
     *
     * @example
     * for (const { id, players, maxPlayers } of await svc.rooms.list({ mode: 'party' }))
     *   console.log(`${id}: ${players} of ${maxPlayers} players`)
     */
    list: async (query: { mode?: string } = {}): Promise<contract.RoomSummary[]> =>
      (await call<typeof contract.listRooms>('GET /v1/rooms', { query })).rooms,

    /**
     * Lists the rooms of turn-based games that are kept for you, open and stored, newest first. Return to one with `join({ id })`.
     *
     * @example
     * for (const { id, players } of await svc.rooms.mine()) console.log(id, players.length)
     */
    mine: async (): Promise<codeRooms.KeptRoom[]> =>
      (await loadFile(() => import('../code-rooms/code-room.ts'))).listMine(asPlayer),
  }

  /** If the match started before the cancellation, leaves its room. */
  async function cancel() {
    if (!socket.isOpen) return
    const before = room
    await socket.request<typeof contract.cancelMatch>('cancelMatch', {}).catch(() => {})
    if (!before && !wait && pendingJoins === 0) await room?.leave().catch(() => {})
  }
}

const ROOM_REQUESTS = new Set(['send', 'setState', 'setMyState', 'signal'])
