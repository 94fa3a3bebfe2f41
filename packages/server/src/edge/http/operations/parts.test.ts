import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

import pg from 'pg'

import { writeFact } from '../../../engines/database/installation.ts'
import { newDataDir, newPostgresDatabase } from '../../../testing/databases.ts'
import { startRedis } from '../../../testing/redis.ts'
import { engines, startService } from '../../../testing/service.ts'
import { startSmtpServer } from '../../../testing/smtp-server.ts'
import { createPartStates } from './parts.ts'

const NAMES = [
  'backup',
  'cards',
  'clock',
  'databaseConnections',
  'databaseStandby',
  'disk',
  'files',
  'functions',
  'mail',
  'payments',
  'redis',
  'turn',
  'voice',
]
type States = Record<string, { state: string; says: string }>
const statesIn = (parts: States) =>
  Object.fromEntries(Object.entries(parts).map(([name, { state }]) => [name, state]))

for (const engine of engines)
  test(`[OPS-47] [OPS-79] the operator sees the state of every part at /readyz?parts=true on ${engine}`, async (t) => {
    const service = await startService(engine, { settings: { SVC_BILLING: 'off' } })
    t.after(() => service.stop())
    const { status, body } = await service.call('GET', '/readyz?parts=true')
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body.parts).toSorted(), NAMES)
    const { functions, disk: _, ...states } = statesIn(body.parts)
    assert.ok(functions !== undefined)
    assert.deepEqual(states, {
      databaseStandby: 'off',
      databaseConnections: engine === 'postgres' ? 'ok' : 'off',
      clock: 'ok',
      redis: engine === 'postgres' ? 'ok' : 'off',
      files: 'ok',
      mail: 'off',
      cards: 'ok',
      turn: 'ok',
      voice: 'ok',
      payments: 'off',
      backup: 'off',
    })
    const clock =
      engine === 'sqlite'
        ? /^\d+ ms (?:ahead of|behind) the time since the start of this process$/
        : /^\d+ ms (?:ahead of|behind) the database$/
    assert.match(body.parts.clock.says, clock)
    assert.match(body.parts.disk.says, /GB free/)
    assert.equal((await service.call('GET', '/readyz')).body.parts, undefined)
  })

test('[OPS-78] a backup is old after 1.5 times SVC_BACKUP_HOURS, in the part and in the metric of the alert', async (t) => {
  for (const [hours, ageHours, state, maxSeconds] of [
    ['24', 35, 'ok', '129600'],
    ['24', 37, 'warning', '129600'],
    ['48', 71, 'ok', '259200'],
    ['48', 73, 'warning', '259200'],
    ['0', 37, 'warning', '129600'],
  ] as const) {
    const service = await startService('sqlite', { settings: { SVC_BACKUP_HOURS: hours } })
    t.after(() => service.stop())
    const at = new Date(service.clock.now().getTime() - ageHours * 3_600_000).toISOString()
    const stored = { countedFrom: at, writtenAt: at, verified: { at, bytes: 5 }, failure: null }
    await writeFact(service.db, 'backup', JSON.stringify(stored))
    await service.everyMinute()
    const { body } = await service.call('GET', '/readyz?parts=true')
    assert.equal(body.parts.backup.state, state, `${hours}: ${body.parts.backup.says}`)
    const metrics: string = (await service.call('GET', '/metrics')).body
    assert.equal(/^svc_backup_age_max_seconds (\d+)$/m.exec(metrics)?.[1], maxSeconds)
  }
})

/** `x-forwarded-for` with an address of this machine is a development server. */
const REFUSED_HERE = ['x-forwarded-proto', 'x-forwarded-host', 'x-real-ip', 'forwarded']

test('[OPS-47] [OPS-59] only the operator sees the parts and the metrics: on this machine, or with the token', async (t) => {
  const local = await startService('sqlite')
  const guarded = await startService('sqlite', { settings: { SVC_METRICS_TOKEN: 'a-token' } })
  const remote = await startService('sqlite', { settings: { SVC_BASE_URL: 'https://api.example.com' } })
  const counting = await startService('sqlite', { settings: { SVC_TRUSTED_PROXIES: '1' } })
  t.after(() => Promise.all([local, guarded, remote, counting].map((service) => service.stop())))
  const ask = async (service: typeof local, remoteAddress: string, headers: Record<string, string> = {}) =>
    (await service.http.inject({ method: 'GET', url: '/readyz?parts=true', remoteAddress, headers })).json()
  /** Throws if one of them is open and the other is not. */
  const sees = async (...args: Parameters<typeof ask>) => {
    const [service, remoteAddress, headers = {}] = args
    const metrics = await service.http.inject({ method: 'GET', url: '/metrics', remoteAddress, headers })
    const hasParts = 'parts' in (await ask(...args))
    // A service on a developer's machine refuses what a proxy passes on before it is looked up (DEV-21).
    const isRefused = service === local && Object.keys(headers).some((name) => REFUSED_HERE.includes(name))
    assert.equal(metrics.statusCode, hasParts ? 200 : isRefused ? 403 : 404, JSON.stringify(headers))
    return hasParts
  }
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
    assert.equal(await sees(local, address), true, address)
  assert.equal(await sees(local, '203.0.113.7'), false)
  // What a proxy on this machine passes on may come from anywhere.
  for (const header of [
    'x-forwarded-for',
    'x-forwarded-proto',
    'x-forwarded-host',
    'x-real-ip',
    'forwarded',
    'via',
  ])
    for (const service of [local, counting])
      assert.equal(await sees(service, '127.0.0.1', { [header]: '127.0.0.1' }), false, header)
  assert.equal(await sees(remote, '127.0.0.1'), false)
  assert.equal(await sees(guarded, '127.0.0.1'), false)
  for (const token of ['another', 'a-toke', 'a-token1', 'A-token'])
    assert.equal(await sees(guarded, '127.0.0.1', { authorization: `Bearer ${token}` }), false, token)
  assert.equal(await sees(guarded, '203.0.113.7', { authorization: 'Bearer a-token' }), true)
  assert.deepEqual(Object.keys(await ask(local, '203.0.113.7')), [
    'status',
    'checks',
    'functionsSandbox',
    'functionsAccount',
    'backups',
    'databaseStandby',
  ])
})

test('[OPS-47] [OPS-56] a primary that is followed and has no synchronous standby is reported, in the same word', async (t) => {
  const database = await newPostgresDatabase()
  const url = new URL(database.url)
  url.searchParams.set('target_session_attrs', 'read-write')
  const service = await startService('postgres', { settings: { DATABASE_URL: url.href } })
  t.after(async () => {
    await service.stop()
    await database.remove()
  })
  const { body } = await service.call('GET', '/readyz?parts=true')
  assert.deepEqual([body.databaseStandby, body.parts.databaseStandby.state], ['none', 'warning'])
})

test('[OPS-47] [OPS-88] fewer connections than the nodes need are a warning that names the fix', async (t) => {
  const database = await newPostgresDatabase()
  const admin = new pg.Client({ connectionString: database.url })
  await admin.connect()
  await admin.query(`alter database ${new URL(database.url).pathname.slice(1)} connection limit 10`)
  await admin.end()
  const service = await startService('postgres', { settings: { DATABASE_URL: database.url } })
  t.after(async () => {
    await service.stop()
    await database.remove()
  })
  const { body } = await service.call('GET', '/readyz?parts=true')
  assert.equal(body.parts.databaseConnections.state, 'warning')
  assert.match(
    body.parts.databaseConnections.says,
    /^1 node opens \d+ connections, PostgreSQL allows 10: raise/,
  )
})

test('[OPS-47] a mail server that does not answer is reported, and the service stays ready', async (t) => {
  const smtp = await startSmtpServer()
  const settings = { SMTP_URL: smtp.url, SVC_MAIL_FROM: 'svc@example.com' }
  const service = await startService('sqlite', { settings })
  const other = await startService('sqlite', { settings })
  t.after(() => Promise.all([service.stop(), other.stop()]))
  const mailOf = async ({ call }: typeof service) => {
    const { status, body } = await call('GET', '/readyz?parts=true')
    assert.equal(status, 200)
    return body.parts.mail
  }
  assert.equal((await mailOf(service)).state, 'ok')
  await smtp.stop()
  const failing = await mailOf(other)
  assert.equal(failing.state, 'failing')
  assert.match(failing.says, /ECONNREFUSED|connect/)
})

test('[OPS-47] TURN servers, TURN providers and Stripe that do not answer are reported', async (t) => {
  const endpoints = join(await newDataDir(), 'endpoints.json')
  const nowhere = { apiBaseUrl: 'http://127.0.0.1:1' }
  await writeFile(endpoints, JSON.stringify({ stripe: nowhere, cloudflare: nowhere }))
  t.after(() => rm(dirname(endpoints), { recursive: true }))
  const coturn = await startService('sqlite', {
    settings: {
      TURN_URLS: 'turn:127.0.0.1:1?transport=udp,turn:127.0.0.1:1?transport=tcp',
      TURN_SECRET: 'x',
      STRIPE_SECRET_KEY: 'sk_test_x',
      STRIPE_WEBHOOK_SECRET: 'whsec_x',
      SVC_PROVIDER_ENDPOINTS: endpoints,
    },
  })
  const managed = await startService('sqlite', {
    settings: {
      TURN_PROVIDER: 'cloudflare',
      TURN_KEY_ID: 'x',
      TURN_API_TOKEN: 'x',
      SVC_PROVIDER_ENDPOINTS: endpoints,
      SVC_CARDS: 'off',
    },
  })
  t.after(() => Promise.all([coturn.stop(), managed.stop()]))
  const partsOf = async ({ call }: typeof coturn) => (await call('GET', '/readyz?parts=true')).body.parts
  const ofCoturn = await partsOf(coturn)
  assert.deepEqual([ofCoturn.turn.state, ofCoturn.payments.state], ['failing', 'failing'])
  assert.match(ofCoturn.turn.says, /^127\.0\.0\.1 does not answer/)
  const ofManaged = await partsOf(managed)
  assert.deepEqual(
    [ofManaged.turn.state, ofManaged.cards.state, ofManaged.payments.state],
    ['failing', 'off', 'warning'],
  )
})

test('[OPS-47] parts are also in the answer of a service that is not ready', async (t) => {
  const redis = await startRedis()
  t.after(() => redis.stop())
  const service = await startService('postgres', { settings: { REDIS_URL: redis.url } })
  t.after(() => service.stop())
  await redis.stop()
  let body
  do body = (await service.call('GET', '/readyz?parts=true')).body
  while (body.error === undefined || body.error.details.parts.redis.state === 'ok')
  assert.ok(body.error.details.down.includes('bus'))
  assert.equal(body.error.details.parts.redis.state, 'failing')
  assert.equal(body.error.details.parts.voice.state, 'ok')
})

test('[OPS-47] requests share one look for five seconds; what hangs or throws is reported as failing', async (t) => {
  let nowMs = 0
  let looks = 0
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const states = createPartStates(
    {
      counted: async () => ({ state: 'ok', says: String(++looks) }),
      hangs: () => new Promise(() => {}),
      throws: () => {
        throw new Error('for a reason')
      },
    },
    () => nowMs,
  )
  const first = states()
  assert.equal(states(), first)
  nowMs = 4_999
  assert.equal(states(), first)
  // The parts that answer have answered.
  await new Promise(setImmediate)
  t.mock.timers.tick(5_000)
  assert.deepEqual(await first, {
    counted: { state: 'ok', says: '1' },
    hangs: { state: 'failing', says: 'no answer within 5 s' },
    throws: { state: 'failing', says: 'for a reason' },
  })
  nowMs = 5_000
  assert.notEqual(states(), first)
  assert.equal(looks, 2)
  t.mock.timers.tick(5_000)
})
