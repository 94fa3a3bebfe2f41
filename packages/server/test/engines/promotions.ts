import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import pg from 'pg'

import { type Member, startPatroni } from '../../../../scripts/patroni.ts'
import { comesTrue } from '../../src/testing/in-time.ts'
import { newGameServer } from '../realtime/game-server.ts'
import { startServer } from '../server-process.ts'
import { CONFIG, startLoad } from './load.ts'

/**
 * node --conditions=source packages/server/test/engines/promotions.ts --promotions=10
 *
 * The primary of a Patroni cluster is killed, frozen and cut off in turn, while players write through a service. Shows that no
 * acknowledged write is lost, that clients get only 503 meanwhile, and how soon after the promotion writes work again.
 */
const PLAYERS = 6
const NORMAL_AFTER_MAX_MS = 10_000
const CALM_MS = 2_000
const WAIT_MS = 180_000

const { values } = parseArgs({ options: { promotions: { type: 'string', default: '10' } } })

await using opened = new AsyncDisposableStack()
const cluster = opened.adopt(await startPatroni(), ({ stop }) => stop())

/** Asked beside the proxies. */
async function isPrimary({ directUrl }: Member): Promise<boolean> {
  const limits = { connectionTimeoutMillis: 1_000, query_timeout: 1_000 }
  const client = new pg.Client({ connectionString: directUrl, ...limits })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query('select pg_is_in_recovery() as standby')).rows[0].standby === false
  } catch {
    return false
  } finally {
    client.end().catch(() => {})
  }
}

/** The roles that Patroni knows: only a `sync_standby` may be promoted. */
async function rolesBy({ restUrl }: Member): Promise<Map<string, string>> {
  try {
    const answer = await fetch(`${restUrl}/cluster`, { signal: AbortSignal.timeout(1_000) })
    const { members } = (await answer.json()) as { members: { name: string; role: string }[] }
    return new Map(members.map(({ name, role }) => [name, role]))
  } catch {
    return new Map()
  }
}

/** The primary, when it has its synchronous standby. */
async function healthyPrimary(): Promise<Member> {
  let primary: Member | undefined
  await comesTrue(
    'a primary with a synchronous standby',
    async () => {
      primary = undefined
      for (const member of cluster.members) {
        const roles = await rolesBy(member)
        const isHealthy = roles.get(member.name) === 'leader' && [...roles.values()].includes('sync_standby')
        if (isHealthy && (await isPrimary(member))) primary = member
      }
      return primary !== undefined
    },
    WAIT_MS,
  )
  if (!primary) throw new Error('no primary')
  return primary
}

await healthyPrimary()
const dataDir = mkdtempSync(join(tmpdir(), 'svc-promotions-'))
opened.defer(() => rmSync(dataDir, { recursive: true }))
const server = await startServer({
  SVC_DATA_DIR: dataDir,
  DATABASE_URL: cluster.url,
  SVC_RATE_LIMITS: 'off',
  LOG_LEVEL: 'warn',
  LOG_FORMAT: 'pretty',
})
opened.defer(async () => {
  server.signal('SIGKILL')
  await server.ended
})
const load = await startLoad([server], await newGameServer(server, CONFIG), PLAYERS)
const { totals } = load

const FAULTS: { name: string; begin(member: Member): void; end(member: Member): void }[] = [
  { name: 'kill -9', begin: (member) => member.kill(), end: (member) => member.start() },
  { name: 'frozen', begin: (member) => member.freeze(), end: (member) => member.thaw() },
  { name: 'cut off', begin: (member) => member.cutOff(), end: (member) => member.reconnect() },
]

let slow = 0
for (let round = 0; round < Number(values.promotions); round++) {
  const former = await healthyPrimary()
  const other = cluster.members.find((member) => member !== former)
  const fault = FAULTS[round % FAULTS.length]
  if (!other || !fault) throw new Error('two members')
  await comesTrue('writes work', () => totals.lastSuccessAt > totals.lastUnavailableAt + CALM_MS, WAIT_MS)
  const refusedBefore = totals.unavailable

  const begunAt = performance.now()
  fault.begin(former)
  await comesTrue('the standby is promoted', () => isPrimary(other), WAIT_MS).catch((error: unknown) => {
    for (const member of cluster.members) console.log(`${member.name}:\n${member.lastLines()}`)
    throw error
  })
  const promotedAt = performance.now()
  await comesTrue('writes work again', () => totals.lastSuccessAt > promotedAt, WAIT_MS)
  await comesTrue(
    'all writes work again',
    () => totals.lastSuccessAt > Math.max(promotedAt, totals.lastUnavailableAt) + CALM_MS,
    WAIT_MS,
  )
  const normalAfterMs = Math.max(0, totals.lastUnavailableAt - promotedAt)
  if (normalAfterMs > NORMAL_AFTER_MAX_MS) slow++
  console.log(
    `${round + 1}. ${fault.name}: promoted after ${seconds(promotedAt - begunAt)}, normal ${seconds(normalAfterMs)} later, ${totals.unavailable - refusedBefore} times 503`,
  )
  fault.end(former)
}

await healthyPrimary()
await pause(CALM_MS)
const lost = await load.stop()
console.log(
  `${values.promotions} promotions, ${totals.acknowledged} acknowledged, ${lost.length} lost, ${totals.unavailable} times 503, ${totals.unexpected.length} other errors, longest request ${seconds(totals.longestMs)}`,
)
for (const line of [...lost, ...totals.unexpected].slice(0, 20)) console.log(line)
if (lost.length > 0 || totals.unexpected.length > 0 || slow > 0) process.exitCode = 1

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
