import { LIMITS } from '@svc/contract/common/limits'

import { ApiError } from '../../../platform/api-error.ts'
import { type Clock, DAY_MS, millisecondsOf, timestamp } from '../../../platform/clock.ts'
import type { JoiningPlayer, RoomSnapshot } from '../room-protocol.ts'
import type { KeptKey, KeptStore, Transaction } from './kept-store.ts'

type KeptRoomsDeps = {
  clock: Clock
  /** The names of these players now, by id. */
  displayNamesOf(
    environmentId: string,
    playerIds: readonly string[],
  ): Promise<ReadonlyMap<string, string | null>>
  warn(about: object, message: string): void
}

export type KeptRooms = ReturnType<typeof createKeptRooms>

const { roomsKeptMax, roomsKeptPerPlayerMax } = LIMITS

/** The rooms of modes with `keepDays` in the database, from their creation to their end. */
export function createKeptRooms(store: KeptStore, { clock, displayNamesOf, warn }: KeptRoomsDeps) {
  const tooMany = () => new ApiError('too_many_rooms', { limit: roomsKeptPerPlayerMax })

  function changeOf({ environmentId, id }: KeptKey, snapshot: RoomSnapshot) {
    const { keepDays = 1, wakeAt = null, versionId = '' } = snapshot.code ?? {}
    return {
      environmentId,
      id,
      wakeAt: wakeAt === null ? null : timestampOf(wakeAt, millisecondsOf(clock)),
      expiresAt: timestamp(clock, keepDays * DAY_MS),
      versionId,
      metadata: snapshot.info.metadata,
      snapshot: JSON.stringify(snapshot),
    }
  }

  /** The job that removes it comes later. An open room does not expire. */
  const hasExpired = (expiresAt: string) => expiresAt <= timestamp(clock)

  async function read(room: KeptKey): Promise<RoomSnapshot | undefined> {
    const row = await store.read(room)
    return row && !hasExpired(row.expiresAt) ? snapshotOf(room, row) : undefined
  }

  async function snapshotOf(room: KeptKey, row: { snapshot: string; saves: number }): Promise<RoomSnapshot> {
    const snapshot = JSON.parse(row.snapshot) as RoomSnapshot
    const names = await displayNamesOf(
      room.environmentId,
      snapshot.seats.map(({ playerId }) => playerId),
    )
    for (const seat of snapshot.seats) seat.displayName = names.get(seat.playerId) ?? null
    if (snapshot.code) snapshot.code.saves = row.saves
    return snapshot
  }

  return {
    /** False if the environment is full: the room ends when it is empty. Throws `too_many_rooms`. */
    async add(environmentId: string, snapshot: RoomSnapshot, joiningPlayers: readonly JoiningPlayer[]) {
      const { id, mode, code, createdAt, match } = snapshot.info
      const row = { ...changeOf({ environmentId, id }, snapshot), mode, code, createdAt, saves: 0 }
      const playerIds = joiningPlayers.map(({ player }) => player.id)
      // Players of a quick match were checked when they began to wait.
      const seats = match ? Infinity : roomsKeptPerPlayerMax
      const added = await store.add(row, playerIds, { rooms: roomsKeptMax, seats })
      if (added === 'too_many_seats') throw tooMany()
      if (added === 'full')
        warn(
          { environmentId, roomId: id, mode },
          `this environment has ${roomsKeptMax} kept rooms, so this room will not be kept: end rooms that are over, or lower keepDays`,
        )
      return added === 'added'
    },

    /** Throws `too_many_rooms`. */
    async requireSeat(environmentId: string, playerId: string) {
      if ((await store.countSeats({ environmentId, playerId })) >= roomsKeptPerPlayerMax) throw tooMany()
    },

    /** Throws `too_many_rooms`, unless it is for a quick match. */
    async takeSeat(room: KeptKey, playerId: string, isMatch: boolean) {
      if (!(await store.takeSeat(room, playerId, isMatch ? Infinity : roomsKeptPerPlayerMax))) throw tooMany()
    },

    freeSeat: store.freeSeat,

    /** Returns how often the room was saved; undefined if it was deleted with its environment. */
    save: (
      room: KeptKey,
      snapshot: RoomSnapshot,
      playerIds: readonly string[],
      assertStillOwner: () => void,
    ) => store.save(changeOf(room, snapshot), playerIds, assertStillOwner),

    read,

    /** What an owner starts from that has this snapshot of the cluster. Undefined: the room has ended since. */
    async newest(room: KeptKey, snapshot: RoomSnapshot): Promise<RoomSnapshot | undefined> {
      const row = await store.read(room)
      if (!row) return undefined
      return row.saves <= (snapshot.code?.saves ?? 0) ? snapshot : snapshotOf(room, row)
    },

    remove: (room: KeptKey, assertStillOwner: () => void) => store.remove(room, assertStillOwner),
    removeExpired: (room: KeptKey, assertStillOwner: () => void) =>
      store.remove(room, assertStillOwner, timestamp(clock)),

    hasExpired,
    async isKept(environmentId: string, id: string) {
      const expiresAt = await store.expiryOf(environmentId, id)
      return expiresAt !== undefined && !hasExpired(expiresAt)
    },
    idByCode: (environmentId: string, code: string) => store.idByCode(environmentId, code.toUpperCase()),
    roomsOf: store.roomsOf,
    due: (limit: number) => store.due(timestamp(clock), limit),
    postpone: (room: KeptKey, wakeAt: string, ms: number) =>
      store.postpone(room, wakeAt, timestamp(clock, ms)),
    expired: (limit: number) => store.expired(timestamp(clock), limit),

    /** Frees the seats of a banned player in stored rooms; the code learns of it when the room is opened. */
    forget: (environmentId: string, playerId: string) =>
      store.transaction((transaction) =>
        store.forgetPlayer(transaction, { environmentId, playerId }, (text) => without(text, playerId)),
      ),

    personalData: {
      async exportForPlayer(environmentId: string, playerId: string) {
        const details = await store.roomsOf(environmentId, playerId)
        const rooms = []
        for (const { id } of await store.seatsOf(environmentId, playerId)) {
          const { code, mode, createdAt, expiresAt } = details.find((room) => room.id === id) ?? {}
          const row = await store.read({ environmentId, id })
          const own = row ? ownStateIn(row.snapshot, playerId) : null
          rooms.push({ id, code, mode, createdAt, expiresAt, own })
        }
        return { keptRooms: rooms }
      },
      removeForPlayer: (transaction: Transaction, environmentId: string, playerId: string) =>
        store.forgetPlayer(transaction, { environmentId, playerId }, (text) => without(text, playerId)),
    },
  }
}

/** The code may have chosen any number. */
function timestampOf(atMs: number, nowMs: number): string {
  const latestMs = nowMs + (LIMITS.roomKeepDaysMax + 1) * DAY_MS
  return new Date(Math.min(Math.max(atMs, nowMs), latestMs)).toISOString()
}

type CodeState = { own?: Record<string, unknown> }

/** A snapshot in which the player has no seat, no state and no answers. The code still knows the player, and learns of it when it is restored. */
function without(text: string, playerId: string): string {
  const snapshot = JSON.parse(text) as RoomSnapshot
  snapshot.seats = snapshot.seats.filter((seat) => seat.playerId !== playerId)
  if (snapshot.code?.snapshot) {
    const state = JSON.parse(snapshot.code.snapshot) as CodeState
    if (state.own) delete state.own[playerId]
    snapshot.code.snapshot = JSON.stringify(state)
  }
  if (snapshot.code?.calls) snapshot.code.calls = snapshot.code.calls.filter(([id]) => id !== playerId)
  return JSON.stringify(snapshot)
}

function ownStateIn(text: string, playerId: string): unknown {
  const { code } = JSON.parse(text) as RoomSnapshot
  const { own } = code?.snapshot ? (JSON.parse(code.snapshot) as CodeState) : {}
  return own?.[playerId] ?? null
}
