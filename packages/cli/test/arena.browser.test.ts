import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'

import { type Browser, type Page, startBrowser } from '../../server/src/testing/browser.ts'
import { comesTrue } from '../../server/src/testing/in-time.ts'
import { type TestSetup, startFunctionsSetup } from './cli.ts'

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
  // Shorter rounds, as a developer would change them.
  await edit('shared/step.ts', { 'ROUND_MS = 60_000': 'ROUND_MS = 15_000' })
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

async function open(): Promise<Page & { faults: string[] }> {
  const page = await browser.newPage()
  const faults = page.problems()
  await page.open(url)
  await page.until(`${$('play')}.textContent === 'Play' && !${$('play')}.hidden`)
  return Object.assign(page, { faults })
}

test('[RWC-70] two players play a round: the room moves them, counts, and reports what nobody else can', async () => {
  const pages = [await open(), await open()]
  const [ada, bo] = pages as [(typeof pages)[0], (typeof pages)[0]]
  for (const page of pages) await page.press('#play')
  for (const page of pages) await page.until(showsGame)
  await ada.until(`document.querySelectorAll('#scores .chip').length === 2`)
  await bo.until(`/the server decides\\s*\\d+ ms/.test(${$('link')}.innerText)`)

  const { rooms } = await setup.json(['rooms', '--once'], { folder })
  const ids: string[] = rooms[0].players.map(({ id }: { id: string }) => id)
  assert.equal(rooms[0].server.className, 'Arena')
  await ada.page.keyboard.down('ArrowDown')
  await bo.page.keyboard.down('ArrowUp')
  const placesOf = async () => {
    const { state } = await setup.json(['rooms', 'state', rooms[0].id], { folder })
    return Object.values<{ y: number }>(state.balls).map(({ y }) => y)
  }
  const before = await placesOf()
  await comesTrue('the room has moved both', async () =>
    (await placesOf()).every((y, at) => Math.abs(y - (before[at] ?? y)) > 20),
  )

  for (const page of pages) await page.until(`${$('play')}.textContent === 'Play again'`)
  const title = String(await ada.read(`${$('title')}.textContent`))
  assert.match(title, /^(?:You win!|A draw|.+ wins)$/)
  assert.equal(await bo.read(`${$('places')}.children.length`), 2)
  const shown = async (id: string) => (await setup.json(['players', 'show', id], { folder })).player
  const stats = await Promise.all(ids.map(async (id) => (await shown(id)).stats))
  for (const one of stats) assert.ok('gems' in one && 'wins' in one, JSON.stringify(stats))
  for (const page of pages) await page.press('#play')
  for (const page of pages) await page.until(showsGame)
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
