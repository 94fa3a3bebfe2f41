import { type Database, statement, type Transaction } from '../../engines/database/database.ts'
import { deleteBy, selectBy, upsertRow } from '../../engines/database/row-statements.ts'
import { inEnvironment } from '../../platform/current-environment.ts'
import type { PlayerKey } from '../../platform/player.ts'
import type { ChannelSettings, ChannelState } from './channel-state.ts'
import { emptyLists, type ListChange, type ListName, type Lists } from './moderation.ts'

export type { Transaction }
export type StoredChannel = { environmentId: string; name: string }

/** Runs in the transaction of a change. */
export type Alongside = (transaction: Transaction) => Promise<void>

/**
 * Writes the channels of servers to the database, before a change becomes visible to members. `assertStillOwner` is called inside
 * the lock: a late write is rejected, and a committed one is visible to the next owner.
 */
export type ChannelRecords = {
  write(
    channel: StoredChannel,
    changed: { state: ChannelState; lists: Partial<Lists> },
    assertStillOwner: () => void,
    alongside: Alongside,
  ): Promise<void>
  changeList(
    channel: StoredChannel,
    change: ListChange,
    now: string,
    assertStillOwner: () => void,
    alongside: Alongside,
  ): Promise<void>
  remove(channel: StoredChannel, assertStillOwner: () => void, alongside: Alongside): Promise<void>
  /** For a change that is not stored: runs only `alongside`. */
  note(channel: StoredChannel, assertStillOwner: () => void, alongside: Alongside): Promise<void>
}

export type ChannelStore = ReturnType<typeof createChannelStore>

type One = StoredChannel
type OneList = One & { list: string }

/**
 * The channels of servers. Each has one owner at a time, but a former owner's write may overlap the next owner's read, so both take
 * the channel lock.
 */
export const createChannelStore = (db: Database) => {
  /** What an actor does begins anywhere: with a message of another node, with a timer. */
  const alone = <T>({ environmentId, name }: One, work: (transaction: Transaction) => Promise<T>) =>
    inEnvironment(environmentId, () => db.exclusively(`channel:${environmentId}:${name}`, work))

  return {
    find: (channel: One): Promise<ChannelState | undefined> =>
      alone(channel, async (transaction) => {
        const row = await transaction.first(findChannel, channel)
        if (!row) return undefined
        const lists = emptyLists()
        for (const { list, playerId, until } of await transaction.all(listEntries, channel))
          lists[list as ListName].set(playerId, until)
        const settings = JSON.parse(row.settings) as ChannelSettings
        return { settings, lists, owner: null, isStored: true, createdAt: row.createdAt }
      }),

    write: (channel, { state: { settings, createdAt }, lists }, assertStillOwner, alongside) =>
      alone(channel, async (transaction) => {
        assertStillOwner()
        await alongside(transaction)
        await transaction.run(putChannel, { ...channel, settings: JSON.stringify(settings), createdAt })
        for (const [list, players] of Object.entries(lists)) {
          await transaction.run(clearList, { ...channel, list })
          await insertEntries(transaction, { ...channel, list }, players)
        }
      }),

    changeList: (channel, change, now, assertStillOwner, alongside) =>
      alone(channel, async (transaction) => {
        assertStillOwner()
        await alongside(transaction)
        const { list, playerId } = change
        const entry = { ...channel, list, playerId }
        await transaction.run(removeOver, { ...channel, list, now })
        if (change.change === 'add') await transaction.run(putEntry, { ...entry, until: change.until })
        else await transaction.run(removeEntry, entry)
      }),

    remove: (channel, assertStillOwner, alongside) =>
      alone(channel, async (transaction) => {
        assertStillOwner()
        await alongside(transaction)
        await transaction.run(removeChannel, channel)
        await transaction.run(clearLists, channel)
      }),

    note: (channel, assertStillOwner, alongside) =>
      alone(channel, async (transaction) => {
        assertStillOwner()
        await alongside(transaction)
      }),

    entriesOf: (environmentId: string, playerId: string) =>
      db.all(listEntriesOf, { environmentId, playerId }),
    removeForPlayer: (transaction: Transaction, environmentId: string, playerId: string) =>
      transaction.run(removeEntriesOf, { environmentId, playerId }),
  } satisfies ChannelRecords & Record<string, unknown>
}

/** Inserts up to a thousand entries in one statement. */
async function insertEntries(
  transaction: Transaction,
  { environmentId, name, list }: OneList,
  players: Lists[ListName],
) {
  if (players.size === 0) return
  const entries = [...players].map(([playerId, until]) => ({ environmentId, name, list, playerId, until }))
  await transaction.search((q) => q.insertInto('channels_lists').values(entries))
}

const findChannel = selectBy('channels', ['settings', 'createdAt'], ['environmentId', 'name'])
const putChannel = upsertRow(
  'channels',
  ['environmentId', 'name', 'settings', 'createdAt'],
  ['environmentId', 'name'],
  ['settings'],
)
const removeChannel = deleteBy('channels', ['environmentId', 'name'])

const listEntries = selectBy('channels_lists', ['list', 'playerId', 'until'], ['environmentId', 'name'])
const putEntry = upsertRow(
  'channels_lists',
  ['environmentId', 'name', 'list', 'playerId', 'until'],
  ['environmentId', 'name', 'list', 'playerId'],
)
const removeEntry = deleteBy('channels_lists', ['environmentId', 'name', 'list', 'playerId'])
/** Removes expired entries. */
const removeOver = statement((q, { environmentId, name, list, now }: OneList & { now: string }) =>
  q
    .deleteFrom('channels_lists')
    .where((e) => e.and({ environmentId, name, list }))
    .where('until', '<=', now),
)
const clearList = deleteBy('channels_lists', ['environmentId', 'name', 'list'])
const clearLists = deleteBy('channels_lists', ['environmentId', 'name'])

const listEntriesOf = statement((q, { environmentId, playerId }: PlayerKey) =>
  q
    .selectFrom('channels_lists')
    .select(['name as channel', 'list', 'until'])
    .where((e) => e.and({ environmentId, playerId }))
    .orderBy('name')
    .orderBy('list'),
)
const removeEntriesOf = deleteBy('channels_lists', ['environmentId', 'playerId'])
