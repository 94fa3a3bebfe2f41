import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { comesTrue } from '../src/testing/in-time.ts'
import { exchange } from './fuzz/wire.ts'
import { callerOf, freePort, runServer, type ServerProcess, startServer } from './server-process.ts'

const CLIENTS = 20
const ACCOUNT = { email: 'dev@example.com', password: 'correct horse' }

/** The tests run in order on one program, from its first start to the second. */
describe('the server program', () => {
  let folder: string
  let variables: Record<string, string>
  let server: ServerProcess
  let account: { token: string; key: string; projectId: string }
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-drain-'))
    variables = { SVC_DATA_DIR: join(folder, 'data'), SVC_RATE_LIMITS: 'off' }
    server = await startServer(variables)
    const call = callerOf(server)
    const { body: session } = await call('POST', '/v1/developers/signup', { body: ACCOUNT })
    const { body } = await call('POST', '/v1/projects', { token: session.token, body: { name: 'Star Duel' } })
    const secret = body.keys.find(({ type }: { type: string }) => type === 'secret')
    account = { token: session.token, key: secret.key, projectId: body.project.id }
  })
  after(async () => {
    server.signal('SIGKILL')
    await server.ended
    await rm(folder, { recursive: true, force: true })
  })

  test('a second program on the same data folder exits with a one-sentence error', async () => {
    const { code, errors } = await runServer({ ...variables, PORT: String(await freePort()) })
    assert.equal(code, 1)
    assert.match(errors, /^[^\n]*svc\.sqlite is in use by another server process\.[^\n]*PostgreSQL[^\n]*\n$/)
  })

  test('a port in use is reported in one sentence', async () => {
    const { code, output, errors } = await runServer({
      SVC_DATA_DIR: join(folder, 'other'),
      PORT: String(server.port),
    })
    assert.deepEqual({ code, output }, { code: 1, output: '' })
    assert.match(errors, new RegExp(`^Port ${server.port} is in use\\.[^\\n]*\\n$`))
  })

  test('garbage on its socket does not crash it', async () => {
    const garbage = [
      '\0\0\0\0',
      'nonsense\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      '\x16\x03\x01\x02\x00',
      'x'.repeat(100_000),
      '\r\n'.repeat(1_000),
    ]
    await Promise.all(garbage.map((bytes) => exchange(server.port, Buffer.from(bytes, 'latin1'), true)))
    assert.equal((await callerOf(server)('GET', '/healthz')).status, 200)
  })

  test('on SIGTERM no request fails: requests on open connections are answered, then the process exits with 0', async (t) => {
    const asks = [
      () => request('GET', '/v1/projects', `Authorization: Bearer ${account.token}`),
      () => request('GET', '/v1/config', `X-Svc-Key: ${account.key}`),
      (count: number) =>
        request('PUT', '/v1/config', `X-Svc-Key: ${account.key}`, { stats: [{ key: `stat_${count % 2}` }] }),
    ]
    const first = Promise.withResolvers<void>()
    const firstReadiness = Promise.withResolvers<void>()
    let answers = 0
    const clients = Array.from({ length: CLIENTS }, (_, i) =>
      keepAsking(
        server.port,
        asks[i % asks.length] ?? (() => ''),
        () => ++answers === 200 && first.resolve(),
      ),
    )
    const readiness = keepAsking(
      server.port,
      () => request('GET', '/readyz', 'Accept: */*'),
      firstReadiness.resolve,
    )
    await Promise.all([first.promise, firstReadiness.promise])
    server.signal('SIGTERM')
    const { code, errors } = await server.ended

    const seen = await Promise.all(clients)
    t.diagnostic(
      `${answers} answers to ${CLIENTS} clients, ${seen.flatMap(({ receivedEvents }) => receivedEvents).filter((result) => result.closes).length} with Connection: close`,
    )
    assert.deepEqual({ code, errors }, { code: 0, errors: '' })
    for (const { receivedEvents, end } of seen) {
      assert.deepEqual(
        receivedEvents.filter(({ status }) => status !== 200),
        [],
      )
      assert.equal(end, 'refused')
    }

    const statuses = (await readiness).receivedEvents.map(({ status }) => status)
    const stoppingFrom = statuses.indexOf(503)
    if (stoppingFrom < 0) return t.diagnostic('no request hit /readyz in the moment before the end')
    assert.deepEqual([...new Set(statuses.slice(0, stoppingFrom))], [200])
    assert.deepEqual([...new Set(statuses.slice(stoppingFrom))], [503])
  })

  test('a start with another secret key exits with a one-sentence error', async () => {
    const { code, output, errors } = await runServer({
      ...variables,
      PORT: String(await freePort()),
      SVC_SECRET_KEY: 'ab'.repeat(32),
    })
    assert.deepEqual({ code, output }, { code: 1, output: '' })
    assert.match(errors, /^The secret key does not match this database\.[^\n]*SVC_SECRET_KEY[^\n]*\n$/)
  })

  test('the second start has all data that the first one acknowledged', async () => {
    server = await startServer({ ...variables, SVC_STOP_DELAY_SECONDS: '3' })
    const call = callerOf(server)
    const { status, body } = await call('POST', '/v1/developers/login', { body: ACCOUNT })
    assert.equal(status, 200)
    const { body: list } = await call('GET', '/v1/projects', { token: body.token })
    assert.deepEqual(
      list.projects.map(({ id }: { id: string }) => id),
      [account.projectId],
    )
    assert.equal((await call('GET', '/v1/config', { key: account.key })).body.config.stats.length, 1)
  })

  test('[OPS-39] with a stop delay, a node serves on new connections while /readyz answers 503', async () => {
    server.signal('SIGTERM')
    await comesTrue('the node is not ready', async () => (await statusOf(server.port, '/readyz')) === 503)
    assert.equal(await statusOf(server.port, '/healthz'), 200)
    assert.equal((await server.ended).code, 0)
  })
})

/** On a connection of its own. */
async function statusOf(port: number, path: string): Promise<number> {
  const outcome = await exchange(port, Buffer.from(request('GET', path, 'Connection: close')), false)
  return typeof outcome === 'string' ? 0 : outcome.status
}

function request(method: string, path: string, header: string, body?: object): string {
  const text = body ? JSON.stringify(body) : ''
  const length = body ? `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n` : ''
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${header}\r\n${length}\r\n${text}`
}

type ProbeResult = { status: number; closes: boolean }

/**
 * Sends requests on one connection repeatedly, and on a new one after the server announced that it closes this one, until new
 * connections are refused. A connection that the kernel accepted but the server never saw counts as refused.
 */
async function keepAsking(port: number, ask: (count: number) => string, onAnswer: () => void) {
  const receivedEvents: ProbeResult[] = []
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const chunks = socket[Symbol.asyncIterator]()
    for (let onThisOne = 0; ; onThisOne++) {
      socket.write(ask(receivedEvents.length))
      const answer = await nextAnswer(chunks)
      if (!answer)
        return {
          receivedEvents,
          end: onThisOne === 0 ? ('refused' as const) : ('cut off' as const),
        }
      receivedEvents.push(answer)
      onAnswer()
      if (answer.closes) break
    }
    socket.destroy()
  }
}

/** Returns undefined if the connection ends first, in any way. */
async function nextAnswer(chunks: AsyncIterator<unknown>): Promise<ProbeResult | undefined> {
  let received = ''
  while (!isWhole(received)) {
    const { done, value } = await chunks.next().catch(() => ({ done: true, value: undefined }))
    if (done) return undefined
    received += String(value)
  }
  return { status: Number(received.slice(9, 12)), closes: /^connection: close/im.test(received) }
}

function isWhole(received: string): boolean {
  const [head = '', ...body] = received.split('\r\n\r\n')
  const length = /^content-length: (\d+)/im.exec(head)?.[1]
  return length !== undefined && Buffer.byteLength(body.join('\r\n\r\n')) >= Number(length)
}
