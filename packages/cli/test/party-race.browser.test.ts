import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'

import { type Browser, type Page, startBrowser } from '../../server/src/testing/browser.ts'
import { skipsTurn } from '../../server/src/testing/runs.ts'
import { type TestSetup, startTestSetup } from './cli.ts'

/** The example as a newcomer gets it: made and deployed by the real program, played in real browsers. */
let setup: TestSetup
let browser: Browser
let address: string
before(async () => {
  setup = await startTestSetup()
  browser = await startBrowser()
  await setup.json(['new', 'party-race', '--template', 'race', '--no-install'])
  address = (await setup.json(['deploy', 'public'], { folder: join(setup.root, 'party-race') })).url
})
after(async () => {
  await browser?.close()
  await setup?.stop()
})

/** However a test ends, its players leave: the next one counts on an empty queue. */
const pages: Page[] = []
afterEach(async () => {
  for (const page of pages.splice(0)) await page.close().catch(() => {})
})

type Racer = Awaited<ReturnType<typeof open>>
const STEPS = 6
const KEYS = ['ArrowUp', 'ArrowRight', 'ArrowDown', 'ArrowLeft']
const MY_PLACE = `Number(document.querySelector('.lane.me').style.getPropertyValue('--at'))`
const $ = (id: string) => `document.getElementById('${id}')`

async function open(url = `${address}/?steps=${STEPS}`) {
  const page = await browser.newPage()
  const problems = page.problems()
  await page.open(url)
  await page.until(`!${$('home')}.hidden`)
  const racer = {
    page,
    problems,
    untilStatus: (text: string) => page.until(`${$('status')}.textContent.includes(${JSON.stringify(text)})`),
    /** Everybody in the lanes, and how far they are. */
    lanes: async () =>
      (await page.read(
        `[...document.querySelectorAll('.lane:not(.empty)')].map((lane) => Number(lane.style.getPropertyValue('--at')))`,
      )) as number[],
    places: async () =>
      (await page.read(
        `[...document.querySelectorAll('#places span')].map((name) => name.textContent)`,
      )) as string[],
    name: async () => String(await page.read(`${$('who')}.textContent.split(',')[0]`)),
    race: () => page.press('#race'),
    untilRacing: () =>
      page.until(`!${$('drive')}.hidden && ${$('status')}.textContent === 'Press the arrows!'`),
    /** Presses the arrow that the page shows, `count` times. */
    async drive(count: number) {
      for (let pressed = 0; pressed < count; pressed++) {
        const rotation = await page.read(`parseInt(document.querySelector('#prompt svg').style.rotate)`)
        const before = Number(await page.read(MY_PLACE))
        await page.page.keyboard.press(KEYS[Number(rotation) / 90] ?? '')
        await page.until(`${MY_PLACE} > ${before}`)
      }
    },
  }
  pages.push(page)
  return racer
}

test('[ROM-12] four players start immediately; the first at the finish wins, and a reload keeps the race', async (t) => {
  if (skipsTurn(t, 0)) return
  const [ada, bo, cleo, dan] = [await open(), await open(), await open(), await open()]
  const all = [ada, bo, cleo, dan]
  for (const racer of all.slice(0, 3)) await racer.race()
  await ada.untilStatus('3 of 4 here. The race starts in')
  await dan.race()
  for (const racer of all) await racer.untilRacing()
  assert.deepEqual(await ada.lanes(), [0, 0, 0, 0])

  await bo.drive(3)
  await dan.page.until(
    `[...document.querySelectorAll('.lane')].some((lane) => lane.style.getPropertyValue('--at') === '${3 / STEPS}')`,
  )
  await bo.page.open(`${address}/?steps=${STEPS}`)
  await bo.untilRacing()
  await bo.drive(STEPS - 3)
  await bo.untilStatus('Finished in')
  for (const racer of [ada, cleo, dan]) await racer.drive(STEPS)
  await bo.untilStatus('You win!')
  await ada.untilStatus(`${await bo.name()} wins!`)
  assert.deepEqual((await ada.places())[0], await bo.name())
  assert.equal((await ada.places()).length, 4)
  await bo.page.until(`/ 1\\swon, best /.test(${$('who')}.textContent)`)
  // Everybody is on the board of today: the best three, and the last with the own place.
  const board = `[...document.querySelectorAll('#board li')].map((line) => line.textContent)`
  await dan.page.until(`!${$('board')}.hidden && ${board}.length === 4`)
  assert.match(
    String(((await dan.page.read(board)) as string[])[0]),
    new RegExp(`^1${await bo.name()}\\d+\\.\\d\\ss$`),
  )
  assert.match(String(((await dan.page.read(board)) as string[])[3]), /^4.*\(you\)/)
  for (const { problems } of all) assert.deepEqual(problems, [])
})

test('[ROM-12] friends who open the party link race together, with a stranger who waits', async () => {
  const stranger = await open()
  await stranger.race()
  const ada = await open()
  await ada.page.press('.invite[data-size="3"]')
  const link = String(await ada.page.read(`${$('link')}.value`))
  const friends = [await open(link), await open(link)]
  for (const friend of friends) {
    await friend.untilStatus('Your friends are waiting for you.')
    await friend.race()
  }
  for (const racer of [ada, stranger, ...friends]) await racer.untilRacing()
  const room = (racer: Racer) => racer.page.read(`sessionStorage.getItem('drive')`)
  const idOf = async (racer: Racer) => JSON.parse(String(await room(racer))).id as string
  const ids = await Promise.all([ada, stranger, ...friends].map(idOf))
  assert.equal(new Set(ids).size, 1)
})

test('[ROM-12] [ROM-17] two players wait 10 s for more; a player who comes during the race joins the next one', async (t) => {
  if (skipsTurn(t, 1)) return
  const [ada, bo] = [await open(), await open()]
  for (const racer of [ada, bo]) await racer.race()
  await ada.untilStatus('2 of 4 here. The race starts in')
  for (const racer of [ada, bo]) await racer.untilRacing()
  const cleo = await open()
  await cleo.race()
  await cleo.untilStatus('1 of 4 here. Waiting for racers')
  for (const racer of [ada, bo]) await racer.drive(STEPS)
  for (const racer of [ada, bo]) await racer.page.until(`!${$('results')}.hidden`)
  for (const racer of [ada, bo, cleo]) await racer.untilRacing()
  assert.equal((await cleo.lanes()).length, 3)

  await cleo.page.press('#leave')
  await cleo.page.until(`!${$('home')}.hidden`)
  await ada.page.until(`document.querySelectorAll('.lane:not(.empty)').length === 2`)
})
