import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'

import { type Browser, startBrowser } from '../../server/src/testing/browser.ts'
import { skipsTurn } from '../../server/src/testing/runs.ts'
import { type TestSetup, startTestSetup } from './cli.ts'
import { startSocksProxy, type SocksProxy } from './socks-proxy.ts'
import { type Game, HAS_RESULT, IS_PLAYING, IS_READY, openGame } from './star-duel.ts'

/** What the journey does not meet: the rarer turns of a round. */
let setup: TestSetup
let browser: Browser
let proxy: SocksProxy
let folder: string
let address: string
before(async () => {
  setup = await startTestSetup()
  browser = await startBrowser()
  proxy = await startSocksProxy()
  await setup.json(['new', 'star-duel', '--template', 'duel', '--no-install'])
  folder = join(setup.root, 'star-duel')
  address = (await setup.json(['deploy', 'public'], { folder })).url
})
after(async () => {
  await browser?.close()
  await proxy?.stop()
  await setup?.stop()
})

/** However a test ends, its players leave: the next one counts on an empty queue. */
const pages: Game[] = []
afterEach(async () => {
  for (const { page } of pages.splice(0)) await page.close().catch(() => {})
})

async function open(seconds: number, look: Parameters<Browser['newPage']>[0] = {}) {
  const game = await openGame(await browser.newPage(look), address, seconds)
  pages.push(game)
  return game
}

async function openTwo(seconds: number) {
  const ada = await open(seconds, { proxy: proxy.proxy })
  const bob = await open(seconds)
  return { ada, bob, both: [ada, bob] }
}

type Room = { code: string; locked: boolean; players: { id: string }[] }
/** The rooms of earlier tests may still be there for a while, without anybody connected. */
async function roomOf(game: Game): Promise<Room | undefined> {
  const id = await game.playerId()
  const { rooms } = await setup.json(['rooms', 'watch', '--once'], { folder })
  return (rooms as Room[]).find(({ players }) => players.some((player) => player.id === id))
}

async function begin(games: Game[]) {
  for (const game of games) await game.findRival()
  for (const game of games) await game.until(IS_PLAYING)
}

test('the console of a new player shows no error, during a round and after a return', async () => {
  const page = await browser.newPage()
  const problems = page.problems()
  const ada = await openGame(page, address, 2)
  pages.push(ada)
  const bob = await open(2)
  await begin([ada, bob])
  await ada.catchStars(1)
  await ada.until(HAS_RESULT)
  await ada.load()
  await ada.until(`/best 1$/.test(document.getElementById('who').textContent)`)
  assert.deepEqual(problems, [])
})

test('[ROM-11] one player waits for a second without a limit, and can cancel', async () => {
  const ada = await open(600)
  await ada.findRival()
  await ada.untilStatus('Waiting for a rival …\nThe round starts when a second player is here.')
  assert.equal(await roomOf(ada), undefined)
  // 0: the service never starts a match with fewer players (ROM-11).
  const modes = await ada.page.read(
    `import('/.svc/sdk.js').then(({ connect }) => connect()).then((svc) => svc.config.get()).then(({ modes }) => modes)`,
  )
  assert.deepEqual(
    (modes as { key: string; fillTimeoutSeconds: number }[]).map(({ key, fillTimeoutSeconds }) => [
      key,
      fillTimeoutSeconds,
    ]),
    [['duel', 0]],
  )

  await ada.findRival()
  await ada.until(IS_READY)
  await ada.untilStatus('Catch more stars than your rival.')
})

test('a rival who leaves ends the round', async () => {
  const { ada, bob, both } = await openTwo(600)
  await begin(both)
  await ada.catchStars(1)
  await setup.json(['players', 'ban', await bob.playerId()], { folder })
  await ada.untilStatus('Your rival left the round. You win!\n1 : 0')
  await ada.until(IS_READY)
  await ada.load()
  await ada.until(`/best 1$/.test(document.getElementById('who').textContent)`)
})

test('[ROM-17] a started round cannot be joined, even if a seat becomes free', async () => {
  const { ada, bob, both } = await openTwo(600)
  await begin(both)
  const cleo = await open(600)
  await cleo.findRival()
  await cleo.untilStatus('Waiting for a rival')
  for (let looks = 0; (await roomOf(ada))?.locked !== true; looks++)
    assert.ok(looks < 20, 'the room is locked')

  assert.equal(await bob.page.read(`document.getElementById('find').textContent`), 'Leave')
  await bob.findRival()
  await bob.untilStatus('You left the round.')
  await ada.untilStatus('Your rival left the round. You win!')
  await ada.until(IS_READY)
  assert.equal(await cleo.page.read(IS_PLAYING), false, 'the third player still waits')

  await ada.findRival()
  for (const game of [ada, cleo]) await game.until(IS_PLAYING)
})

test('a rematch is with the same rival in the same room, once both want it', async (t) => {
  if (skipsTurn(t, 0)) return
  const { ada, bob, both } = await openTwo(4)
  await begin(both)
  await ada.catchStars(2)
  await bob.catchStars(1)
  for (const game of both) await game.until(HAS_RESULT)
  const first = await roomOf(ada)
  assert.equal(await ada.text('status'), 'You win!\n2 : 1')

  await bob.rematch()
  await bob.until(`document.getElementById('rematch').textContent === 'Waiting for your rival …'`)
  await ada.until(`document.getElementById('rematch').textContent === 'Rematch (your rival is ready)'`)
  assert.equal(await bob.page.read(IS_PLAYING), false, 'one of them is not enough')
  assert.equal(await ada.text('status'), 'You win!\n2 : 1')

  await ada.rematch()
  for (const game of both) await game.until(IS_PLAYING)
  await bob.catchStars(3)
  await ada.untilScores(0, 3)
  for (const game of both) await game.until(HAS_RESULT)
  assert.equal(await ada.text('status'), 'Your rival wins.\n0 : 3')
  assert.equal(await bob.text('status'), 'You win!\n3 : 0')
  const second = await roomOf(ada)
  assert.deepEqual([second?.code, second?.players.length], [first?.code, 2])
})

test('if a rival leaves after the round, the result stays, and a rematch waits for a new rival', async (t) => {
  if (skipsTurn(t, 1)) return
  const { ada, bob, both } = await openTwo(2)
  await begin(both)
  for (const game of both) await game.until(HAS_RESULT)
  await bob.load()
  await ada.untilStatus('A draw.\n0 : 0\nYour rival left.')
  await ada.until(IS_READY)

  await bob.until(IS_READY)
  await begin(both)
  for (const game of both) await game.until(HAS_RESULT)
  await ada.rematch()
  await bob.until(`document.getElementById('rematch').textContent.includes('ready')`)
  await bob.findRival()
  // Both look for a new rival now, and there is nobody else.
  for (const game of both) await game.until(IS_PLAYING)
})

test('a round that ends while offline shows its result once the network is back', async (t) => {
  if (skipsTurn(t, 0)) return
  const { ada, both } = await openTwo(6)
  await begin(both)
  await ada.catchStars(2)
  proxy.disconnect()
  await ada.until(`document.getElementById('clock').value === '0'`)
  await ada.untilStatus('Connection lost.')
  proxy.reconnect()

  for (const game of both) await game.until(HAS_RESULT)
  await ada.untilStatus('You win!\n2 : 0')
  await ada.load()
  await ada.until(`/best 2$/.test(document.getElementById('who').textContent)`)
})

test('a guest with a score who signs in to an account of another device is asked; one without is not', async (t) => {
  if (skipsTurn(t, 1)) return
  const owner = await open(600)
  const ownerId = await owner.playerId()
  await owner.signIn()

  const fresh = await open(600)
  await fresh.signIn()
  assert.equal(await fresh.playerId(), ownerId)

  const { ada, both } = await openTwo(3)
  await begin(both)
  await ada.catchStars(1)
  for (const game of both) await game.until(HAS_RESULT)
  await ada.page.read('globalThis.confirm = (question) => ((globalThis.asked = question), true)')
  await ada.signIn()
  assert.equal(await ada.playerId(), ownerId)
  assert.match(String(await ada.page.read('asked')), /Your score as a guest stays on this device/)
  await ada.until(`/best 0$/.test(document.getElementById('who').textContent)`)
})

test('[LDB-05] after a round both players see the best of today with their own place', async () => {
  const { ada, bob, both } = await openTwo(3)
  const isHidden = `document.getElementById('board').hidden`
  await begin(both)
  assert.equal(await ada.page.read(isHidden), true)
  await ada.catchStars(2)
  for (const game of both) await game.until(HAS_RESULT)
  for (const game of both) await game.until(`!${isHidden}`)
  const own = (game: Game) =>
    game.page.read(
      `[...document.querySelectorAll('#places .own span')].map((span) => span.textContent).join(' ')`,
    )
  assert.match(String(await own(ada)), /^\d+\. You \d+$/)
  assert.match(String(await own(bob)), /^\d+\. You \d+$/)
  const ranks = await bob.page.read(
    `[...document.querySelectorAll('#places li')].map((place) => parseInt(place.textContent))`,
  )
  const places = ranks as number[]
  assert.equal(places[0], 1)
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  )
  // The next round hides it.
  await ada.rematch()
  // The text of the button changes, and with it its place.
  await bob.until(`document.getElementById('rematch').textContent.includes('ready')`)
  await bob.rematch()
  for (const game of both) await game.until(IS_PLAYING)
  assert.equal(await ada.page.read(isHidden), true)
})
