import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import type * as contract from '@svc/contract/sharing'

import { BROWSER } from '../../server/src/testing/sharing.ts'
import type { SvcError } from '../src/http/errors.ts'
import { createHttp } from '../src/http/http.ts'
import { thisPlatform } from '../src/http/platform.ts'
import { reportOnceMore } from '../src/share/visit-report.ts'
import { CONFIG, eventually, startFixtures, type Fixtures } from './fixtures.ts'
import { type NetworkProxy, startNetworkProxy } from './network-proxy.ts'

let fixtures: Fixtures
let proxy: NetworkProxy
before(async () => {
  const share = { links: { enabled: true }, tracking: { enabled: true } }
  fixtures = await startFixtures({ ...CONFIG, share })
  proxy = await startNetworkProxy(fixtures.url)
})
after(async () => {
  await fixtures.stop()
  await proxy.stop()
})

/** A link, and a visit of it whose requests are counted. `refusal` is the status of the first one; without it, all are sent. */
async function newVisit(refusal?: number) {
  const { body: created } = await fixtures.development.server('POST', '/v1/admin/share/links', { label: 'A' })
  const shareId: string = created.link.id
  let sent = 0
  const headers = { 'X-Svc-Key': fixtures.development.publishableKey, 'User-Agent': BROWSER }
  const call = createHttp({
    url: proxy.url,
    headers,
    platform: {
      ...thisPlatform(),
      async fetch(address, request) {
        if (sent++ > 0 || refusal === undefined) return globalThis.fetch(address, request)
        const error = { code: refusal === 429 ? 'rate_limited' : 'service_unavailable', message: '' }
        return Response.json({ error }, { status: refusal, headers: { 'Retry-After': '60' } })
      },
    },
  })
  const waits: number[] = []
  const stop = new AbortController()
  const report = (whileWaiting: () => void) =>
    reportOnceMore(
      () =>
        call<typeof contract.reportShareVisit>('POST /v1/share/visits', { body: { shareId, landed: true } }),
      {
        random: () => 0.5,
        signal: stop.signal,
        wait: async (ms) => (waits.push(ms), whileWaiting()),
      },
    )
  const visits = async () => {
    const path = `/v1/admin/share/stats?shareId=${shareId}`
    return (await fixtures.development.server('GET', path)).body.totals.visits as number
  }
  return { report, visits, waits, stop, sent: () => sent }
}

test('[SHR-19] a visit that got no response is reported once more, later, and counts once', async () => {
  const { report, visits, waits, sent } = await newVisit()
  proxy.cut()
  assert.deepEqual(await report(() => proxy.open()), { counted: true })
  assert.deepEqual([waits, sent(), await visits()], [[17_500], 2, 1])
})

test('[SHR-19] a visit whose response was lost counts once', async () => {
  const { report, visits, sent } = await newVisit()
  proxy.hold()
  const reporting = report(() => proxy.open())
  await eventually(() => proxy.held.includes('counted'), 'the response')
  proxy.cut()
  assert.deepEqual(await reporting, { counted: false })
  assert.deepEqual([sent(), await visits()], [2, 1])
})

for (const status of [429, 503])
  test(`[SHR-19] a visit that was refused with ${status} is reported once more, after the time that the service names`, async () => {
    const { report, visits, waits, sent } = await newVisit(status)
    assert.deepEqual(await report(() => {}), { counted: true })
    assert.deepEqual([waits, sent(), await visits()], [[77_500], 2, 1])
  })

test('[SHR-19] a visit is reported at most twice, not again for another error, and not after the client was closed', async () => {
  const lost = await newVisit()
  proxy.cut()
  const noResponse = ({ code }: SvcError) => code === 'network_error'
  await assert.rejects(
    lost.report(() => {}),
    noResponse,
  )
  assert.deepEqual([lost.waits.length, lost.sent()], [1, 2])
  const closed = await newVisit()
  await assert.rejects(
    closed.report(() => closed.stop.abort()),
    noResponse,
  )
  assert.deepEqual([closed.waits.length, closed.sent()], [1, 1])
  proxy.open()

  const rejected = await newVisit(400)
  await assert.rejects(rejected.report(() => {}))
  assert.deepEqual([rejected.waits, rejected.sent()], [[], 1])
})
