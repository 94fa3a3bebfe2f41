import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { type Browser, type Page, startBrowser } from '../../server/src/testing/browser.ts'
import { linkMailedTo } from '../../server/src/testing/email-players.ts'
import { deploy } from '../../server/src/testing/hosted-apps.ts'
import { CONFIG, FEATURES, startFixtures, type Fixtures } from './fixtures.ts'
import { startPageServer } from './page-server.ts'

const HTML = `<!doctype html><meta charset="utf-8"><title>Game</title><link rel="icon" href="data:,">
<button id="mail">Open the mail</button>
<script type="module">
  import { connect } from '/.svc/sdk.js'
  globalThis.events = []
  globalThis.ready = connect().then((svc) => {
    globalThis.svc = svc
    svc.on('player', ({ emailVerified }) => events.push(emailVerified))
    mail.onclick = () => open(globalThis.link)
    return true
  })
</script>`
/** How often the page has asked who the player is. */
const ASKED = `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/players/me')).length`

let fixtures: Fixtures
let browser: Browser
before(async () => {
  fixtures = await startFixtures({ ...CONFIG, features: { ...FEATURES, hosting: true } })
  browser = await startBrowser()
})
after(async () => {
  await browser.close()
  await fixtures.stop()
})

const until = (page: Page, expression: string) => page.until(expression)

async function openAs(url: string, email: string): Promise<Page> {
  const page = await browser.newPage()
  await page.open(url)
  await page.read('ready')
  await page.read(`svc.auth.linkEmail({ email: '${email}', password: 'correct horse' })`)
  assert.equal(await page.read('svc.player.emailVerified'), false)
  return page
}

const confirm = async (email: string) => {
  const { token } = await linkMailedTo(fixtures.service, email)
  assert.equal((await fixtures.development.public('POST', '/v1/auth/email/verify', { token })).status, 200)
}

test('an open page is notified when the built-in page of its origin confirms the address, and that page links back', async () => {
  const { url } = await deploy(fixtures.service, fixtures.development, { 'index.html': HTML })
  const game = await openAs(url, 'hosted@example.com')
  const link = await linkMailedTo(fixtures.service, 'hosted@example.com')
  assert.equal(new URL(link.url).origin, new URL(url).origin)

  await game.read(`globalThis.link = ${JSON.stringify(link.url)}`)
  await game.press('#mail')
  const mail = await game.popup()
  await until(mail, `document.querySelector('form')?.checkVisibility()`)
  await mail.press('form button')
  await until(game, 'svc.player.emailVerified')
  assert.deepEqual(await game.read('events'), [false, true])

  await until(mail, `document.querySelector('main a')`)
  await mail.loading(() => mail.press('main a'))
  await mail.read('ready')
  assert.equal(await mail.read('svc.player.emailVerified'), true)
  await game.close()
})

test('a page of another origin checks for the confirmation when it becomes visible or is reloaded, and not otherwise', async (t) => {
  const site = await startPageServer({ apiUrl: fixtures.baseUrl, key: fixtures.key }, HTML)
  t.after(site.stop)
  for (const [email, comesBack] of [
    ['focus@example.com', `dispatchEvent(new Event('focus'))`],
    ['visible@example.com', `document.dispatchEvent(new Event('visibilitychange'))`],
  ] as const) {
    const page = await openAs(site.url, email)
    assert.equal(await page.read(ASKED), 0)
    await confirm(email)
    await page.read(comesBack)
    await until(page, 'svc.player.emailVerified')
    assert.deepEqual(await page.read('events'), [false, true])

    await page.read(comesBack)
    assert.equal(await page.read(ASKED), 1, 'a confirmed address is not asked for')
    await page.close()
  }

  const page = await openAs(site.url, 'reload@example.com')
  await confirm('reload@example.com')
  await page.open(site.url)
  await page.read('ready')
  await until(page, 'svc.player.emailVerified')
  await page.close()
})
