import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { newPostgresDatabase } from '../../src/testing/databases.ts'
import { comesTrue } from '../../src/testing/in-time.ts'
import { startRedis } from '../../src/testing/redis.ts'
import { connect } from '../../src/testing/sockets.ts'
import { startHaproxy } from '../engines/balancers.ts'
import { newGameServer, type GameServer } from '../realtime/game-server.ts'
import { type Send, sendTo, startSavers } from '../saving-players.ts'
import { callerOf, freePort, type ServerProcess, startServer } from '../server-process.ts'

/**
 * node --conditions=source packages/server/test/faults/rolling.ts [--replacements 10 --pause-ms 1000]
 *
 * Replaces two nodes on one PostgreSQL and Redis, one after the other, under saves, stats, refreshes and rooms. Needs
 * TEST_POSTGRES_URL (`npm run test:long -- rolling`).
 */
export type RollingOptions = {
  replacements: number
  /** `haproxy`: a real load balancer that repeats nothing. `client`: the clients ask the ready nodes in turn. */
  balancer: 'haproxy' | 'client'
  /** Load without a replacement, before the first one and after each. */
  pauseMs: number
}

const NODES = ['a', 'b'] as const
const SAVERS = 4
const ROOM_PLAYERS = 4
const REPORTS_PER_PLAYER = 40
/** Between two requests of one player. */
const PAUSE_MS = 20
const CONFIG = {
  features: { saves: true, stats: true, multiplayer: true },
  stats: [{ key: 'points', aggregation: 'sum' }],
  multiplayer: { modes: [{ key: 'default', minPlayers: 2, maxPlayers: 8 }] },
}

export type RollingReport = {
  requests: number
  /** Requests that were not answered with 200. */
  failed: string[]
  /** Acknowledged writes that are not there at the end. */
  lost: string[]
  /** Connections of players that were closed by a node that stopped, and continued in the same room. */
  resumed: number
  seatsLost: string[]
}

export async function rollingReplacements(options: RollingOptions): Promise<RollingReport> {
  await using opened = new AsyncDisposableStack()
  const folder = opened.adopt(await mkdtemp(join(tmpdir(), 'svc-rolling-')), (path) =>
    rm(path, { recursive: true, force: true }),
  )
  const postgres = opened.adopt(await newPostgresDatabase(), ({ remove }) => remove())
  const redis = opened.adopt(await startRedis(), ({ stop }) => stop())
  const ports = await Promise.all(NODES.map(() => freePort()))
  const start = (node: number) =>
    startServer({
      PORT: String(ports[node]),
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      SVC_SECRET_KEY: 'ab'.repeat(32),
      SVC_BASE_URL: 'http://game.localhost',
      SVC_DATA_DIR: join(folder, NODES[node] ?? ''),
      SVC_RATE_LIMITS: 'off',
      SVC_STOP_DELAY_SECONDS: '2',
    })
  const nodes: ServerProcess[] = []
  for (const [index] of NODES.entries()) {
    nodes[index] = await start(index)
    opened.defer(() => nodes[index]?.signal('SIGKILL'))
  }
  const haproxy =
    options.balancer === 'haproxy'
      ? await startHaproxy({ ports, balancing: 'in turn', repeats: false })
      : undefined
  if (haproxy) opened.defer(() => haproxy.stop())
  const ready = watchReadiness(ports)
  opened.defer(() => ready.stop())
  let turn = 0
  const nextPort = () => {
    if (haproxy) return haproxy.port
    const ports = ready.ports()
    return ports[turn++ % ports.length] ?? 0
  }
  await comesTrue('both nodes are ready', async () => ready.ports().length === NODES.length)
  if (haproxy)
    await comesTrue(
      'the load balancer is ready',
      async () => (await callerOf(haproxy)('GET', '/readyz')).status === 200,
    )

  const [first] = nodes
  assert.ok(first)
  const game = await newGameServer(first, CONFIG)
  const load = await startLoad(game, nextPort)
  try {
    await pause(options.pauseMs)
    for (let n = 0; n < options.replacements; n++) {
      const index = n % NODES.length
      nodes[index]?.signal('SIGTERM')
      const ended = await nodes[index]?.ended
      assert.deepEqual([ended?.code, ended?.errors], [0, ''])
      nodes[index] = await start(index)
      await comesTrue('the new node is ready', async () => ready.ports().length === NODES.length)
      await pause(options.pauseMs)
    }
  } finally {
    await load.end()
  }
  const report = await load.report()
  for (const node of nodes) node.signal('SIGTERM')
  for (const { ended } of nodes) await ended
  return report
}

/** Asks each node every 100 ms whether it is ready. */
function watchReadiness(ports: readonly number[]) {
  let isOver = false
  const isReady = new Set<number>()
  const watch = async (port: number) => {
    while (!isOver) {
      const { status } = await sendTo(new Agent(), port, 'GET', '/readyz').catch(() => ({ status: 0 }))
      if (status === 200) isReady.add(port)
      else isReady.delete(port)
      await pause(100)
    }
  }
  const watching = ports.map(watch)
  return {
    ports: () => [...isReady],
    async stop() {
      isOver = true
      await Promise.all(watching)
    },
  }
}

async function startLoad(game: GameServer, nextPort: () => number) {
  const agent = new Agent({ keepAlive: true })
  const report: RollingReport = { requests: 0, failed: [], lost: [], resumed: 0, seatsLost: [] }
  let isOver = false

  const ask: Send = async (method, path, options) => {
    report.requests++
    const sent = sendTo(agent, nextPort(), method, path, { key: game.publishableKey, ...options })
    const answer = await sent.catch((error: Error) => ({ status: 0, body: { error: error.message } }))
    if (answer.status !== 200)
      report.failed.push(
        `${new Date().toISOString()} ${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`,
      )
    return answer
  }
  const signIn = async () => (await ask('POST', '/v1/auth/guest', { body: {} })).body
  const untilOver = async (work: () => Promise<void>) => {
    while (!isOver) {
      await work()
      await pause(PAUSE_MS)
    }
  }

  const checks: (() => Promise<void>)[] = []
  /** Another player after some reports, because a player may send 60 a minute. */
  async function scorer() {
    let scoring = { token: '', acknowledged: REPORTS_PER_PLAYER }
    return untilOver(async () => {
      if (scoring.acknowledged === REPORTS_PER_PLAYER) {
        const player = { token: (await signIn()).accessToken as string, acknowledged: 0 }
        checks.push(async () => {
          const { body } = await ask('GET', '/v1/stats', { token: player.token })
          const points = body.stats?.points
          if (points !== player.acknowledged)
            report.lost.push(`stat ${JSON.stringify(body)}, acknowledged ${player.acknowledged}`)
        })
        scoring = player
      }
      const { status } = await ask('POST', '/v1/stats', {
        token: scoring.token,
        body: { stats: { points: 1 } },
      })
      if (status === 200) scoring.acknowledged++
    })
  }
  async function refresher() {
    let session = await signIn()
    return untilOver(async () => {
      const { body } = await ask('POST', '/v1/auth/refresh', { body: { refreshToken: session.refreshToken } })
      session = body
    })
  }

  /** A room whose players send messages; a player whose connection closes connects again and resumes. */
  async function room() {
    let roomId = ''
    const player = async () => {
      const { player: account, accessToken } = await signIn()
      const session = { id: account.id, accessToken }
      const open = () => connect({ port: nextPort() }, game, session)
      let socket = await open()
      if (roomId === '') roomId = String((await socket.request({ t: 'create', private: true }))['room'].id)
      else await socket.request({ t: 'join', roomId })
      const playing = untilOver(async () => {
        if (socket.socket.readyState !== WebSocket.OPEN) {
          socket = await open()
          const { room: resumed } = await socket.request({ t: 'resume', roomId })
          const seats = resumed.players.filter(({ id }: { id: string }) => id === account.id).length
          if (resumed.id === roomId && seats === 1) report.resumed++
          else report.seatsLost.push(account.id)
        }
        socket.send({ t: 'send', type: 'x', data: 1 })
        await pause(50)
      }).catch((error: Error) => void report.seatsLost.push(`${account.id}: ${error.message}`))
      return playing.finally(() => void socket.close())
    }
    const players = []
    for (let n = 0; n < ROOM_PLAYERS; n++) {
      players.push(player())
      await comesTrue('there is a room', async () => roomId !== '')
    }
    await Promise.all(players)
  }

  const savers = startSavers(ask, { players: SAVERS, pauseMs: PAUSE_MS })
  const running = Promise.all([scorer(), refresher(), room()])
  running.catch(() => {})
  await comesTrue('the load has begun', async () => report.requests > 100)
  return {
    async end() {
      isOver = true
      await Promise.all([running, savers.stop()])
    },
    async report() {
      report.lost.push(...savers.report.lost)
      for (const check of checks) await check()
      agent.destroy()
      return report
    },
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      replacements: { type: 'string', default: '10' },
      'pause-ms': { type: 'string', default: '1000' },
      balancer: { type: 'string', default: 'haproxy' },
    },
  })
  const report = await rollingReplacements({
    replacements: Number(values.replacements),
    balancer: values.balancer === 'client' ? 'client' : 'haproxy',
    pauseMs: Number(values['pause-ms']),
  })
  console.log(
    JSON.stringify(
      { ...report, failed: report.failed.slice(0, 20), failures: report.failed.length },
      null,
      1,
    ),
  )
  process.exit(report.failed.length + report.lost.length + report.seatsLost.length > 0 ? 1 : 0)
}
