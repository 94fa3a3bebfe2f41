import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import type { Page } from 'playwright-core'

import { newAgent } from '../../server/src/testing/agents.ts'
import { type Dashboard, isLoaded, newGuest, startDashboard, unexpected } from './fixtures.ts'

const DAY_MS = 86_400_000
const LONG = `${'W'.repeat(30)}\u202e<b>x</b>${'y'.repeat(20)}`

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

/** Entries with and without names, of two days, of an environment and of the whole project. */
async function newHistory(name: string) {
  const project = await dashboard.newProject(name)
  const { id, developer, production } = project
  const player = await newGuest(production, '<b>Cheater</b>')
  await production.server('POST', `/v1/admin/players/${player.id}/ban`, {})
  dashboard.service.clock.advance(DAY_MS)
  const agent = await newAgent(dashboard.service, project, production, { label: LONG })
  const key = await developer.call('POST', `${production.path}/keys`, {
    type: 'secret',
    label: 'build server',
  })
  assert.equal(key.status, 200, JSON.stringify(key.body))
  const email = `${'long'.repeat(12)}@${'example'.repeat(6)}.com`
  const invited = await developer.call('POST', `/v1/x/projects/${id}/members`, { email, role: 'moderator' })
  assert.equal(invited.status, 201, JSON.stringify(invited.body))
  return { ...project, player, agent, email }
}

/** With the time of the service, so that its days are those of the page. */
async function openAudit(path: string, token: string, width?: number) {
  const opened = await dashboard.open('/dashboard/projects', { token, ...(width && { width }) })
  await opened.page.clock.setFixedTime(dashboard.service.clock.now())
  await opened.page.goto(dashboard.baseUrl + path)
  await opened.page.locator('.audit-list').first().waitFor()
  await isLoaded(opened.page)
  return opened
}

const entry = (page: Page, text: string) => page.locator('.audit-list summary', { hasText: text })

test('[DSH-76] an entry names what was changed, and links to the page that shows it', async () => {
  const { slug, token, player, agent } = await newHistory('Links')
  const { page, complaints } = await openAudit(`/dashboard/${slug}/production/audit`, token)
  const base = `/dashboard/${slug}/production`
  for (const [text, name, href] of [
    ['banned player', `player …${player.id.slice(-7)}`, `${base}/players/${player.id}`],
    ['created agent', /^agent W+/, `${base}/agents/${agent.id}`],
    ['created secret key', 'secret key build server', `${base}/keys`],
    ['invited', /^long.*\.com$/, `${base}/team`],
    ['pushed config', 'config v1', `/dashboard/${slug}/development/config/history`],
  ] as const) {
    if (text === 'pushed config') await page.getByRole('button', { name: 'Whole project' }).click()
    const link = entry(page, text).getByRole('link', { name })
    await link.waitFor()
    assert.equal(await link.getAttribute('href'), href)
  }
  await entry(page, 'banned player').getByRole('link').click()
  await page.getByRole('complementary', { name: 'Player' }).waitFor()
  assert.ok(page.url().endsWith(`${base}/players/${player.id}`))
  await page.goto(`${dashboard.baseUrl}${base}/overview`)
  await page
    .locator('.changes')
    .getByRole('link', { name: /^player …/ })
    .waitFor()
  assert.deepEqual(unexpected(complaints), [])
})

test('[DSH-75] [DSH-77] entries have a heading per day, and those of the whole project are among those of an environment', async () => {
  const { slug, token, email } = await newHistory('Days')
  const { page, complaints } = await openAudit(`/dashboard/${slug}/production/audit`, token)
  const daysOf = () =>
    page
      .locator('.audit-day')
      .evaluateAll((days) =>
        days.map((day) => [day.querySelector('h2')?.textContent, day.querySelectorAll('li').length]),
      )
  assert.deepEqual(await daysOf(), [
    ['Today', 3],
    ['Yesterday', 2],
  ])
  await entry(page, email).getByText('Project', { exact: true }).waitFor()
  await entry(page, 'created the project').getByText('Project', { exact: true }).waitFor()
  assert.equal(await entry(page, 'pushed config').count(), 0, 'of the other environment')

  await page.clock.setFixedTime(dashboard.service.clock.now().getTime() + DAY_MS)
  await page.reload()
  await page.locator('.audit-list').first().waitFor()
  const [[first] = [], [second] = []] = (await daysOf()) as (string[] | undefined)[]
  assert.equal(first, 'Yesterday')
  assert.match(second ?? '', /^\w+,? \d+ \w+ \d{4}$/)
  assert.deepEqual(unexpected(complaints), [])
})

test('[DSH-77] on a phone nothing of an entry is cut, also with long names', async () => {
  const { slug, token, email } = await newHistory('Phone')
  const { page, complaints } = await openAudit(`/dashboard/${slug}/production/audit`, token, 390)
  await entry(page, email).waitFor()
  const cut = await page.locator('.audit-list summary').evaluateAll((rows) =>
    rows.flatMap((row) =>
      [row, ...row.querySelectorAll('*')]
        .filter((part) => !(part instanceof SVGElement))
        .filter(
          (part) =>
            part.scrollWidth > Math.max(part.clientWidth, part.getBoundingClientRect().width) + 1 ||
            part.getBoundingClientRect().right > innerWidth,
        )
        .map(({ outerHTML }) => outerHTML),
    ),
  )
  assert.deepEqual(cut, [])
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
  const shown = await entry(page, 'created agent').textContent()
  assert.doesNotMatch(shown ?? '', /\u202e/, 'nothing turns the direction of the text')
  assert.deepEqual(unexpected(complaints), [])
})
