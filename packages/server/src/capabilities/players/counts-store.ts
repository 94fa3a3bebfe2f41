import { sql } from 'kysely'

import { type Database, type Queries, statement } from '../../engines/database/database.ts'
import { upsertRow } from '../../engines/database/row-statements.ts'
import { DAY_MS, dayOf } from '../../platform/clock.ts'
import { createdAtMsOf, firstIdAt } from '../../platform/random.ts'

/** `registered`: those that are not guests. */
export type PlayerNumbers = { players: number; registered: number }
export type CountChange = PlayerNumbers
export type CountStore = ReturnType<typeof createCountStore>

/** Sorts after every id. */
const LAST_ID = 'ply_~'

/** Numbers of players by the day of their creation. Their ids sort by its time. */
export function createCountStore(db: Database) {
  async function numbersIn(range: Range) {
    const [row] = await db.scan(count, range)
    return {
      players: row?.players ?? 0,
      registered: (row?.withEmail ?? 0) + (row?.external ?? 0),
      changes: { players: row?.playersChange ?? 0, registered: row?.registeredChange ?? 0 },
    }
  }

  return {
    /** The day of the oldest player. */
    async firstDay(environmentId: string): Promise<string | undefined> {
      return (await db.first(findFirst, { environmentId }))?.createdAt.slice(0, 10)
    },
    /** The sum of all counted days up to `to`, and how many of the days from `from` are counted. */
    sum: async (environmentId: string, from: string, to: string) =>
      (await db.first(sumDays, { environmentId, from, to })) ?? { days: 0, players: 0, registered: 0 },
    /** The days that are counted. */
    countedDays: async (environmentId: string) =>
      new Set((await db.all(listCounted, { environmentId })).map(({ day }) => day)),
    /** Counts the players of a day, without the changes that are noted in its row. */
    async countDay(environmentId: string, day: string): Promise<PlayerNumbers & { day: string }> {
      const atMs = Date.parse(day)
      const ids = { fromId: firstIdAt('ply', atMs), endId: firstIdAt('ply', atMs + DAY_MS) }
      const { players, registered, changes } = await numbersIn({ environmentId, day, ...ids })
      return { day, players: players - changes.players, registered: registered - changes.registered }
    },
    /** Counts the players that were created on this day or later. */
    async countFrom(environmentId: string, day: string): Promise<PlayerNumbers> {
      const ids = { fromId: firstIdAt('ply', Date.parse(day)), endId: LAST_ID }
      const { players, registered } = await numbersIn({ environmentId, day, ...ids })
      return { players, registered }
    },
    keep: (
      environmentId: string,
      days: readonly (PlayerNumbers & { day: string })[],
      countedAt: string,
    ): Promise<unknown> =>
      db.pipelined((queries) =>
        Promise.all(days.map((counted) => queries.run(writeDay, { environmentId, ...counted, countedAt }))),
      ),
    /** The days that were counted before this time, the longest ago first. */
    countedBefore: (countedAt: string, limit: number) => db.all(listCountedBefore, { countedAt, limit }),
    /** The days that were counted after this time are counted again. */
    forgetAfter: (countedAt: string) => db.run(forgetAfter, { countedAt }),
  }
}

/** Changes the numbers of the day on which the player was created. */
export const changeCounts = (
  queries: Queries,
  environmentId: string,
  id: string,
  { players, registered }: CountChange,
) =>
  queries.run(addChange, {
    environmentId,
    day: dayOf(createdAtMsOf(id)),
    playersChange: players,
    registeredChange: registered,
  })

type OfEnvironment = { environmentId: string }
type Range = OfEnvironment & { day: string; fromId: string; endId: string }

const findFirst = statement((q, { environmentId }: OfEnvironment) =>
  q
    .selectFrom('players')
    .select('createdAt')
    .where('environmentId', '=', environmentId)
    .orderBy('id')
    .limit(sql.lit(1)),
)
const sumDays = statement((q, { environmentId, from, to }: OfEnvironment & { from: string; to: string }) =>
  q
    .selectFrom('players_counts')
    .select([
      sql<number>`coalesce(sum(case when day >= ${from} then 1 else 0 end), 0)`.as('days'),
      sql<number>`coalesce(sum(players + "playersChange"), 0)`.as('players'),
      sql<number>`coalesce(sum(registered + "registeredChange"), 0)`.as('registered'),
    ])
    .where('environmentId', '=', environmentId)
    .where('day', '<=', to)
    .where('players', 'is not', null),
)
const listCounted = statement((q, { environmentId }: OfEnvironment) =>
  q
    .selectFrom('players_counts')
    .select('day')
    .where('environmentId', '=', environmentId)
    .where('players', 'is not', null),
)
/** One statement, so that the changes of its row are those that its numbers contain. Each number is read from an index alone. */
const count = statement((q, { environmentId, day, fromId, endId }: Range) => {
  const players = q
    .selectFrom('players as player')
    .where('player.environmentId', '=', environmentId)
    .where('player.id', '>=', fromId)
    .where('player.id', '<', endId)
  const all = players.select((e) => e.fn.countAll<number>().as('count'))
  const changes = q.selectFrom('players_counts').where((e) => e.and({ environmentId, day }))
  const external = q
    .selectFrom('players_identities as identity')
    .innerJoin('players as player', (join) =>
      join
        .onRef('player.environmentId', '=', 'identity.environmentId')
        .onRef('player.id', '=', 'identity.playerId'),
    )
    .select((e) => e.fn.count<number>('identity.playerId').distinct().as('count'))
    .where('identity.environmentId', '=', environmentId)
    .where('identity.playerId', '>=', fromId)
    .where('identity.playerId', '<', endId)
    .where('player.email', 'is', null)
  return q.selectNoFrom([
    all.as('players'),
    all.where('player.email', 'is not', null).as('withEmail'),
    external.as('external'),
    changes.select('playersChange').as('playersChange'),
    changes.select('registeredChange').as('registeredChange'),
  ])
})
const writeDay = upsertRow(
  'players_counts',
  ['environmentId', 'day', 'players', 'registered', 'countedAt'],
  ['environmentId', 'day'],
)
const listCountedBefore = statement((q, { countedAt, limit }: { countedAt: string; limit: number }) =>
  q
    .selectFrom('players_counts')
    .select(['environmentId', 'day'])
    .where('countedAt', '<', countedAt)
    .where('players', 'is not', null)
    .orderBy('countedAt')
    .limit(limit),
)
const forgetAfter = statement((q, { countedAt }: { countedAt: string }) =>
  q.updateTable('players_counts').set({ players: null }).where('countedAt', '>', countedAt),
)
const addChange = statement(
  (q, values: OfEnvironment & { day: string; playersChange: number; registeredChange: number }) =>
    q
      .insertInto('players_counts')
      .values({
        environmentId: values.environmentId,
        day: values.day,
        playersChange: values.playersChange,
        registeredChange: values.registeredChange,
      })
      .onConflict((conflict) =>
        conflict.columns(['environmentId', 'day']).doUpdateSet((e) => ({
          playersChange: e('players_counts.playersChange', '+', e.ref('excluded.playersChange')),
          registeredChange: e('players_counts.registeredChange', '+', e.ref('excluded.registeredChange')),
        })),
      ),
)
