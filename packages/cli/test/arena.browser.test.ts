import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'

import type { CDPSession } from 'playwright-core'

import { type Browser, type Page, startBrowser } from '../../server/src/testing/browser.ts'
import { comesTrue } from '../../server/src/testing/in-time.ts'
import { type TestSetup, startFunctionsSetup } from './cli.ts'

type Player = Page & { faults: string[]; touch: CDPSession | undefined }
type State = { left: number; balls: Record<string, { x: number; y: number; gems: number; bot: boolean }> }

/** The template as a newcomer gets it: created by `svc new`, deployed by one command, played in real browsers. */
let setup: TestSetup
let browser: Browser
let folder: string
let url: string
before(async () => {
  setup = await startFunctionsSetup()
  browser = await startBrowser()
  await setup.json(['new', 'arena', '--template', 'arena'])
  folder = join(setup.root, 'arena')
  // A busy machine is slow, and makes longer pauses than a network. The round ends when the test wants it.
  await edit('shared/step.ts', { 'ROUND_SECONDS = 60': 'ROUND_SECONDS = 3_600' })
  await edit('svc.config.json', { '"gatherSeconds": 4': '"gatherSeconds": 60' })
  await edit('functions/src/index.ts', { 'LATE_MS_MAX = 2_000': 'LATE_MS_MAX = 60_000' })
  url = await deployed()
})
after(async () => {
  await browser?.close()
  await setup?.stop()
})

/** Runs `npm run deploy`; returns the URL of the game. */
async function deployed(): Promise<string> {
  const child = spawn('npm', ['run', 'deploy'], {
    cwd: folder,
    env: setup.own,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [[code], out, err] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)])
  assert.equal(code, 0, out + err)
  return /is live\S* {3}(\S+--dev\.\S+)\s*$/.exec(out)?.[1] ?? assert.fail(out)
}

async function edit(file: string, changes: Record<string, string>) {
  const path = join(folder, file)
  let source = await readFile(path, 'utf8')
  for (const [before, now] of Object.entries(changes)) {
    assert.ok(source.includes(before), before)
    source = source.replace(before, now)
  }
  await writeFile(path, source)
}

const $ = (id: string) => `document.getElementById('${id}')`
const showsGame = `${$('panel')}.hidden`
const showsResult = `${$('play')}.textContent === 'Play again'`

async function open(size: { width: number; height: number; touch?: boolean }): Promise<Player> {
  const page = await browser.newPage(size)
  const faults = page.problems()
  await page.open(url)
  await page.until(`${$('play')}.textContent === 'Play' && !${$('play')}.hidden`)
  const touch = size.touch ? await page.page.context().newCDPSession(page.page) : undefined
  return Object.assign(page, { faults, touch })
}

const openRooms = async () => (await setup.json(['rooms', '--once'], { folder })).rooms
const versions = async () =>
  (await openRooms()).map(({ id, server }: { id: string; server: { version: number } }) => [
    id,
    server.version,
  ])
const stateOf = async (roomId: string): Promise<State> =>
  (await setup.json(['rooms', 'state', roomId], { folder })).state

async function slowDown(playerId: string) {
  const keys = await readFile(join(folder, '.env'), 'utf8')
  const key = /^SVC_DEVELOPMENT_SECRET_KEY=(.+)$/m.exec(keys)?.[1] ?? assert.fail(keys)
  const body = { playerId, latencyMs: 200, lossPercent: 5 }
  const { status, body: answer } = await setup.call('PUT', '/v1/admin/x/playground/network', { key, body })
  assert.deepEqual([status, answer.connections], [200, 1])
}

const DIRECTIONS: Record<string, [dx: number, dy: number]> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
}

/** Players with fingers on the screen. */
const touching = new Set<Player>()

/** Holds a key, and dashes. On a phone a finger is dragged, and another one touches the button. */
async function press(player: Player, key: string) {
  const { page, touch } = player
  if (!touch) {
    for (const held of Object.keys(DIRECTIONS)) if (held !== key) await page.keyboard.up(held)
    await page.keyboard.down(key)
    return page.keyboard.press('Space')
  }
  const [dx = 0, dy = 0] = DIRECTIONS[key] ?? []
  const finger = { x: 100, y: 300, id: 1 }
  const dragged = { ...finger, x: finger.x + 40 * dx, y: finger.y + 40 * dy }
  const button = (await page.locator('#dash').boundingBox()) ?? assert.fail('there is no button')
  const onButton = { x: button.x + button.width / 2, y: button.y + button.height / 2, id: 2 }
  if (touching.has(player))
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  touching.add(player)
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [finger] })
  await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [dragged] })
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [dragged, onButton] })
}

test('[RWC-70] [RWC-101] four players with 200 ms and 5 % loss play a round, and a deploy comes in the middle', async () => {
  const desktop = { width: 1_000, height: 800 }
  const phones = [
    { width: 390, height: 844, touch: true },
    { width: 844, height: 390, touch: true },
  ]
  const pages: Player[] = []
  for (const size of [desktop, ...phones, desktop]) pages.push(await open(size))
  for (const page of pages) await page.press('#play')
  for (const page of pages) await page.until(showsGame)
  const [room, ...others] = await openRooms()
  assert.deepEqual([others, room.server.className, room.server.version], [[], 'Arena', 1])
  const ids: string[] = room.players.map(({ id }: { id: string }) => id)
  assert.equal(ids.length, 4)
  for (const id of ids) await slowDown(id)

  const keys = Object.keys(DIRECTIONS)
  /** Whom the room has moved. */
  const moved = new Set<string>()
  let turns = 0
  /** Everybody presses another key, until the room has moved somebody: the others may be at a wall. */
  async function moveAll() {
    turns++
    const before = await stateOf(room.id)
    for (const [at, page] of pages.entries()) await press(page, keys[(at + turns) % 4] ?? '')
    await comesTrue('the room has moved a player', async () => {
      const { balls } = await stateOf(room.id)
      const now = ids.filter((id) => {
        const [from, to] = [before.balls[id], balls[id]]
        return from && to && Math.hypot(to.x - from.x, to.y - from.y) > 50
      })
      for (const id of now) moved.add(id)
      return now.length > 0
    })
  }
  for (let n = 0; n < 3; n++) await moveAll()

  // Rooms keep their version after a deploy, so that games can finish.
  const deploy = (...options: string[]) => setup.json(['functions', 'deploy', ...options], { folder })
  await deploy()
  assert.deepEqual(await versions(), [[room.id, 1]])

  // With `--finish-minutes 0` they continue in the new version, while everybody moves.
  const before = await stateOf(room.id)
  await edit('functions/src/index.ts', { 'this.random() < 0.06)': 'this.random() < 0.2)' })
  await Promise.all([deploy('--finish-minutes', '0'), moveAll()])
  assert.deepEqual(await versions(), [[room.id, 3]])
  const state = await stateOf(room.id)
  assert.ok(state.left < before.left, 'the time goes on')
  assert.deepEqual(Object.keys(state.balls).toSorted(), ids.toSorted())
  for (const id of ids) assert.equal(state.balls[id]?.bot, false)
  for (let n = 0; n < 3; n++) await moveAll()
  while (turns < 30 && moved.size < 4) await moveAll()
  assert.equal(moved.size, 4, 'keys and fingers have moved everybody')

  for (const page of pages) {
    assert.equal(await page.read(showsGame), true, 'the players stay')
    await page.until(`/^([2-9]\\d\\d|\\d{4,}) ms$/.test(${$('ms')}.textContent)`)
    // An input that is not confirmed within 5 s counts as refused. A pause of the machine can do that; such a network cannot.
    const corrections = Number.parseInt(String(await page.read(`${$('corrections')}.textContent`)), 10)
    assert.ok(corrections <= 1, `${corrections} corrections`)
  }

  // Another deploy, of a version that ends the round.
  const ending = 'onRestore() {\n    this.state.left = 3 * RATE\n  }\n\n  onTick() {'
  await edit('functions/src/index.ts', { 'onTick() {': ending })
  await deploy('--finish-minutes', '0')
  for (const page of pages) await page.until(showsResult)
  const titles = await Promise.all(pages.map((page) => page.read(`${$('title')}.textContent`)))
  const isDraw = titles.every((title) => title === 'A draw')
  assert.ok(isDraw || titles.filter((title) => title === 'You win!').length === 1, titles.join())
  const results = await Promise.all(
    pages.map((page) =>
      page.read(`[...${$('places')}.querySelectorAll('b')].map((one) => one.textContent).join()`),
    ),
  )
  assert.equal(new Set(results).size, 1, 'everybody sees the same result')
  const shown = async (id: string) => (await setup.json(['players', 'show', id], { folder })).player
  const stats = await Promise.all(ids.map(async (id) => (await shown(id)).stats))
  const gems = stats.map((one) => one.gems).toSorted((a, b) => b - a)
  assert.equal(gems.join(), results[0])
  assert.equal(
    stats.reduce((sum, { wins }) => sum + wins, 0),
    isDraw ? 0 : 1,
  )

  // The next round, in a new room.
  for (const page of pages) await page.press('#play')
  for (const page of pages) await page.until(showsGame)
  const [next] = (await openRooms()).filter(({ id }: { id: string }) => id !== room.id)
  assert.deepEqual([next.server.version, next.players.length], [4, 4])
  for (const page of pages) assert.deepEqual(page.faults, [])
})

test('[RWC-72] svc play shows the game for four guests in one window, who play with each other', async () => {
  const { url: playground } = await setup.json(['play', '4'], { folder })
  const stored = await readFile(join(setup.home, '.config/svc/credentials.json'), 'utf8')
  const { page, problems } = await browser.newPage()
  const faults = problems()
  await page.addInitScript(
    (token) => {
      // The script also runs in the frames.
      if (self === top) localStorage.setItem('svc.developer', token)
    },
    /kds_[\w-]+/.exec(stored)?.[0] ?? '',
  )
  await page.goto(playground)
  const games = [1, 2, 3, 4].map((number) =>
    page.getByRole('region', { name: `Player ${number}` }).frameLocator('iframe'),
  )
  for (const game of games) await game.locator('#play', { hasText: 'Play' }).waitFor()
  for (const game of games) await game.locator('#play').click()
  for (const game of games) await game.locator('#panel').waitFor({ state: 'hidden' })
  const { rooms } = await setup.json(['rooms', '--once'], { folder })
  const full = rooms.find(({ players }: { players: unknown[] }) => players.length === 4)
  assert.equal(new Set(full.players.map(({ id }: { id: string }) => id)).size, 4)
  assert.deepEqual(faults, [])
})
