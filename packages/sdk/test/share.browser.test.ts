import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { type Browser, type Page, startBrowser } from '../../server/src/testing/browser.ts'
import { CONFIG, startFixtures, type Fixtures } from './fixtures.ts'
import { startPageServer } from './page-server.ts'

const PERSON = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const INSTAGRAM =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/125.0.0.0 Mobile Safari/537.36 Instagram 334.0.0.42.95 Android'

const HTML = `<!doctype html><meta charset="utf-8"><title>Game</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width"><button id="play">Play</button>
<script type="module">
  import { connect } from '/.svc/sdk.js'
  globalThis.ready = connect().then((svc) => ((globalThis.svc = svc), true))
</script>`
/** Whether the page has loaded the code of `svc.share`. */
const HAS_LOADED = `performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/.svc/sdk-share.js'))`

let fixtures: Fixtures
let site: Awaited<ReturnType<typeof startPageServer>>
let browser: Browser
before(async () => {
  const [links, tracking, inAppBrowser] = [{ enabled: true }, { enabled: true }, { enabled: true }]
  fixtures = await startFixtures({ ...CONFIG, share: { links, tracking, inAppBrowser } })
  site = await startPageServer({ apiUrl: fixtures.baseUrl, key: fixtures.key }, HTML)
  browser = await startBrowser()
})
after(async () => {
  await browser.close()
  await site.stop()
  await fixtures.stop()
})

async function openPage(path = '', options: Parameters<Browser['newPage']>[0] = { userAgent: PERSON }) {
  const page = await browser.newPage(options)
  await page.open(new URL(path, site.url).href)
  await page.read('ready')
  return page
}

async function newLink(
  body: object = { kind: 'challenge', score: 4_200 },
): Promise<{ id: string; url: string }> {
  const svc = await fixtures.client({ displayName: 'Ada' })
  return svc.share.create({ ...body, url: site.url } as Parameters<typeof svc.share.create>[0])
}

async function sumsOf(shareId: string) {
  const { body } = await fixtures.developer(
    'GET',
    `${fixtures.development.path}/share/stats?shareId=${shareId}`,
  )
  const { visits, newPlayers, plays } = body.totals
  return { visits, newPlayers, plays }
}

/** Waits for what the page reports by itself. */
async function untilReported(page: Page, reports: number) {
  const requests = `performance.getEntriesByType('resource').filter(({ name, responseEnd }) => name.endsWith('/share/visits') && responseEnd > 0)`
  await page.until(`${requests}.length >= ${reports}`)
}

test('[SHR-04] a page without a share link loads no code of sharing and reports nothing', async () => {
  const page = await openPage()
  assert.equal(await page.read(HAS_LOADED), false)
  assert.equal(await page.read('svc.share.restore().then((link) => link === undefined)'), true)
  assert.equal(await page.read(HAS_LOADED), true)
  await page.close()
})

test('[SHR-04] the client reports that a visitor came through a link, and that they began to play', async () => {
  const { id } = await newLink()
  const page = await openPage(`?ks=${id}`)
  await untilReported(page, 1)
  assert.deepEqual(await sumsOf(id), { visits: 1, newPlayers: 1, plays: 0 })

  await page.press('#play')
  await untilReported(page, 2)
  await page.press('#play')
  assert.deepEqual(await sumsOf(id), { visits: 1, newPlayers: 1, plays: 1 })
  await page.close()
})

test('[SHR-03] a challenge is restored from the address of the page', async () => {
  const { id } = await newLink({ kind: 'challenge', score: 4_200, showName: true })
  const page = await openPage(`?ks=${id}`)
  const link = (await page.read('svc.share.restore()')) as Record<string, unknown>
  assert.deepEqual(
    [link['id'], link['kind'], link['score'], link['displayName']],
    [id, 'challenge', 4_200, 'Ada'],
  )
  await page.close()

  const other = await openPage('?ks=shr_000000000000')
  assert.equal(await other.read('svc.share.restore().then((link) => link === undefined)'), true)
  await other.close()
})

test('[SHR-02] share.open uses the share sheet, else X in a new window, else the clipboard', async () => {
  const page = await openPage('?level=2#part')
  await page.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.read(`(async () => {
    globalThis.link = await svc.share.create({ kind: 'plain' })
    globalThis.sheets = []
    globalThis.windows = []
    const answers = [undefined, 'AbortError', 'NotAllowedError']
    navigator.share = async (given) => {
      sheets.push(given)
      const name = answers[sheets.length - 1]
      if (name) throw new DOMException('', name)
    }
    globalThis.open = (url) => (windows.push(url), {})
  })()`)
  assert.equal(await page.read('link.url'), `${site.url}?level=2&ks=${String(await page.read('link.id'))}`)

  assert.equal(await page.read('svc.share.open(link)'), 'shared')
  assert.equal(await page.read('svc.share.open(link)'), 'cancelled')
  assert.equal(await page.read('svc.share.open(link)'), 'opened')
  assert.equal(
    await page.read('sheets[0].url === link.url && windows[0] === link.intentUrl && windows.length === 1'),
    true,
  )

  await page.read(
    'Object.defineProperty(navigator, "share", { value: undefined }), globalThis.open = () => null, 0',
  )
  await page.page.bringToFront()
  assert.equal(await page.read(`svc.share.open({ kind: 'plain' })`), 'copied')
  assert.match(String(await page.read('navigator.clipboard.readText()')), /\?level=2&ks=shr_\w+$/)
  await page.close()
})

test('no offer to leave is shown in the browser of the device', async () => {
  const page = await openPage()
  assert.equal(await page.read('svc.share.offerBrowser()'), false)
  assert.equal(await page.read(`document.querySelector('.svc-offer') === null`), true)
  await page.close()
})

test('a player continues as the same guest in another browser, once', async () => {
  const inApp = await openPage('?level=2', { userAgent: INSTAGRAM, language: 'de' })
  await inApp.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const playerId = await inApp.read('svc.player.id')
  assert.equal(await inApp.read('svc.share.offerBrowser()'), true)
  assert.match(await inApp.text(), /Im eigenen Browser weiter/)

  // Chromium follows no address of another scheme, as some apps do not: the link can be copied.
  await inApp.press('.svc-offer button')
  await inApp.until(`document.querySelector('.svc-offer button')?.textContent === 'Link kopieren'`)
  // Only the page in front may write to the clipboard. While Chromium still tries the other address, a press may have no effect.
  await inApp.page.bringToFront()
  await inApp.until(
    `document.querySelector('.svc-offer').textContent.includes('Kopiert') || document.querySelector('.svc-offer button').click()`,
  )
  const url = String(await inApp.read('navigator.clipboard.readText()'))
  assert.match(url, /\?level=2#svc_transfer=.+$/)
  await inApp.close()

  const own = await openPage(url)
  assert.equal(await own.read('svc.player.id'), playerId)
  assert.equal(await own.read('svc.auth.returned.id'), playerId)
  assert.equal(await own.read('location.href'), `${site.url}?level=2`)
  await own.close()

  const late = await openPage(url)
  assert.notEqual(await late.read('svc.player.id'), playerId)
  assert.equal(await late.read('svc.auth.returned.code'), 'invalid_code')
  await late.close()
})

test('where the clipboard does not answer, the link to copy is shown', async () => {
  const inApp = await openPage('', { userAgent: INSTAGRAM })
  await inApp.read('navigator.clipboard.writeText = () => new Promise(() => {})')
  await inApp.read('svc.share.offerBrowser()')
  await inApp.press('.svc-offer button')
  await inApp.until(`document.querySelector('.svc-offer button')?.textContent === 'Copy link'`)
  // While Chromium still tries the other address, a press may have no effect.
  await inApp.until(
    `document.querySelector('.svc-offer').textContent.includes('#svc_transfer=') || document.querySelector('.svc-offer button').click()`,
  )
  await inApp.close()
})

test('a link with the code of somebody else does not replace the account of the player', async () => {
  const attacker = await openPage()
  const { url } = (await attacker.read('svc.share.browserLink()')) as { url: string }
  const attackerId = await attacker.read('svc.player.id')
  await attacker.close()

  const page = await openPage()
  await page.read(`svc.auth.linkEmail({ email: 'victim@example.com', password: 'correct horse' })`)
  const playerId = await page.read('svc.player.id')
  await page.open('about:blank')
  await page.open(url)
  await page.read('ready')
  assert.equal(await page.read('svc.player.id'), playerId)
  assert.notEqual(playerId, attackerId)
  await page.close()
})
