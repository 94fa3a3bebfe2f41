import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

import { deployFunctions } from '../../server/src/testing/deployed-functions.ts'
import { browserFor, deploy } from '../../server/src/testing/hosted-apps.ts'
import { topUp } from '../../server/src/testing/money.ts'
import { runs } from '../../server/src/testing/runs.ts'
import type { TestEnvironment } from '../../server/src/testing/service.ts'
import {
  type Dashboard,
  isLoaded,
  newAppeal,
  newGuest,
  report,
  startDashboard,
  unexpected,
  until,
} from './fixtures.ts'

/** The long form of the tests looks at all of them. */
const LOOKS = [
  { width: 1440, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
  { width: 1440, colorScheme: 'dark' },
  { width: 1024, colorScheme: 'light' },
  { width: 1024, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
] as const

let dashboard: Dashboard
let token: string
/** Every page, by its address below `/dashboard`. */
let paths: string[]
before(async () => {
  dashboard = await startDashboard()
  const project = await dashboard.newProject('Star Duel')
  const { development, production, slug } = project
  token = project.token
  assert.equal(await dashboard.service.signUp.setOperator(project.developer.email, true), true)
  const player = await newGuest(development, 'Ada')
  const pushed = await development.server('PUT', '/v1/config', {
    features: { hosting: true, stats: true, saves: true, multiplayer: true, emailLogin: true },
    stats: [{ key: 'wins', leaderboard: { periods: ['allTime', 'daily'] } }],
    multiplayer: { modes: [{ key: 'duel', minPlayers: 2, maxPlayers: 2 }] },
    share: { tracking: { enabled: true }, links: { enabled: true }, images: { enabled: true } },
  })
  assert.equal(pushed.status, 200, JSON.stringify(pushed.body))
  const mail = { email: 'mina@example.com', password: 'correct horse' }
  assert.equal((await development.public('POST', '/v1/auth/email/signup', mail)).status, 200)
  await topUp(dashboard.service, project.developer, 500)
  await deployFunctions(development, 'export default { fetch: () => new Response() }', {
    bindings: [{ type: 'db', name: 'SCORES' }],
    crons: ['0 3 * * *'],
  })
  const visit = await browserFor(dashboard.service)
  assert.equal((await visit(`${slug}--dev--fn`, '/')).status, 200)
  const environmentId = project.environments.find(({ name }) => name === 'development')?.id ?? ''
  dashboard.service.money.noteUsage(environmentId, 'voice.relayMinutes', 100)
  dashboard.service.money.noteUsage(environmentId, 'functions.requests', 100_000)
  await dashboard.service.everyMinute()
  for (const text of ['one', 'two']) await deploy(dashboard.service, development, { 'index.html': text })
  assert.equal((await development.server('POST', '/v1/deployments/1/activate', {})).status, 200)
  await report(development, player, { wins: 3 })
  await newAppeal(development, 'Noor', 'It was not me.')
  await newGuest(production, 'Kenji')
  const pages = [
    'overview',
    'players',
    'live',
    'moderation',
    'hosting',
    'functions',
    'leaderboards',
    'config',
    'share',
    'playground',
  ]
  const more = [
    'logs',
    'webhooks',
    'mailbox',
    'keys',
    'audit',
    'config/switches',
    'config/providers',
    'config/history',
  ]
  paths = [
    ...[...pages, ...more].map((page) => `/${slug}/development/${page}`),
    `/${slug}/development/players/${player.id}`,
    `/${slug}/development/moderation?show=values`,
    `/${slug}/development/moderation?show=bans`,
    `/${slug}/production/functions`,
    `/${slug}/production/overview`,
    `/${slug}/production/hosting`,
    '/projects',
    '/new',
    '/account',
    '/billing',
    '/system',
    '/approvals/apr_1',
    '/device',
  ]
})
after(() => dashboard.stop())

/** Two players in a room, who stay while the app is loaded. */
async function play(page: Page) {
  if ((await page.locator('.simulated').count()) > 0) return
  await page.getByRole('button', { name: 'Add two players' }).click()
  const first = page.locator('.simulated').first()
  await first.getByText('Connected').waitFor()
  await first.getByRole('button', { name: 'Create a room' }).click()
  await first.getByRole('button', { name: 'Set my state' }).click()
}

async function showHtml(page: Page) {
  await page.getByRole('button', { name: 'HTML', exact: true }).click()
  await page.frameLocator('.mail-frame').getByRole('heading').first().waitFor()
}

/** Like a click on a link: the app stays loaded. */
async function goTo(page: Page, path: string) {
  await page.evaluate((to) => {
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, `/dashboard${path}`)
  await page.locator('h1').waitFor()
  await isLoaded(page)
  if (path.endsWith('/playground')) await play(page)
  if (path.endsWith('/mailbox')) await showHtml(page)
}

/** The short form looks at every page once, in one of two looks; the long form at every page in all of them. */
const looks = LOOKS.slice(0, runs(2, LOOKS.length))
for (const [at, { width, colorScheme }] of looks.entries())
  test(`[DSH-39] axe finds no problem on any page, ${width} px wide, ${colorScheme}`, async () => {
    const shown = paths.filter((_, index) => looks.length === LOOKS.length || index % looks.length === at)
    // axe itself is a script that the policy of the page would refuse.
    const { page } = await dashboard.open('/dashboard/projects', { token, width, bypassCSP: true })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const problems: string[] = []
    for (const path of shown) {
      await goTo(page, path)
      // The frame is the same on every page: it is looked at once.
      const { violations } = await new AxeBuilder({ page })
        .include(path === shown[0] ? 'body' : 'main')
        .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
        .analyze()
      for (const { id, nodes } of violations)
        problems.push(`${path}: ${id} ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
    }
    assert.deepEqual(problems, [])
  })

test('[DSH-40] every page fits 320 px and a zoom of 200 %, and violates no policy', async () => {
  const { page, complaints } = await dashboard.open('/dashboard/projects', { token, width: 320, height: 640 })
  const wide: string[] = []
  for (const path of paths) {
    await goTo(page, path)
    for (const width of [320, 640]) {
      await page.setViewportSize({ width, height: 640 })
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      if (over > 0) wide.push(`${path} at ${width}: ${over} px too wide`)
    }
  }
  assert.deepEqual(wide, [])
  assert.deepEqual(unexpected(complaints), [])
})

test('a browser whose language is not a language shows the dashboard', async () => {
  const context = await dashboard.newContext()
  await context.addInitScript(`Object.defineProperty(navigator, 'language', { value: 'C' })`)
  const page = await context.newPage()
  await page.goto(`${dashboard.baseUrl}/dashboard`)
  await page.getByRole('heading').first().waitFor()
  await context.close()
})

test('[DSH-41] Ctrl-K, g with a letter, / and ? work on every page, and Back closes a panel that a click opened', async () => {
  const { page } = await dashboard.open('/dashboard/star-duel/development/overview', { token })
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  await page.getByRole('heading', { name: 'Players', exact: true }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('Ad')
  await page.waitForURL(/q=Ad$/)
  const row = page.getByRole('link', { name: 'Ada' })
  await row.waitFor()
  await page.locator('.players tbody tr').nth(0).waitFor()
  await row.click()
  await page.getByRole('complementary', { name: 'Player' }).waitFor()
  await page.goBack()
  await page.getByRole('complementary', { name: 'Player' }).waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await page.locator('main').focus()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('mailb')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Mailbox' }).waitFor()
})

test('[DSH-41] Ctrl-K loses no key of a fast typist, and Enter waits for the players of the letters', async () => {
  const { page } = await dashboard.open('/dashboard/star-duel/development/moderation', { token })
  await page.getByRole('heading', { name: 'Moderation', exact: true }).waitFor()
  await isLoaded(page)
  // Nothing is waited for between the keys, and a slow processor is no excuse.
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: 6 })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('audi')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Audit', exact: true }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0, 'the letter a accepts no appeal')

  let release = () => {}
  const isReleased = new Promise<void>((resolve) => (release = resolve))
  await page.route(/players\?.*q=Noor/, async (route) => {
    await isReleased
    await route.continue()
  })
  await page.keyboard.press('Control+k')
  // The first search is answered with Ada: the next one must not open her.
  await page.keyboard.type('Ada')
  await page.getByRole('option', { name: 'Ada' }).waitFor()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('Noor')
  await page.keyboard.press('Enter')
  release()
  await page.getByRole('complementary', { name: 'Player' }).getByRole('heading', { name: 'Noor' }).waitFor()

  await page.keyboard.press('Control+k')
  await page.keyboard.type('nobody')
  await page.keyboard.press('Enter')
  await page.getByText('Nothing found').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('[DSH-41] a search keeps letters that are typed when its page appears, and while a search is sent', async () => {
  const { page } = await dashboard.open('/dashboard/star-duel/development/overview', { token })
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor()
  const input = page.getByRole('searchbox')
  await page.evaluate(() => {
    // As early as possible: before the page is painted.
    new MutationObserver((_, observer) => {
      const search = document.querySelector<HTMLInputElement>('input[type=search]')
      if (!search) return
      observer.disconnect()
      search.value = 'A'
      search.dispatchEvent(new InputEvent('input', { bubbles: true }))
    }).observe(document.body, { subtree: true, childList: true })
  })
  await page.getByRole('link', { name: 'Players', exact: true }).click()
  await page.waitForURL(/q=A$/)
  assert.equal(await input.inputValue(), 'A')

  await input.press('End')
  await page.keyboard.type('d ')
  await page.waitForURL(/q=Ad$/)
  await isLoaded(page)
  assert.equal(await input.inputValue(), 'Ad ')

  await page.keyboard.type('x')
  await page.getByRole('button', { name: 'Clear the search' }).click()
  await page.getByRole('link', { name: 'Ada' }).waitFor()
  assert.equal(await input.inputValue(), '')
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
  const elements = await page.evaluate(() => document.querySelectorAll('*').length)
  // Item, button, name, seats, and two seats; the rest is the frame of the page.
  assert.ok(elements <= 6 * count + 500, `${elements} elements`)

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
