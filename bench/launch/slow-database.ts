import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { startNetworkProxy } from '../../packages/sdk/test/network-proxy.ts'
import { startScript } from '../processes.ts'
import { openSocket } from '../realtime/websocket.ts'
import { call, newProject } from '../targets/service.ts'
import type { PlayerResult, PlayerTask } from './player-process.ts'
import { type Finding, type Situation, startCloudNodes } from './situation.ts'
import { startSlowProxy } from './slow-proxy.ts'

const HERE = join(import.meta.dirname, '../..')
const PLAYERS = 10
const STATEMENT_MS = 3_000
const SLOW_MS = 25_000
/** Until what the service keeps for a second is forgotten. */
const CUT_AFTER_MS = 2_000
/** After an outage of 25 s the SDK tries at least every 8 s, and gives an attempt 10 s. */
const RETURN_MS = 30_000
const SOCKETS = 5_000
const CONFIG = {
  features: { multiplayer: true, realtimeChannels: true },
  multiplayer: { modes: [{ key: 'party', minPlayers: 1, maxPlayers: 2 }] },
}

/**
 * PostgreSQL takes three seconds for each statement, for a while. Players whose connections are lost in it must come back, and so must
 * thousands that connect together: what is late is not a refusal.
 */
export const slowDatabase: Situation = {
  name: 'slow-database',
  async run(opened, { checkout, scale, log }) {
    let database: Awaited<ReturnType<typeof startSlowProxy>> | undefined
    const { nodes } = await startCloudNodes(opened, {
      checkout,
      count: 1,
      async databaseVia(url) {
        database = await startSlowProxy(Number(new URL(url).port))
        opened.defer(database.stop)
        return url.replace(/:\d+\//, `:${database.port}/`)
      },
    })
    const [node] = nodes
    if (!node || !database) throw new Error('no node')
    const { publishable: key, secret } = await newProject(node.port, 'Slow')
    await call(node.port, 'PUT', '/v1/config', { 'x-svc-key': secret }, CONFIG)

    const sdk = join(checkout ?? HERE, 'packages/sdk/src/index.ts')
    const players = await playersOut(opened, { port: node.port, key, sdk }, database, log)
    const sockets = await socketsOut(node.port, key, Math.round(SOCKETS * scale), database, log)
    return [players, sockets]
  },
}

type Database = Awaited<ReturnType<typeof startSlowProxy>>
type Log = (line: string) => void

async function playersOut(
  opened: AsyncDisposableStack,
  { port, key, sdk }: { port: number; key: string; sdk: string },
  database: Database,
  log: Log,
): Promise<Finding> {
  const network = await startNetworkProxy(`http://127.0.0.1:${port}`)
  opened.defer(network.stop)
  const players = Array.from({ length: PLAYERS }, () =>
    startScript<PlayerTask, PlayerResult>('launch/player-process.ts'),
  )
  for (const { end } of players) opened.defer(end)
  let room: string | undefined
  for (const [at, player] of players.entries()) {
    const { url, realtimeUrl } = network
    const isFirst = at % 2 === 0
    const task = { type: 'enter', sdk, url, realtimeUrl, key, ...(!isFirst && room && { room }) } as const
    ;({ room } = await player.ask(task, 30_000))
  }

  database.delay(STATEMENT_MS)
  await sleep(CUT_AFTER_MS)
  network.cut()
  network.open()
  await sleep(SLOW_MS - CUT_AFTER_MS)
  database.delay(0)
  await sleep(RETURN_MS)
  const looks = await Promise.all(players.map(({ ask }) => ask({ type: 'look' }, 10_000)))
  for (const { closed } of looks) if (closed.length > 0) log(closed.join(', '))
  const out = looks.filter(({ isInChannel, isInRoom }) => !isInChannel || !isInRoom).length
  return {
    what: `${STATEMENT_MS / 1_000} s a statement for ${SLOW_MS / 1_000} s: players out for good`,
    measured: `${out} of ${PLAYERS}`,
    goal: '0',
    isMet: out === 0,
  }
}

/** All connect together while the database is slow, and leave after ten seconds to come again, as the SDK does. */
async function socketsOut(
  port: number,
  key: string,
  count: number,
  database: Database,
  log: Log,
): Promise<Finding> {
  const tokens: string[] = []
  while (tokens.length < count)
    tokens.push(...(await Promise.all(Array.from({ length: 50 }, () => newGuest(port, key)))))
  const ends = new Map<number, number>()
  const noteEnd = (code: number) => void ends.set(code, (ends.get(code) ?? 0) + 1)

  database.delay(STATEMENT_MS)
  const entering = tokens.slice(0, count).map((token) => enter(port, key, token, noteEnd))
  await sleep(SLOW_MS)
  database.delay(0)
  const results = await Promise.all(entering)
  const isIn = results.filter(Boolean).length
  const endsText = [...ends].map(([code, n]) => `${n} × ${code}`).join(', ')
  log(`${isIn} of ${count} came in; ends of attempts: ${endsText}`)
  const refused = ends.get(4001) ?? 0
  return {
    what: `${count} sockets together in it: told that they are not authorized`,
    measured: `${refused}`,
    goal: '0',
    isMet: refused === 0 && isIn === count,
  }
}

async function newGuest(port: number, key: string): Promise<string> {
  const guest = { 'x-svc-key': key }
  return (await call<{ accessToken: string }>(port, 'POST', '/v1/auth/guest', guest, {})).accessToken
}

const WELCOME_MAX_MS = 10_000
const ATTEMPTS_MAX = 15

/** False if the service refuses the player, or never lets the player in. */
async function enter(port: number, key: string, token: string, noteEnd: (code: number) => void) {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const end = await attemptToEnter(port, key, token)
    if (end === 'welcome') return true
    noteEnd(end)
    if (end === 4001) return false
    await sleep(Math.min(8_000, 200 * 2 ** attempt) * (0.5 + Math.random() / 2))
  }
  return false
}

/** The close code, 1000 if this side gave up, or 1006 if the service closed the connection without one. */
async function attemptToEnter(port: number, key: string, token: string): Promise<number | 'welcome'> {
  const { promise, resolve } = Promise.withResolvers<number | 'welcome'>()
  const welcomed = (payload: Buffer) => payload.includes('"welcome"') && resolve('welcome')
  const opening = openSocket(port, '/v1/realtime', welcomed, undefined, resolve)
  const socket = await opening.catch(() => undefined)
  if (!socket) return 1006
  socket.send(JSON.stringify({ t: 'auth', key, token }))
  const timer = setTimeout(() => resolve(1000), WELCOME_MAX_MS)
  const end = await promise
  clearTimeout(timer)
  if (end === 1000) await socket.close()
  return end
}
