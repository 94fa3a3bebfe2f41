import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

import { inTurn, runs } from '../../server/src/testing/runs.ts'
import type { TestEnvironment } from '../../server/src/testing/service.ts'
import { fillAllPages, goTo } from './all-pages.ts'
import { type Dashboard, newGuest, startDashboard, unexpected, until } from './fixtures.ts'

/** The long form of the tests looks at all of them. */
const LOOKS = [
  { width: 1440, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
  { width: 1440, colorScheme: 'dark' },
  { width: 1024, colorScheme: 'light' },
  { width: 1024, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
] as const

/** Of all pages, a run of the whole suite looks at one part. */
const PARTS = 6

let dashboard: Dashboard
let token: string
let paths: string[]
before(async () => {
  dashboard = await startDashboard()
  ;({ token, paths } = await fillAllPages(dashboard))
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

/** The short form looks at a part of the pages once, in one of two looks; the long form at every page in all of them. */
const looks = LOOKS.slice(0, runs(2, LOOKS.length))
for (const [at, { width, colorScheme }] of looks.entries())
  test(`[DSH-39] axe finds no problem on any page, ${width} px wide, ${colorScheme}`, async () => {
    const shown = inTurn(paths, PARTS).filter(
      (_, index) => looks.length === LOOKS.length || index % looks.length === at,
    )
    // axe itself is a script that the policy of the page would refuse.
    const { page } = await dashboard.open('/dashboard/projects', { token, width, bypassCSP: true })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const problems: string[] = []
    for (const path of shown) {
      await goTo(page, path)
      // The frame is the same on every page: it is looked at once.
      const { violations } = await new AxeBuilder({ page })
        .include(path === shown[0] ? 'body' : 'main')
        // The pages of developers.
        .exclude('.game-place iframe')
        .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
        .analyze()
      for (const { id, nodes } of violations)
        problems.push(`${path}: ${id} ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
    }
    assert.deepEqual(problems, [])
  })

/** Times as `format.ts` writes them in English. */
const TIMES =
  /\d{1,2}:\d{2}(:\d{2})?|\d+ (sec|min|hr|hours?|days?)\.? ago|\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)[a-z]*( \d{4}(, \d{1,2}:\d{2}(:\d{2})?)?)?/g

/** The times in tables and lists that take more than one line. */
const wrappedTimes = (page: Page): Promise<string[]> =>
  page.evaluate((pattern) => {
    const texts = [...document.querySelectorAll('main :is(tbody, ul, ol)')].flatMap((list) => {
      const walker = document.createTreeWalker(list, NodeFilter.SHOW_TEXT)
      const all: Node[] = []
      while (walker.nextNode()) all.push(walker.currentNode)
      return all
    })
    return texts.flatMap((text) =>
      [...(text.textContent ?? '').matchAll(new RegExp(pattern, 'g'))].flatMap(({ 0: time, index }) => {
        const range = document.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + time.length)
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1 ? [time] : []
      }),
    )
  }, TIMES.source)

test('[DSH-40] every page fits 320 px and a zoom of 200 %, no time in a table or a list wraps, and no page violates a policy', async () => {
  const { page, complaints } = await dashboard.open('/dashboard/projects', { token, width: 320, height: 640 })
  const problems: string[] = []
  for (const path of inTurn(paths, PARTS)) {
    await goTo(page, path)
    for (const width of [320, 640]) {
      await page.setViewportSize({ width, height: 640 })
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      if (over > 0) problems.push(`${path} at ${width}: ${over} px too wide`)
    }
    for (const width of [390, 1024]) {
      await page.setViewportSize({ width, height: 844 })
      problems.push(...(await wrappedTimes(page)).map((time) => `${path} at ${width}: ${time} wraps`))
    }
  }
  assert.deepEqual(problems, [])
  assert.deepEqual(unexpected(complaints), [])
})

test('[DSH-40] Players shows on a phone when somebody was last seen', async () => {
  const players = paths.find((path) => path.endsWith('/players')) ?? ''
  const { page } = await dashboard.open('/dashboard/projects', { token, width: 390, height: 844 })
  await goTo(page, players)
  const seen = page.locator('.players .seen').first()
  await seen.waitFor()
  assert.match((await seen.textContent()) ?? '', /^Last seen \S/)
  await page.setViewportSize({ width: 1024, height: 844 })
  await seen.waitFor({ state: 'hidden' })
})

test('a browser whose language is not a language shows the dashboard', async () => {
  const context = await dashboard.newContext()
  await context.addInitScript(`Object.defineProperty(navigator, 'language', { value: 'C' })`)
  const page = await context.newPage()
  await page.goto(`${dashboard.baseUrl}/dashboard`)
  await page.getByRole('heading').first().waitFor()
  await context.close()
})

test('[DSH-48] a page of many rooms has few elements, and a change touches only the tiles of its rooms', async (t) => {
  const count = runs(160, 1_000)
  const { development, slug, token: ofOwner } = await dashboard.newProject('Many rooms')
  const sockets: WebSocket[] = []
  t.after(() => sockets.forEach((socket) => socket.close()))
  while (sockets.length < count)
    sockets.push(...(await Promise.all(Array.from({ length: 20 }, () => newRoom(development)))))

  const { page, complaints } = await dashboard.open(`/dashboard/${slug}/development/live`, { token: ofOwner })
  const tiles = page.locator('.tile-room')
  await until(async () => (await tiles.count()) === count, 'a tile for each room')
  // Not of the whole document: its head has a link for every script that is loaded first, and the menu grows with the pages.
  const elements = await page.evaluate(() => document.querySelectorAll('main *').length)
  // Item, button, name, seats, and two seats; the rest are figures and legend.
  assert.ok(elements <= 6 * count + 60, `${elements} elements`)

  await page.evaluate(() => {
    const touched = new Set<Element | null>()
    Object.assign(globalThis, { touched })
    const map = document.querySelector('.map')
    if (!map) throw new Error('there is no map')
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const element = target instanceof Element ? target : target.parentElement
        touched.add(element?.closest('.tile-room') ?? null)
      }
    }).observe(map, { subtree: true, childList: true, attributes: true, characterData: true })
  })
  for (const socket of sockets.slice(0, 10)) socket.close()
  await until(
    async () => (await page.locator('.seat.is-away').count()) === 10 + LEGEND,
    'ten seats out of touch',
  )
  const touched = await page.evaluate(() => (globalThis as unknown as { touched: Set<unknown> }).touched.size)
  assert.equal(touched, 10)
  assert.deepEqual(unexpected(complaints), [])
})

/** The legend explains one such seat. */
const LEGEND = 1

/** A room with one player, who stays connected. */
async function newRoom(environment: TestEnvironment): Promise<WebSocket> {
  const { accessToken } = await newGuest(environment, 'Ada')
  const socket = new WebSocket(`${dashboard.baseUrl.replace('http', 'ws')}/v1/realtime`)
  const next = (isIt: (t: string) => boolean) =>
    new Promise<void>((resolve, reject) => {
      socket.onmessage = ({ data }) => isIt(JSON.parse(String(data)).t) && resolve()
      socket.onclose = () => reject(new Error('the connection was closed'))
    })
  await new Promise((resolve) => (socket.onopen = resolve))
  const ready = next((t) => t === 'welcome')
  socket.send(JSON.stringify({ t: 'auth', key: environment.publishableKey, token: accessToken }))
  await ready
  const created = next((t) => t === 'room_joined')
  socket.send(JSON.stringify({ t: 'create', rid: 1, mode: 'duel' }))
  await created
  return socket
}
