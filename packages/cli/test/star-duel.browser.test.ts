import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { type Browser, startBrowser } from '../../server/src/testing/browser.ts'
import { type Bench, startBench } from './cli.ts'
import { HAS_RESULT, IS_PLAYING, IS_READY, openGame } from './star-duel.ts'
import { startWire, type Wire } from './wire.ts'

/** What the journey does not meet: the rarer turns of a round. */
let bench: Bench
let browser: Browser
let wire: Wire
let folder: string
let address: string
before(async () => {
  bench = await startBench()
  browser = await startBrowser()
  wire = await startWire()
  await bench.json(['new', 'star-duel', '--template', 'duel'])
  folder = join(bench.root, 'star-duel')
  address = (await bench.json(['deploy', 'public'], { folder })).url
})
after(async () => {
  await browser?.close()
  await wire?.stop()
  await bench?.stop()
})

async function openTwo(seconds: number) {
  const ada = await openGame(await browser.newPage({ proxy: wire.proxy }), address, seconds)
  const bob = await openGame(await browser.newPage(), address, seconds)
  return { ada, bob, both: [ada, bob] }
}

test('waiting can be cancelled, and a rival who goes ends the round', async () => {
  const { ada, bob, both } = await openTwo(600)
  await ada.findRival()
  await ada.untilStatus('Looking for a rival')
  await ada.findRival()
  await ada.until(IS_READY)

  for (const game of both) await game.findRival()
  for (const game of both) await game.until(IS_PLAYING)
  await bench.json(['players', 'ban', await bob.playerId()], { folder })
  await ada.untilStatus('Your rival has left.')
})

test('a round that ends while the network is away has its result once it is back', async () => {
  const { ada, both } = await openTwo(6)
  for (const game of both) await game.findRival()
  for (const game of both) await game.until(IS_PLAYING)
  await ada.catchStars(2)
  wire.cut()
  await ada.until(`document.getElementById('clock').value === '0'`)
  await ada.untilStatus('Connection lost.')
  wire.mend()

  for (const game of both) await game.until(HAS_RESULT)
  await ada.untilStatus('You win!\n2 : 0')
  await ada.load()
  await ada.until(`/best 2$/.test(document.getElementById('who').textContent)`)
})
