import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

import pg from 'pg'

import { freshFolder, type Server } from '../processes.ts'
import { newGuest } from '../targets/guests.ts'
import { DATA } from '../targets/saves.ts'
import { call, newProject, startService } from '../targets/service.ts'
import {
  type Answers,
  type Finding,
  load,
  type Sent,
  type Situation,
  type SituationOptions,
  startCloudNodes,
} from './situation.ts'

/** Days of activity of a game whose old rows are all due at once, as after a month in which the service was off. */
const SQLITE_ROWS = 1_000_000
const POSTGRES_ROWS = 10_000_000
const OLD_DAY = '2020-01-01'
const PLAYERS = 50
const SAVES_PER_SECOND = 50
/** Before it, no job runs. */
const QUIET_SECONDS = 15
const CHUNK_SECONDS = 5
const WAIT_CHUNKS_MAX = 90

/** Old days of one environment: the first and the last that a removal reaches. */
type Days = { hasFirst(): Promise<boolean>; hasLast(): Promise<boolean> }

export const removal: Situation = {
  name: 'removal',
  async run(opened, options) {
    return [...(await onSqlite(opened, options)), ...(await onPostgres(opened, options))]
  },
}

async function onSqlite(opened: AsyncDisposableStack, { checkout, scale, log }: SituationOptions) {
  const rows = Math.round(SQLITE_ROWS * scale)
  const dataDir = freshFolder()
  const first = await startService({ dataDir, ...(checkout !== undefined && { checkout }) })
  const { next } = await seedPlayers(first)
  await first.end()
  fillSqlite(dataDir, rows)

  const node = await startService({ dataDir, ...(checkout !== undefined && { checkout }) })
  opened.defer(node.end)
  const file = new DatabaseSync(join(dataDir, 'svc.sqlite'), { readOnly: true })
  opened.defer(() => file.close())
  const find = file.prepare(`select 1 from players_days where day = '${OLD_DAY}' and "playerId" = ?
    and "environmentId" = (select "environmentId" from players limit 1)`)
  const has = async (at: number) => find.get(idOf(at)) !== undefined
  const days = { hasFirst: () => has(1), hasLast: () => has(rows) }
  const { besides, silenceMs, seconds } = await whileRemoved([node], next, days)
  log(
    `SQLite, ${rows} rows in ${seconds} s; silent for ${silenceMs.toFixed(0)} ms; saves beside it: ${besides.join(' | ')}`,
  )
  return [
    {
      what: `SQLite, ${rows} old rows: longest silence`,
      measured: `${silenceMs.toFixed(0)} ms`,
      goal: '≤ 100 ms',
      isMet: silenceMs <= 100,
    },
  ] satisfies Finding[]
}

async function onPostgres(opened: AsyncDisposableStack, { checkout, scale, log }: SituationOptions) {
  const rows = Math.round(POSTGRES_ROWS * scale)
  const { nodes, databaseUrl } = await startCloudNodes(opened, { checkout, count: 1 })
  const { next } = await seedPlayers(nodes[0] as Server)
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  opened.defer(() => client.end())
  await client.query(`insert into players_days ("environmentId", day, "playerId")
    select (select "environmentId" from players limit 1), '${OLD_DAY}', 'ply_' || lpad(i::text, 9, '0') from generate_series(1, ${rows}) i`)
  await client.query('vacuum analyze players_days')
  await client.query('checkpoint')

  const find = `select 1 from players_days where day = '${OLD_DAY}' and "playerId" = $1
    and "environmentId" = (select "environmentId" from players limit 1)`
  const has = async (at: number) => (await client.query(find, [idOf(at)])).rows.length > 0
  const watch = watchStatements(databaseUrl)
  const days = { hasFirst: () => has(1), hasLast: () => has(rows) }
  const { quiet, besides, seconds, isGone } = await whileRemoved(nodes, next, days)
  const longestMs = await watch.end()
  const p99 = Math.max(...besides.map((answers) => answers.p99))
  const refused = besides.reduce((sum, answers) => sum + answers.refused, 0)
  log(
    `PostgreSQL, ${rows} rows in ${seconds} s, ${refused} saves refused; saves: ${String(quiet)}; beside it: ${besides.join(' | ')}`,
  )
  return [
    {
      what: `PostgreSQL, ${rows} old rows: gone`,
      measured: isGone ? `in ${seconds} s` : 'not all',
      goal: 'all',
      isMet: isGone,
    },
    {
      what: 'longest statement of the removal',
      measured: `${longestMs.toFixed(0)} ms`,
      goal: '≤ 1 s',
      isMet: longestMs <= 1_000,
    },
    {
      what: 'p99 of saves beside it ÷ without',
      measured: `${(p99 / quiet.p99).toFixed(1)} (${quiet.p99.toFixed(0)} ms, ${p99.toFixed(0)} ms)`,
      goal: '≤ 3',
      isMet: p99 <= 3 * quiet.p99,
    },
  ] satisfies Finding[]
}

const idOf = (at: number) => `ply_${String(at).padStart(9, '0')}`

/** Guests of one game, and their saves in turn. */
async function seedPlayers({ port }: Server) {
  const { publishable, secret } = await newProject(port, 'Removal')
  await call(port, 'PUT', '/v1/config', { 'x-svc-key': secret }, { features: { saves: true } })
  const tokens: string[] = []
  for (let at = 0; at < PLAYERS; at++) tokens.push(await newGuest(port, publishable))
  const next = (index: number): Sent => ({
    method: 'PUT',
    path: '/v1/saves/slot1',
    headers: { 'x-svc-key': publishable, authorization: `Bearer ${tokens[index % PLAYERS] ?? ''}` },
    body: { data: JSON.parse(DATA) as object },
  })
  return { next }
}

function fillSqlite(dataDir: string, rows: number) {
  const file = new DatabaseSync(join(dataDir, 'svc.sqlite'))
  file.exec('pragma synchronous = off')
  file.exec(`insert into players_days ("environmentId", day, "playerId")
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
    select (select "environmentId" from players limit 1), '${OLD_DAY}', format('ply_%09d', i) from n`)
  file.exec('pragma wal_checkpoint(truncate)')
  file.close()
}

/** Saves before and while the rows are removed, which a job begins within two minutes. */
async function whileRemoved(nodes: readonly Server[], next: (index: number) => Sent, days: Days) {
  const save = (seconds: number) => load(nodes, { perSecond: SAVES_PER_SECOND, seconds, next })
  const quiet = await save(QUIET_SECONDS)
  const silence = watchSilence(nodes[0] as Server)
  const besides: Answers[] = []
  let beganAt: number | undefined
  for (let chunk = 0; chunk < WAIT_CHUNKS_MAX && (await days.hasLast()); chunk++) {
    const answers = await save(CHUNK_SECONDS)
    if (await days.hasFirst()) continue
    beganAt ??= performance.now() - CHUNK_SECONDS * 1_000
    besides.push(answers)
  }
  const seconds = Math.round((performance.now() - (beganAt ?? 0)) / 1_000)
  return { quiet, besides, seconds, silenceMs: await silence.end(), isGone: !(await days.hasLast()) }
}

/** The longest time in which a node has answered nothing. */
function watchSilence({ port }: Server) {
  let [longestMs, isOver] = [0, false]
  const watching = (async () => {
    while (!isOver) {
      const askedAt = performance.now()
      await fetch(`http://127.0.0.1:${port}/healthz`).then((response) => response.text())
      longestMs = Math.max(longestMs, performance.now() - askedAt)
      await sleep(5)
    }
  })()
  return {
    async end(): Promise<number> {
      isOver = true
      await watching
      return longestMs
    },
  }
}

const LONGEST_SQL = `select coalesce(max(extract(epoch from clock_timestamp() - query_start)), 0) * 1000 as ms
  from pg_stat_activity where state = 'active' and query like 'delete from "players_days"%'`

/** The longest statement that removes days, as it is seen every 50 ms. */
function watchStatements(url: string) {
  let [longestMs, isOver] = [0, false]
  const watching = (async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    while (!isOver) {
      const { rows } = await client.query(LONGEST_SQL)
      longestMs = Math.max(longestMs, Number(rows[0].ms))
      await sleep(50)
    }
    await client.end()
  })()
  return {
    async end(): Promise<number> {
      isOver = true
      await watching
      return longestMs
    },
  }
}
