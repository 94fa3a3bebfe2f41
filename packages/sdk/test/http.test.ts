import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'

import type { writeSave } from '@svc/contract/saves'

import { createHttp } from '../src/http/http.ts'
import { playerRetry, standardRetry } from '../src/http/retry.ts'
import { type Platform, SvcError } from '../src/index.ts'

type Answer = (request: RequestInit) => Promise<Response>

/** Calls with stopped timers; `pass` moves them, and lets everything happen that follows. */
function callsWith(t: TestContext, answers: Answer[], page?: object) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const sent: RequestInit[] = []
  const fetch: Platform['fetch'] = (_address, request = {}) => {
    sent.push(request)
    const answer = answers[Math.min(sent.length, answers.length) - 1] as Answer
    return answer(request)
  }
  const platform = { fetch, random: () => 0, page: page as Window | undefined }
  const call = createHttp({ url: 'http://service.test', headers: {}, platform, retry: playerRetry(() => 0) })
  return {
    sent,
    platform,
    get: () => call('GET /v1/saves', {}),
    put: (data: unknown, mayRepeat = false) =>
      call<typeof writeSave>(
        'PUT /v1/saves/:key',
        { params: { key: 'slot' }, body: { data } },
        { mayRepeat },
      ),
    async pass(ms: number) {
      await turn()
      t.mock.timers.tick(ms)
      await turn()
    },
  }
}

/** No answer ever comes; the request ends with its signal. */
const silence: Answer = ({ signal }) =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as unknown)))
const refused: Answer = () => Promise.reject(new TypeError('fetch failed'))
const answer = (body: BodyInit, status = 200) =>
  new Response(body, { status, headers: { 'X-Request-Id': 'req_1' } })
const isNetworkError = ({ code }: SvcError) => code === 'network_error'

/** A body that arrives in parts, and fails with its signal. */
function slowly(answers: { part: (text: string) => void; end: () => void }[]): Answer {
  return async ({ signal }) =>
    answer(
      new ReadableStream({
        start(stream) {
          const encoder = new TextEncoder()
          signal?.addEventListener('abort', () => stream.error(signal.reason))
          answers.push({ part: (text) => stream.enqueue(encoder.encode(text)), end: () => stream.close() })
        },
      }),
    )
}

test('[SAV-13] a response has no time-out as long as bytes arrive', async (t) => {
  const bodies: { part: (text: string) => void; end: () => void }[] = []
  const { get, pass, sent } = callsWith(t, [slowly(bodies)])
  const loading = get()
  await pass(14_000)
  for (const part of ['{"saves"', ':["', 'ä', '"]', '}']) {
    bodies[0]?.part(part)
    await pass(14_000)
  }
  bodies[0]?.end()
  assert.deepEqual(await loading, { saves: ['ä'] })
  assert.equal(sent.length, 1)
})

test('[SAV-13] a response that stops arriving fails after 15 seconds without a byte', async (t) => {
  const bodies: { part: (text: string) => void; end: () => void }[] = []
  const { put, pass } = callsWith(t, [slowly(bodies)])
  const writing = put(1)
  writing.catch(() => {})
  await pass(0)
  bodies[0]?.part('{"ver')
  await pass(15_000)
  await assert.rejects(writing, isNetworkError)
})

for (const [what, data, enoughMs] of [
  ['15 seconds', 'small', 14_999],
  ['3 minutes if it has 1 MiB', 'x'.repeat(1_048_576), 182_000],
] as const)
  test(`[SAV-13] the service has time to answer a request: ${what}`, async (t) => {
    const { put, pass } = callsWith(t, [silence])
    let isOver = false
    const writing = put(data).finally(() => (isOver = true))
    writing.catch(() => {})
    await pass(enoughMs)
    assert.equal(isOver, false)
    await pass(2_000)
    await assert.rejects(writing, isNetworkError)
  })

const restarting: [string, Answer][] = [
  ['no connection', refused],
  ['502', async () => answer('Bad gateway', 502)],
  ['503', async () => answer('', 503)],
  ['504', async () => answer('<html>', 504)],
]
for (const [what, failing] of restarting)
  test(`[SAV-14] a write with a version outlives ten seconds of a restart: ${what}`, async (t) => {
    const { put, pass, sent } = callsWith(t, [...Array<Answer>(5).fill(failing), async () => answer('{}')])
    const writing = put(1, true)
    for (const waitMs of [350, 700, 1_400, 2_800]) await pass(waitMs)
    // The first five attempts are over after 5.25 seconds, and the last one is made after more than ten.
    assert.equal(sent.length, 5)
    await pass(5_599)
    assert.equal(sent.length, 5)
    await pass(1)
    assert.deepEqual(await writing, {})
  })

test('[SAV-14] a write that is not safe to repeat is sent once, and what times out three times', async (t) => {
  const once = callsWith(t, [refused])
  await assert.rejects(once.put(1), isNetworkError)
  assert.equal(once.sent.length, 1)
  t.mock.timers.reset()

  const { get, pass, sent } = callsWith(t, [silence])
  const reading = get()
  reading.catch(() => {})
  for (const waitMs of [15_000, 350, 15_000, 700, 15_000]) await pass(waitMs)
  await assert.rejects(reading, isNetworkError)
  assert.equal(sent.length, 3)
})

test('[SAV-14] a request that a stalled network delivered in part is sent again', async (t) => {
  const stalled: Answer = async () => answer('{"error":{"code":"request_timeout"}}', 408)
  const { put, pass, sent } = callsWith(t, [stalled, async () => answer('{}')])
  const writing = put(1)
  await pass(350)
  assert.deepEqual(await writing, {})
  assert.equal(sent.length, 2)
})

test('[SAV-14] developers and servers repeat twice', () => {
  const down = new SvcError('network_error')
  const retry = standardRetry(() => 0)
  const waits = [0, 1, 2].map((retries) => retry(down, { route: 'GET /v1/saves', mayRepeat: true, retries }))
  assert.deepEqual(waits, [350, 700, undefined])
})

test('[SAV-15] writes of a hidden page outlive it, as far as browsers allow', async (t) => {
  const { get, put, pass, sent, platform } = callsWith(t, [silence], { document: { hidden: true } })
  const isKept = () => sent.map(({ keepalive }) => keepalive === true)
  for (const bytes of [59_000, 900, 2_000, 70_000]) put('x'.repeat(bytes)).catch(() => {})
  get().catch(() => {})
  await pass(0)
  assert.deepEqual(isKept(), [true, true, false, false, false])
  // The requests before are over.
  await pass(30_000)
  put('x'.repeat(59_000)).catch(() => {})
  platform.page = { document: { hidden: false } } as Window
  put('seen').catch(() => {})
  assert.deepEqual(isKept().slice(-2), [true, false])
})

test('[SAV-15] a browser that refuses the request gets it again without `keepalive`', async (t) => {
  const { put, pass, sent } = callsWith(
    t,
    [({ keepalive }) => (keepalive ? refused({}) : Promise.resolve(answer('{}')))],
    { document: { hidden: true } },
  )
  const writing = put(1, true)
  await pass(350)
  assert.deepEqual(await writing, {})
  assert.deepEqual(
    sent.map(({ keepalive }) => keepalive),
    [true, false],
  )
})
