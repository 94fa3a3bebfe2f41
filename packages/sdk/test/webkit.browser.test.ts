import assert from 'node:assert/strict'
import { test } from 'node:test'

import { startWebKit } from '../../server/src/testing/webkit.ts'
import { startEmbeddedGame } from './embedded-game.ts'

test('[PLY-07] WebKit: a guest in a frame of another site is the same player in the next visit', async (t) => {
  const embedded = await startEmbeddedGame()
  t.after(() => embedded.stop())
  const webkit = await startWebKit()
  t.after(() => webkit.close())
  const page = await webkit.newPage()
  await page.open(embedded.portal)
  const [id] = (await page.read('told')) as [string]
  await page.open(embedded.portal)
  assert.deepEqual(await page.read('told'), [id, { gold: 3 }])
  await page.close()
})
