import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { after, before, test } from 'node:test'

import { type Browser, type Page, startBrowser } from '../../server/src/testing/browser.ts'
import { CONFIG, eventually, startFixtures, type Fixtures } from './fixtures.ts'
import { startPageServer } from './page-server.ts'

const HTML = `<!doctype html><meta charset="utf-8"><title>Page</title><button id="link">Link</button>
<script type="module">
  import { connect } from '/.svc/sdk.js'
  globalThis.events = []
  globalThis.ready = connect().then((svc) => {
    globalThis.svc = svc
    svc.on('player', ({ isGuest }) => events.push(isGuest))
    link.onclick = async () => {
      globalThis.linked = undefined
      globalThis.linked = await svc.auth.linkWith('google').catch(({ code, hint }) => ({ code, hint }))
    }
    return true
  })
</script>`
const ISOLATED = { 'Cross-Origin-Opener-Policy': 'same-origin' }

type Site = Awaited<ReturnType<typeof startPageServer>>

let fixtures: Fixtures
let browser: Browser
let plain: Site
let isolated: Site
before(async () => {
  fixtures = await startFixtures({ ...CONFIG, auth: { providers: { google: { enabled: true } } } })
  const path = `${fixtures.development.path}/auth/providers/google`
  assert.equal((await fixtures.developer('PUT', path, { testProvider: true })).status, 200)
  const init = { apiUrl: fixtures.baseUrl, key: fixtures.key }
  plain = await startPageServer(init, HTML)
  isolated = await startPageServer(init, HTML, ISOLATED)
  browser = await startBrowser()
})
after(async () => {
  await browser.close()
  await plain.stop()
  await isolated.stop()
  await fixtures.stop()
})

async function openPage({ url }: Site): Promise<Page> {
  const page = await browser.newPage()
  await page.open(url)
  await page.read('ready')
  return page
}

const until = (page: Page, expression: string) => page.until(expression)

/** The window of the provider, with what it offers. */
async function pressLink(page: Page): Promise<Page> {
  await page.press('#link')
  const popup = await page.popup()
  await until(popup, `document.querySelector('button[value="Ada"]')`)
  return popup
}

const choose = (popup: Page, selector: string) =>
  popup.read(`void document.querySelector('${selector}').click()`)

const isGone = (page: Page) => eventually(async () => !page.hasPopup(), 'the end of the window')

test('a page with a Cross-Origin-Opener-Policy can sign in through a window', async () => {
  const page = await openPage(isolated)
  const id = await page.read('svc.player.id')
  const popup = await pressLink(page)
  assert.equal(await page.read('globalThis.linked'), undefined)
  assert.equal(await popup.read('window.opener'), null)
  await choose(popup, 'button[value="Ada"]')
  await until(page, 'globalThis.linked')

  assert.deepEqual(await page.read('[linked.id, linked.isGuest, svc.player.id]'), [id, false, id])
  await isGone(page)
  assert.equal(await page.read('sessionStorage.length'), 0)
  await page.close()
})

test('a page whose provider has such a policy can sign in, too', async () => {
  const shut = (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.includes('/authorize')) response.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
  }
  const { server } = fixtures.service.http
  server.prependListener('request', shut)
  try {
    const page = await openPage(plain)
    // Without a screen every page believes that it has the focus; with one, the window has it.
    await page.read('document.hasFocus = () => false')
    const popup = await pressLink(page)
    assert.equal(await popup.read('window.opener'), null)
    await choose(popup, 'button[value="Kofi"]')
    await until(page, 'globalThis.linked')
    assert.equal(await page.read('linked.isGuest'), false)
    await isGone(page)
    await page.close()
  } finally {
    server.removeListener('request', shut)
  }
})

test('a sign-in denied in the window is reported to the page', async () => {
  const page = await openPage(isolated)
  const popup = await pressLink(page)
  await choose(popup, 'a')
  await until(page, 'globalThis.linked')
  assert.equal(await page.read('linked.code'), 'access_denied')
  await isGone(page)
  await page.close()
})

test('returning to the page without a result reports the policy, with a hint to use the redirect mode', async () => {
  const page = await openPage(isolated)
  const popup = await pressLink(page)
  await eventually(async () => {
    await page.read(`dispatchEvent(new Event('focus'))`)
    return (await page.read('Boolean(globalThis.linked)')) === true
  }, 'the end of the wait')
  assert.equal(await page.read('linked.code'), 'popup_unreachable')
  assert.match(String(await page.read('linked.hint')), /mode: 'redirect'/)

  // The window is still there, and what is done in it is done.
  await choose(popup, 'button[value="Sam"]')
  await until(page, 'events.includes(false)')
  assert.equal(await page.read('svc.player.isGuest'), false)
  await page.close()
})

test('with same-origin-allow-popups a closed window is detected', async () => {
  const site = await startPageServer({ apiUrl: fixtures.baseUrl, key: fixtures.key }, HTML, {
    'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
  })
  try {
    const page = await openPage(site)
    const popup = await pressLink(page)
    await popup.page.close()
    await until(page, 'globalThis.linked')
    assert.equal(await page.read('linked.code'), 'popup_closed')
    await page.close()
  } finally {
    await site.stop()
  }
})
