import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

import type { Page } from 'playwright-core'

import { fillDashboard } from './demo.ts'
import { isLoaded, startDashboard } from './fixtures.ts'

/**
 * npm run pictures [-- <names of pages>]
 *
 * Takes the pictures of docs/pictures again: every page, light and dark, on a desktop and on a phone.
 */
const FOLDER = join(import.meta.dirname, '../../../docs/pictures')
const BYTES_MAX = 200_000
const SCREENS = [
  { name: '', width: 1440, height: 900 },
  { name: '-phone', width: 390, height: 844 },
]

type Picture = { name: string; path: string; act?: (page: Page) => Promise<unknown> }

const wanted = process.argv.slice(2)
const dashboard = await startDashboard()
const { project, empty, token, playerId, approvalId, close } = await fillDashboard(dashboard)
const [development, production] = [`/${project.slug}/development`, `/${project.slug}/production`]

const openRoom = (page: Page) => page.locator('.tile-room').first().click()
const play = async (page: Page) => {
  await page.getByRole('button', { name: 'Add two players' }).click()
  for (const player of await page.locator('.simulated').all()) await player.getByText('Connected').waitFor()
  await page.locator('.simulated').first().getByRole('button', { name: 'Create room' }).click()
  await page.getByRole('button', { name: 'Set my state' }).click()
}
const runSql = async (page: Page) => {
  await page.getByLabel('SQL in SCORES').fill('SELECT * FROM best ORDER BY points DESC')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('region', { name: 'Rows' }).waitFor()
}
const showDays = (page: Page) =>
  page.locator('.bars').evaluate((chart) => chart.scrollIntoView({ block: 'center' }))
const showHtml = async (page: Page) => {
  await page.getByRole('button', { name: 'HTML', exact: true }).click()
  await page.frameLocator('.mail-frame').getByRole('heading').first().waitFor()
}
const pages = [
  'overview',
  'players',
  'live',
  'moderation',
  'hosting',
  'leaderboards',
  'config',
  'share',
  'logs',
]
const more = ['webhooks', 'mailbox', 'keys', 'audit', 'team']
const pictures: Picture[] = [
  ...[...pages, ...more].map((name) => ({ name, path: `${development}/${name}` })),
  { name: 'approval', path: `/approvals/${approvalId}` },
  { name: 'functions', path: `${development}/functions` },
  { name: 'functions-sql', path: `${development}/functions`, act: runSql },
  { name: 'mailbox-html', path: `${development}/mailbox`, act: showHtml },
  { name: 'playground', path: `${development}/playground?view=consoles`, act: play },
  { name: 'live-room', path: `${development}/live`, act: openRoom },
  { name: 'player', path: `${development}/players/${playerId}` },
  { name: 'bans', path: `${development}/moderation?show=bans` },
  { name: 'switches', path: `${development}/config/switches` },
  {
    name: 'ban',
    path: `${production}/players`,
    async act(page: Page) {
      await page.locator('.players tbody a').first().click()
      await page.getByRole('button', { name: 'Ban…' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  { name: 'production', path: `${production}/overview` },
  { name: 'first-steps', path: `/${empty.slug}/development/overview` },
  ...['projects', 'billing', 'account', 'system'].map((name) => ({ name, path: `/${name}` })),
  { name: 'billing-days', path: '/billing', act: showDays },
].filter(({ name }) => wanted.length === 0 || wanted.includes(name))

await mkdir(FOLDER, { recursive: true })
for (const { name: screen, width, height } of SCREENS)
  for (const dark of [false, true]) {
    const look = `${screen}-${dark ? 'dark' : 'light'}`
    if (wanted.length === 0 || wanted.includes('sign-in')) {
      const { page } = await dashboard.open('/dashboard', { width, height, dark })
      await page
        .getByText('This service is ready')
        .or(page.getByRole('heading', { name: 'Sign in' }))
        .first()
        .waitFor()
      await take(page, `sign-in${look}`)
      await page.context().close()
    }
    const { page } = await dashboard.open('/dashboard/projects', { width, height, dark, token })
    // Relative times like "5 min ago" are computed from this time.
    await page.clock.setFixedTime(dashboard.service.clock.now())
    await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: dark ? 'dark' : 'light' })
    for (const { name, path, act } of pictures) {
      await page.goto(`${dashboard.baseUrl}/dashboard${path}`)
      await page.locator('h1').waitFor()
      await isLoaded(page)
      await act?.(page)
      await isLoaded(page)
      await take(page, `${name}${look}`)
    }
    await page.context().close()
  }
close()
await dashboard.stop()

async function take(page: Page, name: string) {
  await page.evaluate(() => document.fonts.ready)
  // A chart is drawn by a script that is loaded with the first one.
  for (const chart of await page.locator('.line-chart').all()) await chart.locator('canvas').waitFor()
  const path = join(FOLDER, `${name}.png`)
  await page.screenshot({ path })
  const { size } = await stat(path)
  if (size > BYTES_MAX) throw new Error(`${name} has ${size} bytes, more than ${BYTES_MAX}`)
  console.log(name, size)
}
