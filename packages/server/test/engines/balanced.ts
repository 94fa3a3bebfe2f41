import assert from 'node:assert/strict'
import { parseArgs } from 'node:util'

import { startServices } from '../../../../scripts/services.ts'
import { comesTrue } from '../../src/testing/in-time.ts'
import { ReconnectingPlayer } from '../realtime/reconnecting-player.ts'
import { startTwoNodes } from '../realtime/two-nodes.ts'
import { callerOf } from '../server-process.ts'
import { type Balancing, startCaddy, startHaproxy } from './balancers.ts'

/**
 * node --conditions=source packages/server/test/engines/balanced.ts
 *
 * A room game through HAProxy and through Caddy in front of two nodes, with clients that always reach the same node and with clients
 * that reach them in turn. Then a node is killed: its players reconnect through the balancer and are in their room again.
 */
const PLAYERS = 4
const { values } = parseArgs({ options: { balancer: { type: 'string', default: '' } } })

await using opened = new AsyncDisposableStack()
const services = process.env['TEST_POSTGRES_URL'] ? undefined : await startServices({ sync: false })
if (services) {
  opened.defer(services.stop)
  Object.assign(process.env, { TEST_POSTGRES_URL: services.postgresUrl, TEST_REDIS_URL: services.redisUrl })
}
const cluster = opened.adopt(await startTwoNodes(), ({ stop }) => stop())

for (const [name, start] of [
  ['HAProxy', startHaproxy],
  ['Caddy', startCaddy],
] as const)
  for (const balancing of ['in turn', 'sticky'] as const)
    if (name.includes(values.balancer)) await play(name, start, balancing)

async function play(name: string, start: typeof startHaproxy, balancing: Balancing) {
  const ports = [cluster.nodes.a.port, cluster.nodes.b.port]
  const balancer = await start({ ports, balancing })
  await comesTrue('the balancer has nodes', () =>
    callerOf(balancer)('GET', '/readyz').then(
      ({ status }) => status === 200,
      () => false,
    ),
  )

  const players: ReconnectingPlayer[] = []
  for (let at = 0; at < PLAYERS; at++) {
    const player = new ReconnectingPlayer(cluster.game, await cluster.game.newPlayer(cluster.nodes.b))
    await player.connect(balancer, { 'x-client': `client ${at}` })
    players.push(player)
  }
  const [host, ...others] = players
  assert.ok(host)
  const { room } = await host.must({ t: 'create' })
  const roomId = String(room.id)
  for (const player of others) await player.must({ t: 'join', roomId })
  const before = await everybodyHears(players)
  await host.must({ t: 'setState', patch: { saved: true } })
  await cluster.isSnapshotSaved(roomId, '["saved",')

  await cluster.kill('a')
  const isLost = await Promise.all(players.map((player) => hasLost(player)))
  const moved = players.filter((_, at) => isLost[at])
  if (balancing === 'in turn')
    assert.ok(moved.length > 0 && moved.length < PLAYERS, `${moved.length} players were on the killed node`)
  for (const [at, player] of players.entries()) {
    if (!isLost[at]) continue
    await player.connect(balancer, { 'x-client': `client ${at}` })
    await player.must({ t: 'resume', roomId })
  }
  const after = await everybodyHears(players)
  for (const player of players) await player.close()
  console.log(
    `${name}, ${balancing}: ${before} deliveries; a node killed, ${moved.length} of ${PLAYERS} players reconnected through the balancer and resumed; ${after} deliveries`,
  )
  await balancer.stop()
  await cluster.restart('a')
}

/** Whether its connection was to the killed node: only an answer shows that it was not. */
async function hasLost(player: ReconnectingPlayer): Promise<boolean> {
  return player.socket.request({ t: 'send', type: 'x', data: 'are you there' }).then(
    () => false,
    () => !player.isConnected,
  )
}

async function everybodyHears(players: readonly ReconnectingPlayer[]): Promise<number> {
  let count = 0
  for (const player of players) {
    const data = await player.sendUnique((text) => ({ t: 'send', type: 'x', data: text }))
    for (const other of players) {
      if (other === player) continue
      await comesTrue(`${other.id} hears ${data}`, () =>
        other.receivedEvents.some((event) => event['data'] === data),
      )
      count++
    }
  }
  return count
}
