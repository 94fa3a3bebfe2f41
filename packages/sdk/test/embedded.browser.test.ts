import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { type Browser, type Page, startBrowser } from '../../server/src/testing/browser.ts'
import { type EmbeddedGame, startEmbeddedGame } from './embedded-game.ts'

let embedded: EmbeddedGame
let browser: Browser
before(async () => {
  embedded = await startEmbeddedGame()
  browser = await startBrowser()
})
after(async () => {
  await browser?.close()
  await embedded.stop()
})

async function playerIn(page: Page, url: string) {
  await page.open(url)
  return (await page.read('told')) as [id: string, save?: object]
}

test('[PLY-07] Chromium: where third-party storage is blocked, a guest in a frame is the same player in the next visit', async () => {
  const page = await browser.newPage()
  // The browser without windows does not block it.
  await page.page.addInitScript(`if (top !== self)
    Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked') } })`)
  const [id, save] = await playerIn(page, embedded.portal)
  assert.equal(save, undefined)
  assert.deepEqual(await playerIn(page, embedded.portal), [id, { gold: 3 }])
  // Per site that embeds it, so that no two sites can recognize a visitor.
  const [other] = await playerIn(page, embedded.otherPortal)
  assert.notEqual(other, id)
  const cookies = await page.page.context().cookies(embedded.game)
  assert.ok(cookies.some(({ name }) => name.startsWith('__Host-svc.session.')))
  assert.ok(cookies.every(({ name, secure }) => name.startsWith('__Host-') && secure))
  assert.deepEqual(await playerIn(page, embedded.portal), [id, { gold: 3 }])
  // As the guide shows it: in a tab of its own the page has a storage of its own.
  await page.page.frameLocator('iframe').getByRole('button').click()
  const tab = await page.popup()
  await tab.until('globalThis.playerId')
  assert.equal(await tab.read('playerId'), id)
  await page.close()
})

test('[PLY-08] where a frame can store nothing, the game works, and one warning says that the guest is lost', async () => {
  const page = await browser.newPage()
  const warnings: string[] = []
  page.page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()))
  const [id] = await playerIn(page, embedded.strictPortal)
  assert.match(id, /^ply_/)
  assert.deepEqual(
    warnings.filter((text) => text.startsWith('svc: ')).map((text) => text.slice(0, 35)),
    ['svc: the browser blocks the storage'],
  )
  await page.close()
})
