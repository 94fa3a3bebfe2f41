import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { text as readText } from 'node:stream/consumers'
import { after } from 'node:test'

import type { InjectOptions } from 'fastify'

import type { App } from '../app.ts'
import { createStoppedClock, type MovableClock } from '../platform/clock.ts'
import { openService, type ServiceOptions } from '../service.ts'
import { readSettings } from '../settings.ts'
import { assertInContract, rowOf } from './contract-check.ts'
import {
  copySqliteTemplate,
  newDataDir,
  newPostgresDatabase,
  testPrepares,
  testVariable,
} from './databases.ts'
import { runTransactionsTwice } from './transactions-twice.ts'

export type Engine = 'sqlite' | 'postgres'
const EVERY_ENGINE: readonly Engine[] = ['sqlite', 'postgres']
/** The engines that tests run on: both, or the one that `npm test` has chosen for this file. */
export const engines = EVERY_ENGINE.filter((engine) => engine === (process.env['TEST_ENGINE'] ?? engine))

export type Answer = {
  status: number
  headers: Record<string, string>
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects, and fails where it is not so
  body: any
}
export type Call = (
  method: string,
  url: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>
type TestDeveloper = { id: string; email: string; token: string; call: Call }
export type Service = Awaited<ReturnType<typeof startService>>
/** One environment of a test project: its path, its keys, and callers with them. */
export type TestEnvironment = Awaited<ReturnType<Service['newProject']>>['development']

/** What nodes of one service share. */
type Home = {
  dataDir: string
  clock: MovableClock
  postgres: Awaited<ReturnType<typeof newPostgresDatabase>> | undefined
  redisPrefix: string
}

type Options = {
  settings?: Record<string, string>
  clusterOf?: Home
  /** `cheap` is the default; `real` only for tests of the cost. */
  passwords?: 'cheap' | 'real'
  logKeepMs?: number
  /**
   * `twice`, see `runTransactionsTwice`, is the default on SQLite, where it takes a fifth more CPU time, so half of all files have it in
   * each run of the whole suite. `once` is for tests that count statements or measure.
   */
  transactions?: 'once' | 'twice'
  /** Routes, pages and hosts of the test itself. */
  mount?: ServiceOptions['mount']
  watchCards?: ServiceOptions['watchCards']
  sfuTimings?: ServiceOptions['sfuTimings']
}
const CHEAP = { memoryKiB: 8, passes: 1, parallelism: 1 }
/**
 * On a busy machine Redis, or a proxy in front of it, may not answer within the product's 250 ms. Commands to a Redis that is
 * stopped or frozen still end sooner: with the connection, which is pinged every second.
 */
const REDIS_TIMEOUT_MS = 10_000

const running = new Set<{ close(): Promise<void> }>()
// If a test fails before it stops what it started, its file would never end.
if (process.env['NODE_TEST_CONTEXT'] !== undefined)
  after(() => Promise.allSettled([...running].map((service) => service.close())))

const isStream = (method: string, url: string) =>
  rowOf(method, url)?.endpoint.responseType === 'text/event-stream'

/** The response to a request; of a stream of events, which does not end, only its head. */
export async function answerTo(
  http: Pick<App['http'], 'inject'>,
  request: InjectOptions & { method: 'GET'; url: string },
) {
  const isEndless = isStream(request.method, request.url)
  const response = await http.inject({ ...request, ...(isEndless && { payloadAsStream: true }) })
  const answer = { status: response.statusCode, headers: response.headers as Record<string, string> }
  if (!isEndless) return { ...answer, text: response.body }
  if (answer.status !== 200) return { ...answer, text: await readText(response.stream()) }
  response.raw.res.destroy()
  return { ...answer, text: '' }
}

/**
 * A whole service with a stopped clock, for the tests of every capability. `sqlite` runs on embedded engines only, `postgres` on
 * PostgreSQL and Redis. With `clusterOf` it is another node of that service.
 */
export async function startService(engine: Engine, options: Options = {}) {
  const { settings = {}, clusterOf, passwords = 'cheap', logKeepMs } = options
  const { transactions = engine === 'sqlite' ? 'twice' : 'once', mount, watchCards, sfuTimings } = options
  const dataDir = clusterOf?.dataDir ?? (await newDataDir())
  if (engine === 'sqlite' && !clusterOf) await copySqliteTemplate(dataDir)
  const clock: MovableClock = clusterOf?.clock ?? createStoppedClock()
  const postgres = engine === 'postgres' ? (clusterOf?.postgres ?? (await newPostgresDatabase())) : undefined
  const redisPrefix = clusterOf?.redisPrefix ?? `${dataDir}:`

  const service = await openService(
    readSettings({
      SVC_DATA_DIR: dataDir,
      LOG_LEVEL: 'silent',
      SVC_TEST_CLOCK: 'on',
      SVC_SIGN_UP: 'open',
      SVC_BACKUP_HOURS: '0',
      ...(postgres && { DATABASE_URL: postgres.url, REDIS_URL: testVariable('TEST_REDIS_URL') }),
      ...(!testPrepares() && { SVC_POSTGRES_PREPARE: 'off' }),
      ...settings,
    }),
    {
      clock,
      redisPrefix,
      redisCommandTimeoutMs: REDIS_TIMEOUT_MS,
      ...(passwords === 'cheap' && { passwordWork: CHEAP }),
      ...(transactions === 'twice' && { wrapDatabase: runTransactionsTwice }),
      ...(logKeepMs !== undefined && { logKeepMs }),
      ...(mount && { mount }),
      ...(watchCards && { watchCards }),
      ...(sfuTimings && { sfuTimings }),
    },
  )

  running.add(service)

  const call: Call = async (method, url, body, headers = {}) => {
    const {
      status,
      headers: received,
      text,
    } = await answerTo(service.http, {
      method: method as 'GET',
      url,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    })
    const answer = {
      status,
      headers: received,
      body: /json/.test(String(received['content-type'])) ? JSON.parse(text) : text,
    }
    if (isStream(method, url) && status === 200) return answer
    assertInContract(method, url, answer.status, answer.body)
    return answer
  }

  async function removeData() {
    await rm(dataDir, { recursive: true, force: true })
    await postgres?.remove()
  }

  let count = 0
  const withToken =
    (token: string): Call =>
    (method, url, body, headers) =>
      call(method, url, body, { authorization: `Bearer ${token}`, ...headers })
  const withKey =
    (key: string): Call =>
    (method, url, body, headers) =>
      call(method, url, body, { 'x-svc-key': key, ...headers })

  return {
    ...service,
    call,
    clock,
    dataDir,
    postgres,
    redisPrefix,
    withToken,
    withKey,

    async newDeveloper(email = `dev${++count}-${engine}@example.com`) {
      const { status, body } = await call('POST', '/v1/developers/signup', {
        email,
        password: 'correct horse',
      })
      assert.equal(status, 200, JSON.stringify(body))
      return { ...body.developer, token: body.token, call: withToken(body.token) } as TestDeveloper
    },

    /** A developer who may use what belongs to the operator of the service. */
    async newOperator(email?: string) {
      const operator = await this.newDeveloper(email)
      assert.equal(await service.signUp.setOperator(operator.email, true), true)
      return operator
    },

    /** A developer with a project: the paths and callers that most tests need. */
    async newProject(owner?: TestDeveloper, name = `Game ${++count}`) {
      const developer = owner ?? (await this.newDeveloper())
      const { status, body } = await developer.call('POST', '/v1/projects', { name })
      assert.equal(status, 200, JSON.stringify(body))
      const keyOf = (environment: string, type: string): string =>
        body.keys.find(
          (key: { environment: string; type: string }) =>
            key.environment === environment && key.type === type,
        ).key
      const side = (environment: string) => ({
        path: `/v1/projects/${body.project.id}/environments/${environment}`,
        publishableKey: keyOf(environment, 'publishable'),
        secretKey: keyOf(environment, 'secret'),
        server: withKey(keyOf(environment, 'secret')),
        public: withKey(keyOf(environment, 'publishable')),
      })
      return {
        ...(body.project as {
          id: string
          name: string
          slug: string
          environments: { id: string; name: string }[]
        }),
        keys: body.keys as { id: string; key: string; environment: string; type: string }[],
        developer,
        development: side('development'),
        production: side('production'),
      }
    },

    /** A project of the developer with this session. */
    newProjectOf(token: string) {
      return this.newProject({ id: '', email: '', token, call: withToken(token) })
    },

    /** Newest first, in any state. */
    async mailsTo(email: string) {
      const rows = await service.db.search((q) =>
        q.selectFrom('mail_outbox').selectAll().where('recipient', '=', email).orderBy('id', 'desc'),
      )
      return rows.map(({ subject, textBody }) => ({ subject, text: textBody }))
    },

    async stop() {
      await service.close()
      if (!clusterOf) await removeData()
    },
    removeData,
  }
}
