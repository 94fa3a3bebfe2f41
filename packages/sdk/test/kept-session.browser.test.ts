import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { MINUTE_MS } from '../../server/src/platform/clock.ts'
import { type Browser, type Page, startBrowser } from '../../server/src/testing/browser.ts'
import { deploy, newApp } from '../../server/src/testing/hosted-apps.ts'
import { startReachableService } from '../../server/src/testing/reachable-service.ts'

/** `?anonymous` is an app without guests. */
const HTML = `<!doctype html><meta charset="utf-8"><title>Game</title><link rel="icon" href="data:,">
<script type="module">
  import { connect } from '/.svc/sdk.js'
  globalThis.ready = connect({ guest: location.search !== '?anonymous' }).then((svc) => {
    globalThis.svc = svc
    return svc.auth.signedIn && svc.player.id
  })
</script>`

let service: Awaited<ReturnType<typeof startReachableService>>
let browser: Browser
let url: string
before(async () => {
  service = await startReachableService()
  browser = await startBrowser()
  const { development } = await newApp(service)
  const features = { hosting: true, saves: true, emailLogin: true }
  await development.server('PUT', '/v1/config', { features })
  url = (await deploy(service, development, { 'index.html': HTML })).url
})
after(async () => {
  await browser?.close()
  await service.stop()
})

/** Opens the app and returns the id of the player. */
async function openApp(page: Page, query = '') {
  await page.open(`${url}/${query}`)
  return page.read('ready')
}

/** What the host keeps, which scripts cannot read. */
async function keptToken(page: Page) {
  const cookies = await page.page.context().cookies(`${url}/.svc/session`)
  return cookies.find(({ name }) => name === '__svc-session')?.value.split('~')[0]
}

const storedSession = `JSON.parse(localStorage.getItem('svc.session'))`
async function untilKept(page: Page) {
  const stored = await page.read(`${storedSession}.refreshToken`)
  while ((await keptToken(page)) !== stored) await page.read('new Promise(requestAnimationFrame)')
}
/** What Safari does after seven days without a visit. */
async function loseStorage(page: Page) {
  // A page with the SDK writes its session back.
  await page.open(`${url}/.svc/init.json`)
  await page.read('localStorage.clear()')
}

test('a guest whose browser has lost its storage is the same player again', async () => {
  const page = await browser.newPage()
  const problems = page.problems()
  const id = await openApp(page)
  await page.read(`svc.saves.put('slot', { gold: 3 })`)
  await untilKept(page)
  assert.equal(await page.read('document.cookie'), '')
  for (let losses = 0; losses < 2; losses++) {
    await loseStorage(page)
    assert.equal(await openApp(page), id)
    assert.equal(await keptToken(page), await page.read(`${storedSession}.refreshToken`))
  }
  assert.deepEqual(await page.read(`svc.saves.get('slot').then(({ data }) => data)`), { gold: 3 })
  assert.deepEqual(problems, [])
  await page.close()
})

test('each refresh renews the copy, and a restored session is refreshed like any other', async () => {
  const page = await browser.newPage()
  const id = await openApp(page)
  await untilKept(page)
  const first = await keptToken(page)
  const expire = `localStorage.setItem('svc.session', JSON.stringify({ ...${storedSession}, expiresAt: 0 }))`
  await page.read(expire)
  assert.equal(await openApp(page), id)
  const second = await keptToken(page)
  assert.notEqual(second, first)
  assert.equal(second, await page.read(`${storedSession}.refreshToken`))
  await loseStorage(page)
  await openApp(page)
  await page.read(expire)
  assert.equal(await openApp(page), id)
  await page.close()
})

test('two tabs that open after the loss continue as the same player', async () => {
  const page = await browser.newPage()
  const id = await openApp(page)
  await untilKept(page)
  await loseStorage(page)
  await page.open('about:blank')
  const tabs = await Promise.all([1, 2, 3].map(() => page.page.context().newPage()))
  await Promise.all(tabs.map((tab) => tab.goto(`${url}/`)))
  assert.deepEqual(await Promise.all(tabs.map((tab) => tab.evaluate('ready'))), [id, id, id])
  await page.close()
})

test('after a sign-out there is no copy, also if the host was not reached', async () => {
  const page = await browser.newPage()
  const first = await openApp(page)
  await untilKept(page)
  await page.read('svc.auth.signOut()')
  assert.equal(await keptToken(page), undefined)
  await loseStorage(page)
  const second = await openApp(page)
  assert.notEqual(second, first)

  await untilKept(page)
  await page.page.route('**/.svc/session', (route) => route.abort())
  await page.read('svc.auth.signOut()')
  await page.page.unrouteAll()
  assert.notEqual(await keptToken(page), undefined)
  assert.equal(await openApp(page, '?anonymous'), false)
  assert.equal(await keptToken(page), undefined)
  await page.close()
})

test('a deleted account leaves no copy', async () => {
  const page = await browser.newPage()
  await openApp(page)
  await untilKept(page)
  await page.read('svc.auth.deleteAccount()')
  while ((await keptToken(page)) !== undefined) await page.read('new Promise(requestAnimationFrame)')
  await page.close()
})

test('an app without guests continues the session of an account', async () => {
  const page = await browser.newPage()
  assert.equal(await openApp(page, '?anonymous'), false)
  assert.equal(await keptToken(page), undefined)
  await page.read(`svc.auth.signUpWithEmail({ email: 'ada@example.com', password: 'correct horse' })`)
  const id = await page.read('svc.player.id')
  await untilKept(page)
  await loseStorage(page)
  assert.equal(await openApp(page, '?anonymous'), id)
  await page.close()
})

test('[AUT-25] localStorage.clear() in the middle of the game, and with a reload right after it, leaves the player signed in', async () => {
  const page = await browser.newPage()
  const id = await openApp(page)
  await untilKept(page)
  const other = await page.page.context().newPage()
  await other.goto(`${url}/`)
  assert.equal(await other.evaluate('ready'), id)
  // Without its cookie the page has only what it knows.
  await page.page.context().clearCookies()
  await page.read('localStorage.clear()')
  await other.waitForFunction(`localStorage.getItem('svc.session')`)
  await other.close()
  await page.read(`(localStorage.clear(), svc.saves.put('slot', 1))`)
  await Promise.all([
    page.page.waitForNavigation(),
    page.read(`void (localStorage.clear(), setTimeout(() => location.reload()))`),
  ])
  assert.equal(await page.read('ready'), id)
  await page.close()
})

test('[AUT-27] where only the storage of scripts is blocked, the cookie keeps the guest, also for several tabs', async () => {
  const page = await browser.newPage()
  await page.page
    .context()
    .addInitScript(`Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked') } })`)
  const id = await openApp(page)
  assert.equal(await page.read('svc.auth.isKept'), true)
  const other = await page.page.context().newPage()
  await other.goto(`${url}/`)
  assert.equal(await other.evaluate('ready'), id)
  // Each tab has a token that the other one has used.
  for (const each of [page.page, other, page.page, other]) {
    service.clock.advance(16 * MINUTE_MS)
    assert.equal(await each.evaluate(`svc.saves.put('slot', 1).then(() => svc.player.id)`), id)
  }
  assert.equal(await openApp(page), id)
  await page.page.context().clearCookies()
  assert.notEqual(await openApp(page), id)
  await page.close()
})

test('an app with its own storage key does not ask the host and keeps nothing', async () => {
  const page = await browser.newPage()
  const asked: string[] = []
  page.page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.open(`${url}/?anonymous`)
  await page.read(`ready.then(() => import('/.svc/sdk.js')).then(({ connect }) => connect({ storageKey: 'mine' }))
    .then((svc) => svc.auth.signOut())`)
  // The anonymous client of the page itself asks once.
  assert.equal(asked.filter((path) => path === '/.svc/session').length, 1)
  assert.equal(await keptToken(page), undefined)
  await page.close()
})
