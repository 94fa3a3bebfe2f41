import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

import { runs } from '../../server/src/testing/runs.ts'
import {
  type Dashboard,
  isLoaded,
  newAppeal,
  newGuest,
  report,
  startDashboard,
  unexpected,
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
  const player = await newGuest(development, 'Ada')
  await development.server('PUT', '/v1/config', {
    features: { hosting: true, stats: true, saves: true },
    stats: [{ key: 'wins', leaderboard: { periods: ['allTime', 'daily'] } }],
  })
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
    `/${slug}/production/overview`,
    `/${slug}/production/hosting`,
    '/projects',
    '/new',
    '/account',
    '/billing',
    '/system',
    '/approvals/apr_1',
  ]
})
after(() => dashboard.stop())

/** As a link would do it: the app stays loaded. */
async function goTo(page: Page, path: string) {
  await page.evaluate((to) => {
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, `/dashboard${path}`)
  await page.locator('h1').waitFor()
  await isLoaded(page)
}

/** The short form looks at every page once, in one of two looks; the long form at every page in all of them. */
const looks = LOOKS.slice(0, runs(2, LOOKS.length))
for (const [at, { width, colorScheme }] of looks.entries())
  test(`[DSH-39] no page has a problem that axe finds, ${width} px wide, ${colorScheme}`, async () => {
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

test('[DSH-41] Ctrl-K, g with a letter, / and ? work everywhere, and Back closes what a click opened', async () => {
  const { page } = await dashboard.open('/dashboard/star-duel/development/overview', { token })
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  await page.getByRole('heading', { name: 'Players' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('Ad')
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
  await page.getByRole('combobox').waitFor()
  await page.keyboard.type('mailb')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Mailbox' }).waitFor()
})
