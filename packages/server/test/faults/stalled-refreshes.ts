import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { startServices } from '../../../../scripts/services.ts'
import { newPostgresDatabase } from '../../src/testing/databases.ts'
import { comesTrue } from '../../src/testing/in-time.ts'
import { startRedis } from '../../src/testing/redis.ts'
import { callerOf, type ServerProcess, setUpCallerOf, startServer } from '../server-process.ts'
import { CLOCK_DIFFERENCE_MAX_MS } from './refresh-rounds.ts'

export type Nodes = Awaited<ReturnType<typeof startNodes>>
export type Replays = { replays: number; wrong: string[] }

/** Calls to the nodes by index. */
export type Calls = {
  guest(node: number): Promise<Session>
  refresh(node: number, refreshToken: string): Promise<Answer>
  me(node: number, token: string): Promise<Answer>
}
// oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects, and fails where it is not so
type Answer = { status: number; body: any }
type Session = { refreshToken: string; accessToken: string }
const CONCURRENCY = 10

/** Starts two server programs on one PostgreSQL and one Redis, with a project. */
export async function startNodes() {
  await using opened = new AsyncDisposableStack()
  const folder = opened.adopt(await mkdtemp(join(tmpdir(), 'svc-stalls-')), (path) =>
    rm(path, { recursive: true, force: true }),
  )
  const postgres = opened.adopt(await newPostgresDatabase(), ({ remove }) => remove())
  // Programs have no prefix of their own: on a shared Redis they would be nodes of one service.
  const redis = opened.adopt(await startRedis(), ({ stop }) => stop())
  const shared = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    SVC_SECRET_KEY: 'ab'.repeat(32),
    SVC_BASE_URL: 'http://game.localhost',
    SVC_RATE_LIMITS: 'off',
  }
  const start = async (name: string) =>
    opened.adopt(await startServer({ ...shared, SVC_DATA_DIR: join(folder, name) }), async (node) => {
      node.signal('SIGCONT')
      node.signal('SIGTERM')
      await node.ended
    })
  const nodes: [ServerProcess, ServerProcess] = [await start('a'), await start('b')]
  for (const node of nodes)
    await comesTrue('the node knows the time of the database', () => isClockRight(node))

  const call = setUpCallerOf(nodes[0])
  const { body: developer } = await call('POST', '/v1/developers/signup', {
    body: { email: 'dev@example.com', password: 'correct horse' },
  })
  const { body } = await call('POST', '/v1/projects', { token: developer.token, body: { name: 'Duel' } })
  const { key } = body.keys.find(
    ({ type, environment }: Record<string, string>) => `${type} ${environment}` === 'publishable development',
  )
  const callers = nodes.map((node) => callerOf(node))
  const on = (node: number) => callers[node % callers.length] ?? assert.fail()
  const stack = opened.move()
  return {
    nodes,
    guest: async (node: number): Promise<Session> =>
      (
        await setUpCallerOf(nodes[node % nodes.length] ?? nodes[0])('POST', '/v1/auth/guest', {
          key,
          body: {},
        })
      ).body,
    refresh: (node: number, refreshToken: string) =>
      on(node)('POST', '/v1/auth/refresh', { key, body: { refreshToken } }),
    me: (node: number, token: string) => on(node)('GET', '/v1/players/me', { key, token }),
    stop: () => stack.disposeAsync(),
  }
}

/**
 * On a busy machine the database may answer late when a node asks for its time at the start; the node knows better after some seconds.
 * Here both have the same clock.
 */
async function isClockRight(node: ServerProcess): Promise<boolean> {
  const { body } = await callerOf(node)('GET', '/readyz?parts=true')
  return Number.parseInt(body.parts?.clock.says, 10) <= CLOCK_DIFFERENCE_MAX_MS
}

/**
 * Uses one refresh token on both nodes at the same moment, while one node is stopped for 100 to 500 ms. One use must win, the
 * other must lose a race, and the winner's token must work.
 */
export async function stalledRounds({ nodes, guest, refresh }: Nodes, rounds: number): Promise<Replays> {
  const wrong: string[] = []

  async function race(number: number, { refreshToken }: Session) {
    const answers = await Promise.all([refresh(number, refreshToken), refresh(number + 1, refreshToken)])
    const won = answers.filter(({ status }) => status === 200)
    const lost = answers.filter(({ body }) => body.error?.code === 'refresh_race')
    if (won.length !== 1 || lost.length !== 1)
      return void wrong.push(answers.map(({ status, body }) => body.error?.code ?? status).join(' and '))
    const next = await refresh(number, won[0]?.body.refreshToken)
    if (next.status !== 200) wrong.push(`the winner's token answers ${next.body.error?.code}`)
  }

  for (let done = 0; done < rounds; done += CONCURRENCY) {
    const count = Math.min(CONCURRENCY, rounds - done)
    const sessions = await Promise.all(Array.from({ length: count }, () => guest(done)))
    const stopped = nodes[(done / CONCURRENCY) % 2 ? 0 : 1]
    // The node is stopped before the requests are sent, between the two uses, or while they are delayed.
    const isBefore = Math.random() < 0.5
    if (isBefore) stopped.signal('SIGSTOP')
    const races = sessions.map((session, at) => race(done + at, session))
    if (!isBefore) {
      await pause(60 * Math.random())
      stopped.signal('SIGSTOP')
    }
    await pause(100 + 400 * Math.random())
    stopped.signal('SIGCONT')
    await Promise.all(races)
  }
  return { replays: rounds, wrong }
}

/** Replays a token on either node as soon as its first use is answered: the chain must always be revoked. */
export async function replays({ guest, refresh }: Calls, count: number): Promise<Replays> {
  const wrong: string[] = []
  for (let number = 0; number < count; number++) {
    const { refreshToken } = await guest(number)
    const { status } = await refresh(number, refreshToken)
    const replay = await refresh(number + (number % 4 < 2 ? 0 : 1), refreshToken)
    if (status !== 200 || replay.body.error?.code !== 'session_revoked')
      wrong.push(`${status}, then ${replay.body.error?.code}`)
  }
  return { replays: count, wrong }
}

/** Sends requests to both nodes until `work` is done. */
export async function whileBusy<T>({ guest, me }: Calls, callers: number, work: () => Promise<T>) {
  let isOver = false
  let requests = 0
  const { accessToken } = await guest(0)
  const busy = Array.from({ length: callers }, async (_, number) => {
    for (; !isOver; requests++) await me(number, accessToken)
  })
  const result = await work()
  isOver = true
  await Promise.all(busy)
  return { ...result, requests }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '1000' } } })
  const rounds = Number(values.rounds)
  const services = await startServices()
  Object.assign(process.env, { TEST_POSTGRES_URL: services.postgresUrl, TEST_REDIS_URL: services.redisUrl })
  const nodes = await startNodes()
  const received = (what: string, { replays: count, wrong }: Replays) =>
    console.log(`${what}: ${count}, ${wrong.length} wrong`, wrong.slice(0, 5))
  received('rounds with a paused node', await stalledRounds(nodes, rounds))
  received('replays on idle nodes', await replays(nodes, rounds))
  const busy = await whileBusy(nodes, 16, () => replays(nodes, rounds))
  received(`replays on busy nodes (${busy.requests} other requests)`, busy)
  await nodes.stop()
  await services.stop()
}
