import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { type Browser, type Page, startBrowser } from '../../server/src/testing/browser.ts'
import { CONFIG, startFixtures, type Fixtures } from './fixtures.ts'
import { startNetworkProxy } from './network-proxy.ts'
import { startPageServer } from './page-server.ts'

const MINUTE_MS = 60_000
const HTML = `<!doctype html><meta charset="utf-8"><title>Page</title>
<button id="tab">Another tab</button> <button id="link">Link</button> <button id="in">Sign in</button>
<script type="module">
  import { connect, SvcError } from '/.svc/sdk.js'
  Object.assign(globalThis, { connect, events: [] })
  if (new URL(location.href).searchParams.has('nolocks')) delete Navigator.prototype.locks
  globalThis.ready = connect().then((svc) => {
    globalThis.svc = svc
    svc.on('signed_out', (reason) => events.push(reason))
    tab.onclick = () => open(location.href)
    link.onclick = async () => { globalThis.linked = await svc.auth.linkWith('google').catch((error) => error.code) }
    document.querySelector('#in').onclick = () => svc.auth.signInWith('google', { mode: 'redirect' })
    return true
  })
</script>`

let fixtures: Fixtures
let site: Awaited<ReturnType<typeof startPageServer>>
let browser: Browser
before(async () => {
  fixtures = await startFixtures({ ...CONFIG, auth: { providers: { google: { enabled: true } } } })
  const path = `${fixtures.development.path}/auth/providers/google`
  assert.equal((await fixtures.developer('PUT', path, { testProvider: true })).status, 200)
  site = await startPageServer({ apiUrl: fixtures.baseUrl, key: fixtures.key }, HTML)
  browser = await startBrowser()
})
after(async () => {
  await browser.close()
  await site.stop()
  await fixtures.stop()
})

async function openPage(query = ''): Promise<Page> {
  const page = await browser.newPage()
  await page.open(site.url + query)
  await page.read('ready')
  return page
}

const until = (page: Page, expression: string) => page.until(expression)

test('a hosted page connects without options: it reads address and key from the service', async () => {
  const page = await openPage()
  assert.equal(await page.read('svc.player.isGuest'), true)
  const id = await page.read('svc.player.id')
  await page.read(`svc.saves.put('best', { score: 3 })`)

  await page.open(site.url)
  await page.read('ready')

  assert.equal(await page.read('svc.player.id'), id)
  assert.equal(await page.read(`svc.saves.get('best').then(({ data }) => data.score)`), 3)
  assert.deepEqual(await page.read(`Object.keys(globalThis).filter((name) => /svc/i.test(name))`), ['svc'])
  await page.close()
})

test('[GEN-47] a secret key in a page throws immediately', async () => {
  const page = await openPage()
  const refused = await page.read(
    `connect({ url: 'http://localhost:1', key: 'sk_dev_x' }).catch(({ code, hint }) => code + ': ' + hint)`,
  )
  assert.match(String(refused), /^secret_key_refused: .*publishable key/)
  await page.close()
})

for (const query of ['', '?nolocks']) {
  const how = query ? 'without Web Locks' : 'with Web Locks'
  test(`two tabs are one player and refresh for an hour without a sign-out, ${how}`, async () => {
    const one = await openPage(query)
    assert.equal(await one.read('Boolean(navigator.locks)'), query === '')
    await one.press('#tab')
    const two = await one.popup()
    await until(two, 'globalThis.svc')
    assert.equal(await two.read('svc.player.id'), await one.read('svc.player.id'))

    for (let round = 0; round < 8; round++) {
      fixtures.service.clock.advance(15 * MINUTE_MS)
      const lists = await Promise.all(
        [one, two].map((tab) => tab.read('svc.saves.list().then((l) => l.length)')),
      )
      assert.deepEqual(lists, [0, 0])
    }
    assert.deepEqual(await Promise.all([one, two].map((tab) => tab.read('events'))), [[], []])

    await two.read('svc.auth.signOut()')
    await until(one, 'events.length')
    assert.deepEqual(await one.read('events'), ['logout'])
    await one.close()
  })
}

test('a guest links a provider in a window, and stays the same player', async () => {
  const page = await openPage()
  const id = await page.read('svc.player.id')
  await page.press('#link')
  const popup = await page.popup()
  await until(popup, `document.querySelector('button[value="Ada"]')`)
  await popup.press('button[value="Ada"]')
  await until(page, 'globalThis.linked')

  assert.equal(await page.read('svc.player.id'), id)
  assert.equal(await page.read('svc.player.isGuest'), false)
  assert.deepEqual(await page.read('svc.player.identities.map(({ provider }) => provider)'), ['google'])
  assert.equal(await page.read('linked.id'), id)
  await page.close()
})

test('a closed window and a cancelled sign-in are reported', async () => {
  const page = await openPage()
  await page.press('#link')
  const closing = await page.popup()
  await until(closing, `document.querySelector('button[value="Ada"]')`)
  await closing.page.close()
  await until(page, 'globalThis.linked')
  assert.equal(await page.read('linked'), 'popup_closed')

  await page.read('globalThis.linked = undefined')
  await page.press('#link')
  const cancelled = await page.popup()
  await until(cancelled, `document.querySelector('a')`)
  await cancelled.read(`document.querySelector('a').click()`)
  await until(page, 'globalThis.linked')
  assert.equal(await page.read('linked'), 'access_denied')
  assert.equal(await page.read('svc.player.isGuest'), true)
  await page.close()
})

test('sign-in by redirect returns to the page, and removes its fragment from the address', async () => {
  const page = await openPage('?level=2')
  await page.loading(() => page.press('#in'))
  await page.loading(() => page.press('button[value="Kofi"]'))
  await page.read('ready')

  assert.equal(await page.read('svc.player.displayName'), 'Kofi')
  assert.equal(await page.read('svc.auth.returned.displayName'), 'Kofi')
  assert.equal(await page.read('location.href'), `${site.url}?level=2`)
  assert.equal(await page.read('sessionStorage.length'), 0)
  await page.close()
})

test('the token of a mail link is removed from the address and passed to the page', async () => {
  const page = await openPage('#svc_token=abc&svc_type=reset')
  assert.deepEqual(await page.read('svc.auth.mailLink'), { type: 'reset', token: 'abc' })
  assert.equal(await page.read('location.hash'), '')
  await page.close()
})

test('a forged code in the address does not change the player', async () => {
  const page = await openPage('#svc_code=forged')
  assert.equal(await page.read('svc.auth.returned.code'), 'invalid_code')
  assert.equal(await page.read('svc.player.isGuest'), true)
  await page.close()
})

test('the code of the quick start matches two pages', async () => {
  const pages = await Promise.all([openPage(), openPage()])
  await Promise.all(
    pages.map((page) =>
      page.read(`svc.rooms.quickMatch('duel').then((room) => {
        globalThis.room = room
        globalThis.seen = []
        room.on('player_state', (p, s) => seen.push(['state', p.displayName, s.score]))
        room.on('message', (type, data, from) => seen.push([type, data.emoji, from.displayName]))
        return true
      })`),
    ),
  )
  const [one, two] = pages as [Page, Page]
  await one.read(`(room.setMyState({ score: 1 }), room.send('wave', { emoji: 1 }))`)
  await until(two, 'seen.length === 2')
  const name = await one.read('svc.player.displayName')
  assert.deepEqual(await two.read('seen'), [
    ['state', name, 1],
    ['wave', 1, name],
  ])

  await one.read(`room.on('reconnected', () => seen.push('reconnected'))`)
  fixtures.destroyConnections()
  await until(one, `seen.includes('reconnected')`)
  assert.equal(await one.read('room.players.length'), 2)
  await Promise.all(pages.map((page) => page.close()))
})

test('a page that resumes from the background or the cache detects that its connection is closed', async () => {
  const proxy = await startNetworkProxy(fixtures.url)
  const away = await startPageServer(
    { apiUrl: fixtures.baseUrl, key: fixtures.key, realtimeUrl: proxy.realtimeUrl },
    HTML,
  )
  try {
    const page = await browser.newPage()
    await page.open(away.url)
    await page.read('ready')
    await page.read(`svc.rooms.create({ mode: 'party' }).then((room) => {
      globalThis.room = room
      for (const name of ['reconnecting', 'reconnected']) room.on(name, () => events.push(name))
    })`)
    const returns = [
      `document.dispatchEvent(new Event('visibilitychange'))`,
      `dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`,
    ]
    for (const isBack of returns) {
      await page.read('events.length = 0')
      proxy.silence()
      await page.read(isBack)
      await until(page, `events.includes('reconnecting')`)
      proxy.open()
      await until(page, `events.includes('reconnected')`)
    }
    await page.close()
  } finally {
    await away.stop()
    await proxy.stop()
  }
})
