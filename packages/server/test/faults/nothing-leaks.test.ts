import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { createClient as createRedisClient } from '@redis/client'
import pg from 'pg'

import { newPostgresDatabase } from '../../src/testing/databases.ts'
import { deploymentOf } from '../../src/testing/deployed-functions.ts'
import { startRedis } from '../../src/testing/redis.ts'
import { callerOf, type ServerProcess, startServer } from '../server-process.ts'
import { createClient, emptyAckLog, newApp, sha256Of, siteOf } from './deployer.ts'

/** Frequent garbage collection finds handles that were never closed. */
const SMALL = {
  NODE_OPTIONS: '--max-semi-space-size=1',
  SVC_RATE_LIMITS: 'off',
  SVC_BILLING: 'off',
  LOG_LEVEL: 'silent',
}
const RECOVERY_TIMEOUT_MS = 60_000
/** Number of keep-alive connections of the test's own clients, which varies. A leak is many more. */
const KEPT_MAX = 8

async function start(t: TestContext, variables: Record<string, string> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-nothing-leaks-'))
  const server = await startServer({ SVC_DATA_DIR: dataDir, ...SMALL, ...variables })
  t.after(async () => {
    server.signal('SIGKILL')
    await server.ended
    rmSync(dataDir, { recursive: true })
  })
  const call = callerOf(server)
  const app = await newApp(call)
  const client = createClient(server, app, emptyAckLog())
  await client.deploy('first', 2)
  return { server, call, app, client, dataDir }
}

/** Reads slowly, answers without end, never answers, throws, and keeps WebSockets. */
const FUNCTIONS = `
const socket = () => {
  const { 0: client, 1: server } = new WebSocketPair()
  server.accept()
  server.addEventListener('message', ({ data }) => server.send(data))
  return new Response(null, { status: 101, webSocket: client })
}
export default { async fetch(request) {
  switch (new URL(request.url).pathname) {
    case '/endless': return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65536)) }))
    case '/never': await scheduler.wait(30_000); return new Response('late')
    case '/throw': throw new Error('thrown')
    case '/unread': return new Response('not read')
    case '/socket': return socket()
    default: return new Response((await request.text()).length)
  }
} }`

async function deployFunctions({ call, app: { key } }: Started) {
  const enabled = await call('POST', '/v1/admin/functions/enable', { key, body: {} })
  assert.equal(enabled.status, 200)
  const deployed = await call('POST', '/v1/admin/functions/deployments', {
    key,
    body: deploymentOf(FUNCTIONS),
  })
  assert.equal(deployed.status, 201, JSON.stringify(deployed.body))
}

type Started = Awaited<ReturnType<typeof start>>

/** The server still responds correctly, leaks no sockets, and exits cleanly on SIGTERM without output. */
async function requireUnharmed({ server, client, dataDir }: Started, socketsBefore: number) {
  for (const [path, bytes] of siteOf('first')) {
    const answer = await client.visit(`/${path}`)
    assert.deepEqual([answer.status, sha256Of(answer.bytes)], [200, sha256Of(bytes)], path)
  }
  await client.deploy('second', 2)

  const blobs = () => openOf(server).filter((path) => path.startsWith(join(dataDir, 'blobs')))
  const socketsMax = socketsBefore + KEPT_MAX
  const tooMany = () => blobs().length > 0 || socketsOf(server) > socketsMax
  for (const until = performance.now() + RECOVERY_TIMEOUT_MS; tooMany() && performance.now() < until;)
    await pause(50)
  assert.deepEqual(blobs(), [])
  assert.ok(socketsOf(server) <= socketsMax, `${socketsOf(server)} sockets, ${socketsBefore} before`)

  server.signal('SIGTERM')
  const { code, signal, errors } = await server.ended
  assert.deepEqual({ code, signal, errors }, { code: 0, signal: null, errors: '' })
}

function openOf({ pid }: ServerProcess): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
    } catch {
      // The socket was closed in the meantime.
      return []
    }
  })
}

const socketsOf = (server: ServerProcess) =>
  openOf(server).filter((path) => path.startsWith('socket:')).length

test('aborted connections never crash the process or leak sockets', async (t) => {
  const started = await start(t)
  const { server, call, app } = started
  await deployFunctions(started)
  const ofApi = `Host: localhost\r\nX-Svc-Key: ${app.key}\r\n`
  const large = Buffer.alloc(1024 * 1024, 'large')
  const upload = (headers: string) => `PUT /v1/blobs/${sha256Of(large)} HTTP/1.1\r\n${ofApi}${headers}\r\n`
  const visit = `GET /data/noise.bin HTTP/1.1\r\nHost: ${app.slug}.localhost\r\n\r\n`
  const config = `PUT /v1/config HTTP/1.1\r\n${ofApi}Content-Type: application/json\r\nContent-Length: 30\r\n\r\n`
  const handshake =
    'GET /v1/realtime HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'

  const ofFunctions = `Host: ${app.slug}--fn.localhost\r\n`
  const ofFunctionSocket = handshake
    .replace('/v1/realtime', '/socket')
    .replace('Host: localhost\r\n', ofFunctions)

  const STAGES: Record<string, string> = {
    'the request line': 'GET /v1/hos',
    headers: `GET /v1/hosting HTTP/1.1\r\nHost: localhost\r\nX-Sv`,
    'the wait for an answer': `GET /v1/hosting HTTP/1.1\r\n${ofApi}\r\n`,
    'a body of JSON': `${config}{"features":`,
    'an upload': `${upload(`Content-Length: ${large.length}\r\n`)}${large.toString('latin1', 1)}`,
    'an upload whose bytes are not what they should be': `${upload('Transfer-Encoding: chunked\r\n')}1\r\nx\r\n0\r\n\r\n`,
    'an upload before its first byte': upload(`Content-Length: ${large.length}\r\n`),
    'a large file': visit,
    'large files one behind the other': visit.repeat(5),
    'large files and an upgrade behind them': `${visit.repeat(5)}${handshake}\r\n`,
    'large files and an upgrade to nowhere': `${visit.repeat(5)}${handshake.replace('realtime', 'nowhere')}\r\n`,
    'large files and CONNECT': `${visit.repeat(5)}CONNECT x:1 HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    'a handshake': handshake,
    'a handshake with a body': `${handshake}Content-Length: 9\r\n\r\nbody`,
    'the first frame': `${handshake}\r\n\x81\xfe`,
    'an endless answer of functions': `GET /endless HTTP/1.1\r\n${ofFunctions}\r\n`,
    'an endless answer of functions at the app': `GET /.fn/endless HTTP/1.1\r\nHost: ${app.slug}.localhost\r\n\r\n`,
    'the wait for functions': `GET /never HTTP/1.1\r\n${ofFunctions}\r\n`,
    'an error of functions': `GET /throw HTTP/1.1\r\n${ofFunctions}\r\n`,
    'a body to functions': `POST / HTTP/1.1\r\n${ofFunctions}Content-Length: ${large.length}\r\n\r\n${large.toString('latin1', 1)}`,
    'a body that functions do not read': `POST /unread HTTP/1.1\r\n${ofFunctions}Content-Length: ${large.length}\r\n\r\nx`,
    'a body that is too large for functions': `POST / HTTP/1.1\r\n${ofFunctions}Content-Length: 99999999\r\n\r\nx`,
    'a WebSocket of functions': `${ofFunctionSocket}\r\n\x81\x81\x00\x00\x00\x00x`,
    'a WebSocket of functions before its head is whole': ofFunctionSocket,
    'a WebSocket that functions refuse': `${ofFunctionSocket.replace('/socket', '/throw')}\r\n`,
    nonsense: '\x16\x03\x01\x02\x00\x01\x00',
  }
  const LEAVING = ['resetAndDestroy', 'destroy', 'end'] as const

  async function leaveIn(stage: string, how: (typeof LEAVING)[number], answersAwaited: number) {
    const socket = connect(server.port, '127.0.0.1').pause()
    socket.on('error', () => {})
    await once(socket, 'connect')
    await new Promise((sent) => socket.write(stage, 'latin1', sent))
    // Gives the program time to process the data before the connection is aborted.
    for (let answers = 0; answers < answersAwaited; answers++) await call('GET', '/healthz')
    socket[how]()
    // Half-open: the peer still exists, but sends nothing.
    if (how === 'end') await call('GET', '/healthz')
    socket.destroy()
  }

  await call('GET', '/healthz')
  const socketsBefore = socketsOf(server)
  for (const [name, stage] of Object.entries(STAGES)) {
    for (const how of LEAVING)
      for (let answersAwaited = 0; answersAwaited < 4; answersAwaited++)
        await leaveIn(stage, how, answersAwaited).catch((cause: unknown) => {
          throw new Error(`after ${how} in ${name}`, { cause })
        })
  }
  await requireUnharmed(started, socketsBefore)
})

test('aborted connections to PostgreSQL and Redis are reopened, and requests succeed again', async (t) => {
  await using held = new AsyncDisposableStack()
  const database = await newPostgresDatabase()
  held.defer(database.remove)
  const redis = await startRedis()
  held.defer(redis.stop)
  const started = await start(t, { DATABASE_URL: database.url, REDIS_URL: redis.url })
  const { server, call, app, client } = started
  const { key } = JSON.parse((await client.visit('/.svc/init.json')).bytes.toString()) as { key: string }

  const postgres = new pg.Client({ connectionString: database.url })
  await postgres.connect()
  held.defer(() => postgres.end())
  const redisClient = createRedisClient({ url: redis.url })
  redisClient.on('error', () => {})
  await redisClient.connect()
  held.defer(() => redisClient.destroy())
  const cut = () =>
    Promise.all([
      postgres.query(`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()
        and datname = current_database()`),
      redisClient.sendCommand(['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes']),
      redisClient.sendCommand(['CLIENT', 'KILL', 'TYPE', 'pubsub']),
    ])

  const WORK: (() => Promise<{ status: number }>)[] = [
    () => call('POST', '/v1/auth/guest', { key, body: {} }),
    () => call('GET', '/v1/hosting', { key: app.key }),
    () => call('PUT', '/v1/config', { key: app.key, body: { features: { hosting: true } } }),
    () => client.visit('/data/noise.bin'),
  ]
  const socketsBefore = socketsOf(server)
  const statuses = new Set<number>()
  for (let round = 0; round < 8; round++) {
    const answers = Promise.all(WORK.map((ask) => ask()))
    await cut()
    for (const { status } of await answers) statuses.add(status)
  }
  assert.deepEqual(
    [...statuses].filter((status) => status !== 200 && status !== 503),
    [],
  )

  const isReady = async () => (await call('GET', '/readyz')).status === 200
  for (
    const until = performance.now() + RECOVERY_TIMEOUT_MS;
    !(await isReady()) && performance.now() < until;
  )
    await pause(50)
  for (const ask of WORK) assert.equal((await ask()).status, 200)
  await requireUnharmed(started, socketsBefore)
})
