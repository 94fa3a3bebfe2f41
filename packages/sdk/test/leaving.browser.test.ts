import { after, before, describe, test } from 'node:test'

import { startBrowser } from '../../server/src/testing/browser.ts'
import { type FirefoxPage, startFirefox } from '../../server/src/testing/firefox.ts'
import { eventually, type Fixtures, startFixtures } from './fixtures.ts'
import { type NetworkProxy, startNetworkProxy } from './network-proxy.ts'
import { startPageServer } from './page-server.ts'

const HTML = `<!doctype html><meta charset="utf-8"><title>Game</title><link rel="icon" href="data:,">
<script type="module">
  import { connect } from '/.svc/sdk.js'
  globalThis.ready = connect().then((svc) => {
    globalThis.svc = svc
    addEventListener('pagehide', () => {
      for (const key of location.hash.slice(1).split(',')) svc.saves.put(key, { end: key })
    })
    return svc.player.id
  })
</script>`

let fixtures: Fixtures
let proxy: NetworkProxy
let site: Awaited<ReturnType<typeof startPageServer>>
before(async () => {
  fixtures = await startFixtures({ features: { saves: true } })
  proxy = await startNetworkProxy(fixtures.url)
  // Another origin, so that the first request of a save needs a preflight.
  site = await startPageServer({ apiUrl: proxy.url, key: fixtures.key }, HTML)
  site.files.set('/gone', ['text/html', 'The player has left.'])
})
after(async () => {
  await site.stop()
  await proxy.stop()
  await fixtures.stop()
})

type Browser = {
  newPage(): Promise<Pick<FirefoxPage, 'open' | 'read' | 'until' | 'close'>>
  close(): Promise<void>
}

for (const [name, start] of [
  ['Chromium', startBrowser],
  ['Firefox', startFirefox],
] as const)
  describe(`leaving the only tab of ${name}`, () => {
    let browser: Browser
    before(async () => void (browser = await start()))
    after(() => browser.close())

    /** What is stored for the player, with the data of one save. */
    async function stored(playerId: unknown, key: string) {
      const path = `/v1/admin/players/${String(playerId)}/saves/${key}`
      return (await fixtures.development.server('GET', path)).body.data as unknown
    }

    for (const [what, key, meanwhile] of [
      ['the first save of its key', 'first', 'undefined'],
      [
        'a save while two others of its key are under way',
        'busy',
        `svc.saves.put('busy', 1), svc.saves.put('busy', 2), undefined`,
      ],
    ] as const)
      test(`[SAV-15] ${what} is stored`, async () => {
        proxy.release()
        const page = await browser.newPage()
        await page.open(`${site.url}#${key}`)
        const playerId = await page.read('ready')
        // No response arrives before the page is gone, not even that of the preflight.
        proxy.hold()
        await page.read(`(${meanwhile}, location.href = '/gone', true)`)
        await page.until(`location.pathname === '/gone'`)
        proxy.release()
        await eventually(
          async () => JSON.stringify(await stored(playerId, key)) === `{"end":"${key}"}`,
          'the last save',
        )
        await page.close()
      })
  })
