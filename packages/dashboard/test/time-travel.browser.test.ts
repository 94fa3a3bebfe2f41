import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { promisify } from 'node:util'

import type { Page } from 'playwright-core'

import { deployRooms, ticking as tickingOf } from '../../server/src/testing/code-rooms.ts'
import { connect, type TestSocket } from '../../server/src/testing/sockets.ts'
import { CONFIG, type Dashboard, isLoaded, newGuest, startDashboard, unexpected } from './fixtures.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard({ SVC_BILLING: 'off' })
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

/** The shop forgets that a player may be poor. */
const classText = (buy: string) => `
export class Shop extends Room {
  static tickRate = 20
  onCreate() { this.state = { left: 100, coins: {} } }
  onJoin(player) { this.state.coins[player.id] = 3 }
  onLeave(player) { delete this.state.coins[player.id] }
  onTick() { this.state.left-- }
  messages = {
    buy: (player, { price }) => { ${buy} },
    refuse: () => { throw new Refusal('closed') },
  }
}`
const SPEND = 'this.state.coins[player.id] -= price'
const BROKEN = classText(
  `if (this.state.coins[player.id] < price) throw new Error('not enough coins'); ${SPEND}`,
)
const MENDED = classText(`if (this.state.coins[player.id] >= price) ${SPEND}`)

/** A room in development in which Ada buys three times; the third time the code throws. */
async function playedShop(name: string) {
  const project = await dashboard.newProject(name)
  const side = project.development
  const multiplayer = { modes: [{ key: 'shop', maxPlayers: 4, room: { class: 'Shop' } }] }
  await deployRooms(side, BROKEN)
  assert.equal((await side.server('PUT', '/v1/config', { ...CONFIG, multiplayer })).status, 200)
  const sockets: TestSocket[] = []
  for (const player of ['Ada', 'Bo'])
    sockets.push(await connect(dashboard.service, side, await newGuest(side, player)))
  const [ada, bo] = sockets as [TestSocket, TestSocket]
  const { room } = await ticking(ada.request({ t: 'create', mode: 'shop' }))
  await ticking(bo.request({ t: 'join', code: room.code }))
  for (const price of [1, 1]) await ticking(ada.request({ t: 'send', type: 'buy', data: { price } }))
  await ticking(ada.refusal({ t: 'send', type: 'refuse' }))
  await ticking(ada.refusal({ t: 'send', type: 'buy', data: { price: 2 } }))
  await ticking(bo.request({ t: 'leave' }))
  // The first may still be in the turn in which Bo leaves.
  for (const price of [0, 1]) await ticking(ada.request({ t: 'send', type: 'buy', data: { price } }))
  const path = `/dashboard/${project.slug}/development/live/${room.id}`
  return { ...project, path, ada, close: () => Promise.all(sockets.map((socket) => socket.close())) }
}

const ticking = <T>(answer: Promise<T>) => tickingOf(dashboard.service, answer)

/** Saves what a click downloads. */
async function saved(page: Page, name: RegExp, folder: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name }).click(),
  ])
  const path = join(folder, download.suggestedFilename())
  await download.saveAs(path)
  return path
}

const run = promisify(execFile)
const SDK = new URL('../../sdk/src/room/', import.meta.url)

/** Runs a test file in Node, beside a class; resolves with what it prints. */
async function outcome(test: string, folder: string, classes: string) {
  const room = JSON.stringify(new URL('room.ts', SDK).href)
  await writeFile(join(folder, 'index.ts'), `import { Refusal, Room } from ${room}\n${classes}`)
  return run(process.execPath, ['--conditions=source', '--test', '--test-reporter=tap', test], {
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  }).then(
    ({ stdout }) => ({ passes: true, stdout }),
    ({ stdout }: { stdout: string }) => ({ passes: false, stdout }),
  )
}

test('[RWC-109] a developer finds the turn with the error, saves it as a test that fails there, and mends the class', async (t) => {
  const { path, token, close } = await playedShop('Shop')
  const { page, complaints } = await dashboard.open(path, { token })
  const panel = page.getByRole('complementary', { name: 'Room' })
  await panel.getByRole('link', { name: 'Time travel' }).click()
  await page.getByRole('img', { name: 'Over time: 1 error,' }).waitFor()

  // Back over the leave of Bo to the error.
  const now = page.locator('.turn-now')
  const turnOf = async () => Number(/Turn (\d+)/.exec((await now.textContent()) ?? '')?.[1])
  const events = page.locator('.turn-events')
  await page.keyboard.press('Shift+ArrowLeft')
  await events.getByText('Bo left').waitFor()
  await page.getByRole('button', { name: 'Previous event' }).click()
  await page.locator('.notice-error').getByText('not enough coins').waitFor()
  await events.getByText('Ada asked buy').waitFor()
  await events.getByText('{"price":2}').waitFor()
  const failedTurn = await turnOf()
  const state = page.getByRole('region', { name: 'Shared state' })
  const coins = async () => /"?coins: \{2\}.*/s.exec(await state.innerText())?.[0].replaceAll(/\s+/g, ' ')
  const afterError = await coins()
  await page.keyboard.press('ArrowLeft')
  assert.equal(await turnOf(), failedTurn - 1)
  assert.equal(await coins(), afterError, 'the handler changed nothing')

  // What a turn changed can be found by its key, and has both values.
  await page.keyboard.press('/')
  await page.keyboard.type('coins.ada')
  await page.getByText('3 of 4', { exact: true }).waitFor()
  await page.locator('.turn-changes li', { hasText: /coins\.Ada2 →became 1/ }).waitFor()
  await page.getByLabel('Find turns').fill('')

  const folder = await mkdtemp(join(tmpdir(), 'svc-replay-'))
  t.after(() => rm(folder, { recursive: true }))
  await page.getByRole('button', { name: 'Save as test' }).click()
  await page.getByText(`The code threw an error in turn ${failedTurn}:`).waitFor()
  await saved(page, /^shop-.*\.json$/, folder)
  const file = await saved(page, /^shop-.*\.test\.ts$/, folder)
  // The folder has no packages.
  const source = await readFile(file, 'utf8')
  const sdk = new URL('test.ts', SDK).href
  await writeFile(file, source.replace("'@svc/sdk/room/test'", JSON.stringify(sdk)))
  const before = await outcome(file, folder, BROKEN)
  assert.equal(before.passes, false)
  assert.match(before.stdout, new RegExp(`Turn ${failedTurn}: the code threw an error: not enough coins`))
  const mended = await outcome(file, folder, MENDED)
  assert.ok(mended.passes, mended.stdout)
  // The states before the error still count.
  const other = await outcome(file, folder, MENDED.replace('coins[player.id] = 3', 'coins[player.id] = 5'))
  assert.match(other.stdout, /state\.coins\.ply_\w+ is 5, the recording has 3/)
  await close()
  assert.deepEqual(unexpected(complaints), [])
})

test('[RWC-108] the turns of a room play, and go by keys; the turns of a room that has ended can still be seen', async () => {
  const { path, token, ada, close } = await playedShop('Player')
  const { page, complaints } = await dashboard.open(`${path}?view=turns`, { token })
  const place = page.locator('.transport-place')
  await place.waitFor()
  const [, last = ''] = /of (\d+)/.exec((await place.textContent()) ?? '') ?? []
  await page.keyboard.press('Home')
  await page.getByText('Before the first turn', { exact: true }).waitFor()
  await page.keyboard.press('ArrowRight')
  await page.locator('.turn-events').getByText('The room was opened').waitFor()
  await page.keyboard.press('Space')
  await page.getByText(`${last} of ${last}`).waitFor()
  await page.getByRole('button', { name: 'Play (Space)' }).waitFor()
  const slider = page.getByRole('slider', { name: 'Turn' })
  await slider.press('ArrowLeft')
  await page.getByText(`${Number(last) - 1} of ${last}`).waitFor()
  await slider.press('End')
  await slider.press('Shift+ArrowLeft')
  await page.locator('.turn-events').getByText('Bo left').waitFor()

  await ticking(ada.request({ t: 'leave' }))
  await page.getByRole('link', { name: 'Live', exact: true }).last().click()
  await page.getByText('This room has ended').waitFor()
  await page.getByRole('link', { name: 'Time travel' }).click()
  await isLoaded(page)
  await page.locator('.turn-now').waitFor()
  await close()
  assert.deepEqual(unexpected(complaints), [])
})
