import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { type Server, startRedis, startSentinel, startServices } from '../../../../scripts/services.ts'
import { newClient } from '../../src/engines/redis/client.ts'
import { comesTrue } from '../../src/testing/in-time.ts'
import { assertAllDelivered, assertOneState, openFixture } from '../realtime/fixture.ts'
import { newGameServer } from '../realtime/game-server.ts'
import type { ReconnectingPlayer } from '../realtime/reconnecting-player.ts'
import { startTwoNodes } from '../realtime/two-nodes.ts'
import { callerOf, setUpCallerOf } from '../server-process.ts'
import { CONFIG, startLoad } from './load.ts'

/**
 * node --conditions=source packages/server/test/engines/redis-failovers.ts --failovers=10
 *
 * The master of Redis is killed and frozen in turn, under the load of two nodes, and Sentinels promote its replica. Shows that rooms and
 * channels continue on both nodes, that a ban is in force on both, and that no acknowledged write is lost.
 */
const PLAYERS = 4
const DOWN_AFTER_MS = 1_000
const REVOKED_WITHIN_MS = 10_000

const { values } = parseArgs({ options: { failovers: { type: 'string', default: '10' } } })

await using opened = new AsyncDisposableStack()
const services = process.env['TEST_POSTGRES_URL'] ? undefined : await startServices({ sync: false })
if (services) {
  opened.defer(services.stop)
  Object.assign(process.env, { TEST_POSTGRES_URL: services.postgresUrl, TEST_REDIS_URL: services.redisUrl })
}
let master = await startRedis()
let replica = await startRedis({ replicaOf: master.port })
opened.defer(async () => void (await Promise.all([master.stop(), replica.stop()])))
const watched = { masterPort: master.port, quorum: 2, downAfterMs: DOWN_AFTER_MS }
const sentinels = await Promise.all([1, 2, 3].map(() => startSentinel(watched)))
for (const { stop } of sentinels) opened.defer(stop)

const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')
const redis = { url: `redis+sentinel://${hosts}/svc`, masterUrl: () => master.url }

async function command<T>({ url }: Pick<Server, 'url'>, ...words: string[]): Promise<T | undefined> {
  const client = newClient(url, 'test')
  client.on('error', () => {})
  try {
    await client.connect()
    return await client.sendCommand<T>(words)
  } catch {
    return undefined
  } finally {
    client.destroy()
  }
}

const roleOf = async (server: Server) => (await command<string[]>(server, 'ROLE'))?.[0]

/** A failover needs a replica that has the data, and Sentinels that know it and each other. */
const untilRedundant = () =>
  comesTrue('the replica follows, and the Sentinels know it', async () => {
    const info = (await command<string>(replica, 'INFO', 'replication')) ?? ''
    const known = await Promise.all(
      sentinels.map(async (sentinel) => {
        const others = await command<unknown[]>(sentinel, 'SENTINEL', 'SENTINELS', 'svc')
        const replicas = (await command<{ flags: string }[]>(sentinel, 'SENTINEL', 'REPLICAS', 'svc')) ?? []
        return others?.length === 2 && replicas.some(({ flags }) => flags === 'slave')
      }),
    )
    return info.includes('master_link_status:up') && known.every(Boolean)
  })
await untilRedundant()

const cluster = opened.adopt(await startTwoNodes({ redis }), ({ stop }) => stop())
const nodes = [cluster.nodes.a, cluster.nodes.b]
const game = await newGameServer(cluster.nodes.a, CONFIG)
const { publishableKey: key, secretKey: secret } = game
const load = await startLoad(nodes, game, PLAYERS)

const isReady = async () =>
  (await Promise.all(nodes.map((node) => callerOf(node)('GET', '/readyz')))).every(
    ({ status }) => status === 200,
  )

/** Bans a player on one node; the other must reject a write, with or without Redis. Returns how long that took. */
async function ban(): Promise<number> {
  const onA = setUpCallerOf(cluster.nodes.a)
  const { body: session } = await onA('POST', '/v1/auth/guest', { key, body: {} })
  const options = { key, token: session.accessToken, body: { data: 1 } }
  const saveOnB = () => callerOf(cluster.nodes.b)('PUT', '/v1/saves/slot', options)
  await comesTrue('the other node knows the player', async () => (await saveOnB()).status === 200)
  const path = `/v1/admin/players/${session.player.id}/ban`
  await onA('POST', path, { key: secret, body: { reason: 'test' } })
  const bannedAt = performance.now()
  await comesTrue(
    'the other node rejects the player',
    async () => (await saveOnB()).status === 403,
    REVOKED_WITHIN_MS,
  )
  return performance.now() - bannedAt
}

let [deliveries, slowestRevocationMs, slowestMs] = [0, 0, 0]
for (let round = 0; round < Number(values.failovers); round++) {
  const fixture = await openFixture(cluster, round % 2 ? 'b' : 'a')
  const marks = new Map(fixture.all.map((player) => [player, player.receivedEvents.length]))
  const resultOf = (player: ReconnectingPlayer) =>
    player.receivedEvents
      .slice(marks.get(player))
      .findLast(({ t }) => t === 'room_joined' || t === 'room_closed')?.t
  const isKill = round % 2 === 0
  const former = master

  const begunAt = performance.now()
  process.kill(former.pid, isKill ? 'SIGKILL' : 'SIGSTOP')
  const revokedAfterMs = await ban()
  await comesTrue('the replica is the master', async () => (await roleOf(replica)) === 'master')
  const promotedAt = performance.now()
  ;[master, replica] = [replica, former]
  await comesTrue('both nodes are ready', isReady).catch(async (error: unknown) => {
    for (const node of nodes) console.log(JSON.stringify(await callerOf(node)('GET', '/readyz')))
    for (const server of [master, replica, ...sentinels])
      console.log(
        server.port,
        await command(server, 'ROLE'),
        await command(server, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'svc'),
      )
    throw error
  })
  await comesTrue('the other node has noticed', () => fixture.elsewhere.every(resultOf))
  const normalAfterMs = performance.now() - promotedAt

  const inRoom = fixture.all.filter((player) => resultOf(player) !== 'room_closed')
  const delivered = await assertAllDelivered(fixture, inRoom)
  await assertOneState(fixture, inRoom)
  for (const player of fixture.all) await player.close()
  deliveries += delivered
  slowestRevocationMs = Math.max(slowestRevocationMs, revokedAfterMs)
  slowestMs = Math.max(slowestMs, normalAfterMs)
  console.log(
    `${round + 1}. ${isKill ? 'kill -9' : 'frozen'}: promoted after ${seconds(promotedAt - begunAt)}, normal ${seconds(normalAfterMs)} later, ${inRoom.length} of ${fixture.all.length} in their room, ${delivered} deliveries each once, a ban in force after ${seconds(revokedAfterMs)}`,
  )

  if (isKill) {
    await former.stop()
    replica = await startRedis({ port: former.port, replicaOf: master.port })
  } else process.kill(former.pid, 'SIGCONT')
  await untilRedundant()
}

await pause(DOWN_AFTER_MS)
const lost = await load.stop()
const { totals } = load
console.log(
  `${values.failovers} failovers: ${totals.acknowledged} acknowledged writes, ${lost.length} lost, ${totals.unavailable} times 503, ${totals.unexpected.length} other errors, ${deliveries} deliveries each once, normal at most ${seconds(slowestMs)} after the promotion, bans in force within ${seconds(slowestRevocationMs)}`,
)
for (const line of [...lost, ...totals.unexpected].slice(0, 20)) console.log(line)
assert.deepEqual([lost.length, totals.unexpected.length], [0, 0])

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
