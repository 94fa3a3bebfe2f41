import {
  columns,
  type Database,
  statement,
  type Tables,
  type Transaction,
} from '../../../engines/database/database.ts'
import { listStatement } from '../../../engines/database/list-statement.ts'
import {
  countBy,
  deleteBy,
  insertNew,
  insertRow,
  selectBy,
} from '../../../engines/database/row-statements.ts'
import { inEnvironment } from '../../../platform/current-environment.ts'
import type { PlayerKey } from '../../../platform/player.ts'

export type { Transaction }
export type KeptKey = { environmentId: string; id: string }
export type KeptRow = Tables['rooms_kept']
/** What a save changes. */
export type KeptChange = Pick<
  KeptRow,
  'environmentId' | 'id' | 'wakeAt' | 'expiresAt' | 'versionId' | 'metadata' | 'snapshot'
>

export type KeptStore = ReturnType<typeof createKeptStore>

/**
 * The rooms that are kept. Each has one owner at a time, but a former owner's write may overlap the next owner's read, so both take the
 * lock of the room; `assertStillOwner` is called inside it.
 */
export const createKeptStore = (db: Database) => {
  const lockOf = ({ environmentId, id }: KeptKey) => `rooms_kept:${environmentId}:${id}`
  /** What an actor does begins anywhere: with a message of another node, with a timer. */
  const allAlone = <T>(environmentId: string, work: (transaction: Transaction) => Promise<T>) =>
    inEnvironment(environmentId, () => db.exclusively(`rooms_kept:${environmentId}`, work))
  const alone = <T>(room: KeptKey, work: (transaction: Transaction) => Promise<T>) =>
    inEnvironment(room.environmentId, () => db.exclusively(lockOf(room), work))

  return {
    /** `full`: the environment has its maximum; `too_many_seats`: one of the players has. */
    add: (row: KeptRow, playerIds: readonly string[], max: { rooms: number; seats: number }) =>
      allAlone(row.environmentId, async (transaction) => {
        const { environmentId, id: roomId } = row
        for (const playerId of playerIds)
          if ((await seatsOf(transaction, { environmentId, playerId })) >= max.seats) return 'too_many_seats'
        const rooms = await transaction.first(countRooms, { environmentId })
        if ((rooms?.count ?? 0) >= max.rooms) return 'full'
        await transaction.run(insertRoom, row)
        for (const playerId of playerIds) await transaction.run(putSeat, { environmentId, playerId, roomId })
        return 'added'
      }),

    /** False if the player has too many seats already. */
    takeSeat: ({ environmentId, id: roomId }: KeptKey, playerId: string, seatsMax: number) =>
      allAlone(environmentId, async (transaction) => {
        const seat = { environmentId, playerId, roomId }
        if (await transaction.first(findSeat, seat)) return true
        if ((await seatsOf(transaction, { environmentId, playerId })) >= seatsMax) return false
        await transaction.run(putSeat, seat)
        return true
      }),

    freeSeat: ({ environmentId, id: roomId }: KeptKey, playerId: string) =>
      db.run(removeSeat, { environmentId, playerId, roomId }),

    countSeats: (player: PlayerKey) => seatsOf(db, player),

    /** Returns the new number of saves; undefined if the room is not stored any more. */
    save: (change: KeptChange, playerIds: readonly string[], assertStillOwner: () => void) =>
      alone(change, async (transaction) => {
        assertStillOwner()
        const saved = await transaction.first(update, change)
        if (!saved) return undefined
        const { environmentId, id: roomId } = change
        const before = await transaction.all(listSeats, { environmentId, roomId })
        for (const { playerId } of before)
          if (!playerIds.includes(playerId))
            await transaction.run(removeSeat, { environmentId, playerId, roomId })
        for (const playerId of playerIds) await transaction.run(putSeat, { environmentId, playerId, roomId })
        return saved.saves
      }),

    read: (room: KeptKey): Promise<Pick<KeptRow, 'snapshot' | 'saves' | 'expiresAt'> | undefined> =>
      alone(room, (transaction) =>
        transaction.first(readRoom, { environmentId: room.environmentId, id: room.id }),
      ),

    /** With `expiredBy`: only if it has expired by then. Returns whether it was removed. */
    remove: ({ environmentId, id }: KeptKey, assertStillOwner: () => void, expiredBy = LAST) =>
      alone({ environmentId, id }, async (transaction) => {
        assertStillOwner()
        if ((await transaction.run(removeRoom, { environmentId, id, expiredBy })) === 0) return false
        await transaction.run(removeSeats, { environmentId, roomId: id })
        return true
      }),

    expiryOf: async (environmentId: string, id: string) =>
      (await db.first(findRoom, { environmentId, id }))?.expiresAt,
    idByCode: async (environmentId: string, code: string) =>
      (await db.first(findByCode, { environmentId, code }))?.id,

    /** The newest first. */
    async roomsOf(environmentId: string, playerId: string) {
      const rooms = await db.all(listRooms, { environmentId, playerId })
      const ids = rooms.map(({ id }) => id)
      const seats = await seatsIn(db, { environmentId }, ids)
      return rooms.map((room) => ({
        ...room,
        playerIds: [
          ...new Set(seats.flatMap(({ roomId, playerId }) => (roomId === room.id ? playerId : []))),
        ],
      }))
    },

    /** The ids of the rooms, the oldest first. */
    seatsOf: (environmentId: string, playerId: string) => db.all(listIds, { environmentId, playerId }),

    /** Rooms whose time to be opened has come. */
    due: (now: string, limit: number) => db.all(listDue, { now, limit }),
    /** Returns whether the time was still `wakeAt`: only one of several callers gets true. */
    postpone: async (room: KeptKey, wakeAt: string, until: string) =>
      (await db.run(postpone, { environmentId: room.environmentId, id: room.id, wakeAt, until })) > 0,
    expired: (now: string, limit: number) => db.all(listExpired, { now, limit }),

    /**
     * Removes the player from all rooms; a room in which nobody else has a seat goes. `without` changes a snapshot. In the order of ids, so
     * that two transactions do not wait for each other.
     */
    async forgetPlayer(
      transaction: Transaction,
      { environmentId, playerId }: PlayerKey,
      without: (snapshot: string) => string,
    ) {
      for (const { id } of await transaction.all(listIds, { environmentId, playerId })) {
        const room = { environmentId, id }
        await transaction.lock(lockOf(room))
        const stored = await transaction.first(readRoom, room)
        const seats = await transaction.all(listSeats, { environmentId, roomId: id })
        if (seats.every((seat) => seat.playerId === playerId))
          await transaction.run(removeRoom, { ...room, expiredBy: LAST })
        else if (stored)
          await transaction.run(updateSnapshot, { ...room, snapshot: without(stored.snapshot) })
      }
      await transaction.run(removeSeatsOf, { environmentId, playerId })
    },

    transaction: db.transaction,
  }
}

/** No timestamp is later. */
const LAST = '9999'

const seatsOf = async (queries: Pick<Database, 'first'>, player: PlayerKey): Promise<number> =>
  (await queries.first(countSeats, { environmentId: player.environmentId, playerId: player.playerId }))
    ?.count ?? 0

const countRooms = countBy('rooms_kept', ['environmentId'])
const insertRoom = insertRow('rooms_kept', [
  'environmentId',
  'id',
  'mode',
  'code',
  'wakeAt',
  'expiresAt',
  'createdAt',
  'versionId',
  'saves',
  'metadata',
  'snapshot',
])
const findRoom = selectBy('rooms_kept', ['expiresAt'], ['environmentId', 'id'])
const findByCode = selectBy('rooms_kept', ['id'], ['environmentId', 'code'])
const readRoom = selectBy('rooms_kept', ['snapshot', 'saves', 'expiresAt'], ['environmentId', 'id'])
const removeRoom = statement((q, { environmentId, id, expiredBy }: KeptKey & { expiredBy: string }) =>
  q
    .deleteFrom('rooms_kept')
    .where((e) => e.and({ environmentId, id }))
    .where('expiresAt', '<=', expiredBy),
)
const changed = ['wakeAt', 'expiresAt', 'versionId', 'metadata', 'snapshot'] as const
const update = statement((q, change: KeptChange) =>
  q
    .updateTable('rooms_kept')
    .set((e) => ({ ...columns(change, changed), saves: e('saves', '+', 1) }))
    .where((e) => e.and(columns(change, ['environmentId', 'id'])))
    .returning('saves'),
)
const updateSnapshot = statement((q, { environmentId, id, snapshot }: KeptKey & { snapshot: string }) =>
  q
    .updateTable('rooms_kept')
    .set((e) => ({ saves: e('saves', '+', 1), snapshot }))
    .where((e) => e.and({ environmentId, id })),
)

const findSeat = selectBy('rooms_kept_seats', ['roomId'], ['environmentId', 'playerId', 'roomId'])
const listSeats = selectBy('rooms_kept_seats', ['playerId'], ['environmentId', 'roomId'])
const putSeat = insertNew(
  'rooms_kept_seats',
  ['environmentId', 'playerId', 'roomId'],
  ['environmentId', 'playerId', 'roomId'],
)
const removeSeat = deleteBy('rooms_kept_seats', ['environmentId', 'playerId', 'roomId'])
const removeSeats = deleteBy('rooms_kept_seats', ['environmentId', 'roomId'])
const removeSeatsOf = deleteBy('rooms_kept_seats', ['environmentId', 'playerId'])
const seatsIn = listStatement((q, { environmentId }: { environmentId: string }, roomIds) =>
  q
    .selectFrom('rooms_kept_seats')
    .select(['roomId', 'playerId'])
    .where('environmentId', '=', environmentId)
    .where('roomId', 'in', roomIds),
)

const listRooms = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .selectFrom('rooms_kept_seats as seat')
    .innerJoin('rooms_kept as room', (join) =>
      join.onRef('room.environmentId', '=', 'seat.environmentId').onRef('room.id', '=', 'seat.roomId'),
    )
    .select([
      'room.id',
      'room.code',
      'room.mode',
      'room.createdAt',
      'room.expiresAt',
      'room.wakeAt',
      'room.metadata',
    ])
    .where('seat.environmentId', '=', environmentId)
    .where('seat.playerId', '=', playerId)
    .orderBy('room.id', 'desc'),
)
/** A seat without a room was left behind by a room that has ended. */
const countSeats = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .selectFrom('rooms_kept_seats as seat')
    .innerJoin('rooms_kept as room', (join) =>
      join.onRef('room.environmentId', '=', 'seat.environmentId').onRef('room.id', '=', 'seat.roomId'),
    )
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('seat.environmentId', '=', environmentId)
    .where('seat.playerId', '=', playerId),
)
const listIds = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .selectFrom('rooms_kept_seats')
    .select('roomId as id')
    .where((e) => e.and({ environmentId, playerId }))
    .orderBy('roomId'),
)
const listDue = statement((q, { now, limit }: { now: string; limit: number }) =>
  q
    .selectFrom('rooms_kept')
    .select(['environmentId', 'id', 'wakeAt'])
    .where('wakeAt', '<=', now)
    .orderBy('wakeAt')
    .limit(limit),
)
const postpone = statement(
  (q, { environmentId, id, wakeAt, until }: KeptKey & { wakeAt: string; until: string }) =>
    q
      .updateTable('rooms_kept')
      .set({ wakeAt: until })
      .where((e) => e.and({ environmentId, id, wakeAt })),
)
const listExpired = statement((q, { now, limit }: { now: string; limit: number }) =>
  q
    .selectFrom('rooms_kept')
    .select(['environmentId', 'id'])
    .where('expiresAt', '<=', now)
    .orderBy('expiresAt')
    .limit(limit),
)
