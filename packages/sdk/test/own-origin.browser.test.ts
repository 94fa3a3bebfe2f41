import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, before, test } from 'node:test'

import { freePort } from '../../../scripts/free-port.ts'
import { startBrowser } from '../../server/src/testing/browser.ts'
import { startFirefox } from '../../server/src/testing/firefox.ts'
import { deploy } from '../../server/src/testing/hosted-apps.ts'
import { type Service, startService } from '../../server/src/testing/service.ts'
import { CONFIG, FEATURES } from './fixtures.ts'
import { type NetworkProxy, startNetworkProxy } from './network-proxy.ts'

const PAGE = `<!doctype html><meta charset="utf-8"><title>Game</title><link rel="icon" href="data:,">
<script type="module">
  import { connect } from '/.svc/sdk.js'
  globalThis.timeoutMs = 15_000
  const platform = {
    fetch: (url, request) => fetch(url, { ...request, signal: AbortSignal.timeout(timeoutMs) }),
  }
  globalThis.ready = connect({ platform }).then((svc) => { globalThis.svc = svc; return true })
</script>`
const STALLED = `(async () => {
  globalThis.timeoutMs = 1_000
  const puts = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => svc.saves.put(key, 1))
  const codes = (await Promise.allSettled(puts)).map(({ reason }) => reason?.code)
  globalThis.timeoutMs = 15_000
  return codes
})()`

let service: Service
let proxy: NetworkProxy
let url: string
/** What the service has received, as `GET <host> /.svc/init.json`; without the icon, which Firefox asks for when it likes. */
const received: string[] = []
before(async () => {
  const port = await freePort()
  proxy = await startNetworkProxy(`http://127.0.0.1:${port}`)
  // The address that browsers use is that of the proxy.
  const settings = { SVC_BASE_URL: `http://localhost:${proxy.port}`, SVC_RATE_LIMITS: 'off' }
  service = await startService('sqlite', { settings })
  for (const event of ['request', 'upgrade'] as const)
    service.http.server.prependListener(event, ({ method, headers, url: path }: IncomingMessage) => {
      if (path !== '/favicon.ico') received.push(`${method} ${headers.host} ${path}`)
    })
  await service.http.listen({ port, host: '127.0.0.1' })
  const { development } = await service.newProject()
  await development.server('PUT', '/v1/config', { ...CONFIG, features: { ...FEATURES, hosting: true } })
  const files = {
    'index.html': PAGE,
    'other.html': '<!doctype html><title>Other</title><link rel="icon" href="data:,">',
  }
  url = `${(await deploy(service, development, files)).url}/`
})
after(async () => {
  await service.stop()
  await proxy.stop()
})

for (const [name, start] of [
  ['Chromium', startBrowser],
  ['Firefox', startFirefox],
] as const)
  test(`[HST-12] ${name}: a hosted page signs in, saves, counts and joins a room without a preflight, and calls no other origin`, async (t) => {
    const browser = await start()
    const page = await browser.newPage()
    t.after(async () => {
      await page.close()
      await browser.close()
    })
    received.length = 0
    await page.open(url)
    await page.read('ready')
    await page.read(`svc.saves.put('slot', { gold: 3 })`)
    await page.read(`svc.stats.submit({ points: 10 })`)
    assert.deepEqual(await page.read(`svc.saves.get('slot').then(({ data }) => data)`), { gold: 3 })
    assert.match(
      String(await page.read(`svc.rooms.create({ mode: 'duel' }).then(({ code }) => code)`)),
      /^\w+$/,
    )
    const { host } = new URL(url)
    const expected = [`PUT ${host} /.svc/v1/saves/slot`, `GET ${host} /.svc/v1/realtime`]
    assert.deepEqual(
      received.filter((each) => expected.includes(each)),
      expected,
    )
    assert.deepEqual(
      received.filter((each) => each.startsWith('OPTIONS ') || !each.includes(` ${host} `)),
      [],
    )
  })

test('[HST-12] after six calls in a network that forgets their connections, the next call of a hosted page works', async () => {
  const browser = await startBrowser()
  const page = await browser.newPage()
  await page.open(url)
  await page.read('ready')

  proxy.forget()
  assert.deepEqual(await page.read(STALLED), Array(6).fill('network_error'))
  proxy.open()

  assert.equal(await page.read(`svc.saves.put('after', 1).then(({ version }) => version)`), 1)
  await page.close()
  await browser.close()
})

test('[HST-12] a page that nobody plays on sends nothing for an hour', async (t) => {
  const browser = await startBrowser()
  const page = await browser.newPage()
  t.after(() => page.close())
  await page.page.clock.install()
  await page.open(url)
  await page.read('ready')
  // By then the session is stored at the host, too.
  await page.read(`svc.saves.put('slot', 1)`)
  received.length = 0
  await page.page.clock.runFor(3_600_000)
  await page.read(`svc.saves.get('slot')`)
  const { host } = new URL(url)
  const [refresh, read] = [`POST ${host} /.svc/session`, `GET ${host} /.svc/v1/saves/slot`]
  assert.deepEqual(received, [refresh, read], 'only the call that comes after the hour')
})

test('[HST-12] [SES-14] Firefox: a page from the cache for back and forward is the same player, and the next call works', async (t) => {
  const browser = await startFirefox()
  const page = await browser.newPage()
  t.after(async () => {
    await page.close()
    await browser.close()
  })
  await page.open(url)
  await page.read('ready')
  await page.read(`svc.saves.put('slot', 7)`)
  const playerId = await page.read('svc.player.id')
  await page.read(
    `addEventListener('pageshow', ({ persisted }) => (globalThis.isFromCache = persisted)) ?? true`,
  )
  await page.read(`void setTimeout(() => (location.href = '/other.html')) ?? true`)
  await page.until(`document.title === 'Other'`)
  received.length = 0
  await page.read(`void setTimeout(() => history.back()) ?? true`)
  await page.until('globalThis.isFromCache')
  assert.deepEqual(received, [])
  assert.equal(await page.read(`svc.saves.get('slot').then(({ data }) => data)`), 7)
  assert.equal(await page.read('svc.player.id'), playerId)
  assert.deepEqual(received, [`GET ${new URL(url).host} /.svc/v1/saves/slot`])
})
