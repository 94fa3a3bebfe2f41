import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import { AxeBuilder } from '@axe-core/playwright'

import { type Dashboard, startDashboard, unexpected } from '../../dashboard/test/fixtures.ts'
import { LAYOUT_SHIFT_MAX, layoutShiftOf, phoneContext } from '../../dashboard/test/layout-shift.ts'
import { inTurn, runs } from '../../server/src/testing/runs.ts'
import type { SearchIndex } from '../src/search/search-index.ts'

const LOOKS = [
  { width: 1440, dark: false },
  { width: 390, dark: true },
  { width: 1024, dark: false },
  { width: 1440, dark: true },
  { width: 390, dark: false },
  { width: 1024, dark: true },
]
/** One page of each kind, for one look each; the long form of the tests looks at all pages in all looks. */
const KINDS = [
  '/docs',
  '/docs/guide/rooms',
  '/docs/api/saves',
  '/docs/guide/dashboard',
  '/docs/errors',
  '/docs/sdk-ui',
]

let dashboard: Dashboard
let pages: string[]
const isLong = runs(0, 1) === 1
before(async () => {
  dashboard = await startDashboard()
  const { status, body } = await dashboard.service.call('GET', '/docs/search.json')
  assert.equal(status, 200)
  const all = (body as SearchIndex).pages.map(({ href }) => href)
  pages = isLong ? [...new Set([...KINDS, '/docs/api', '/docs/guide', ...all])] : KINDS
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

for (const [at, { width, dark }] of inTurn([...LOOKS.entries()], 6))
  test(`[DOC-07] axe finds no problem on any page of the docs, ${width} px wide, ${dark ? 'dark' : 'light'}`, async () => {
    // axe itself is a script that the policy of the page would refuse.
    const { page } = await dashboard.open('/docs', { width, dark, bypassCSP: true })
    const problems: string[] = []
    for (const path of isLong ? pages : pages.slice(at, at + 1)) {
      await page.goto(dashboard.baseUrl + path)
      await page.locator('#search').waitFor()
      const { violations } = await new AxeBuilder({ page })
        .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
        .analyze()
      for (const { id, nodes } of violations)
        problems.push(`${path}: ${id} ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
    }
    assert.deepEqual(problems, [])
  })

test('[DOC-07] every page of the docs fits 320 px and violates no policy', async () => {
  const { page, complaints } = await dashboard.open('/docs', { width: 320, height: 640 })
  const wide: string[] = []
  for (const path of inTurn([...pages, '/docs/api', '/docs/cli', '/docs/sdk-server'], 3)) {
    await page.goto(dashboard.baseUrl + path)
    await page.locator('#search').waitFor()
    for (const width of [320, 640]) {
      await page.setViewportSize({ width, height: 640 })
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      if (over > 0) wide.push(`${path} at ${width}: ${over} px too wide`)
    }
  }
  assert.deepEqual(wide, [])
  assert.deepEqual(unexpected(complaints), [])
})

test('[DOC-13] nothing moves on a phone while a page of the docs loads, and the contents begin folded', async () => {
  const context = await phoneContext(dashboard.newContext)
  const problems: string[] = []
  for (const path of ['/docs', '/docs/guide/stats', '/docs/api/saves']) {
    const page = await context.newPage()
    // What comes late on a slow network comes after the first paint here.
    const painted = Promise.withResolvers<void>()
    await page.route(/docs-page-.*\.js|\.woff2/, async (route) => {
      await painted.promise
      await route.continue()
    })
    await page.goto(dashboard.baseUrl + path, { waitUntil: 'commit' })
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0)
    assert.equal(await page.locator('#search').isVisible(), true)
    assert.equal(await page.locator('.pages').isVisible(), false)
    painted.resolve()
    await page.waitForLoadState()
    const { shift, moved } = await layoutShiftOf(page)
    if (shift > LAYOUT_SHIFT_MAX) problems.push(`${path}: ${shift} by ${moved.join(' ')}`)
    await page.close()
  }
  await context.close()
  assert.deepEqual(problems, [])
})

test('[DOC-07] / focuses the search; arrows choose, Enter opens the section, Escape closes the list', async () => {
  const { page, complaints } = await dashboard.open('/docs/guide/saves')
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.locator('#search').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('leaderboard around me')
  const first = page.locator('#found-0')
  await first.waitFor()
  assert.equal(await first.getAttribute('aria-selected'), 'true')
  await page.keyboard.press('ArrowDown')
  assert.equal(await first.getAttribute('aria-selected'), 'false')
  assert.equal(await page.locator('#search').getAttribute('aria-activedescendant'), 'found-1')
  const { violations } = await new AxeBuilder({ page: (await copyOf(page.url())).page }).analyze()
  assert.deepEqual(
    violations.map(({ id }) => id),
    [],
  )
  await page.keyboard.press('Escape')
  await page.locator('#found').waitFor({ state: 'hidden' })
  await page.keyboard.type(' ')
  const href = await page.locator('#found-0').getAttribute('href')
  await page.keyboard.press('Enter')
  await page.waitForURL(dashboard.baseUrl + href)
  await page.locator('h1').waitFor()
  assert.ok(requests.every((url) => url.startsWith(dashboard.baseUrl)))
  assert.deepEqual(unexpected(complaints), [])

  /** The same list on a page where axe may run. */
  async function copyOf(url: string) {
    const opened = await dashboard.open(new URL(url).pathname, { bypassCSP: true })
    await opened.page.locator('#search').fill('leaderboard around me')
    await opened.page.locator('#found-0').waitFor()
    return opened
  }
})

test('[DOC-07] the search shows its input as text, not as HTML', async () => {
  const { page, complaints } = await dashboard.open('/docs')
  await page.locator('#search').fill('<img src=x onerror=alert(1)>zzqx')
  await page.locator('#found').getByText('Nothing found').or(page.locator('#found-0')).first().waitFor()
  assert.equal(await page.locator('.found img').count(), 0)
  assert.deepEqual(unexpected(complaints), [])
})

test('[DOC-07] a page can be read without script', async () => {
  const context = await dashboard.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${dashboard.baseUrl}/docs/guide/rooms`)
  await page.getByRole('heading', { name: 'Matchmaking', exact: true }).waitFor()
  await page.getByText('quickMatch').first().waitFor()
  assert.equal(await page.locator('#search').isVisible(), false)
  assert.equal(await page.locator('.copy').first().isVisible(), false)
  await page.getByRole('link', { name: 'Leaderboards' }).first().click()
  await page.getByRole('heading', { name: 'Leaderboards', level: 1 }).waitFor()
  await context.close()
})

test('[DOC-07] a button copies the code, and of a console only the commands', async () => {
  const { page } = await dashboard.open('/docs/guide/rooms')
  const copied = async (at: number) => {
    const figure = page.locator('figure.code').nth(at)
    await figure.getByRole('button', { name: 'Copy' }).click()
    await figure.getByRole('button', { name: 'Copied' }).waitFor()
    return page.evaluate(() => navigator.clipboard.readText())
  }
  assert.match(await copied(0), /^"multiplayer": \{/)
  assert.equal(await copied(1), 'svc enable multiplayer')
})

test('[DOC-04] a call can be tried on its page', async () => {
  const { page, complaints } = await dashboard.open('/docs/api/platform#readPlatformInfo')
  const form = page.locator('#readPlatformInfo .try')
  await form.getByText('Try it').click()
  await form.getByRole('button', { name: 'Send GET' }).click()
  await form.locator('output .verdict').getByText('200 OK').waitFor()
  assert.match((await form.locator('output pre').textContent()) ?? '', /"version"/)
  assert.deepEqual(unexpected(complaints), [])
})

test('[DOC-11] a guest can be created in the form of a player call, and the token is used on other pages of the tab', async () => {
  const { development } = await dashboard.newProject('Docs')
  const { page, complaints } = await dashboard.open('/docs/api/players')
  assert.equal(await page.locator('.endpoint h2').first().textContent(), 'Create a guest player')
  const profile = page.locator('#readPlayer .try')
  await profile.getByText('Try it').click()
  await profile.getByRole('button', { name: 'Use a new guest' }).click()
  await profile.getByText('Enter the publishable key first.').waitFor()
  await profile.getByLabel('Publishable key').fill(development.publishableKey)
  await profile.getByRole('button', { name: 'Use a new guest' }).click()
  await profile.getByText(/^You are .+, for 15 minutes\.$/).waitFor()
  await profile.getByRole('button', { name: 'Send GET' }).click()
  await profile.locator('output .verdict').getByText('200 OK').waitFor()

  await page.goto(`${dashboard.baseUrl}/docs/api/saves`)
  const list = page.locator('#listSaves .try')
  await list.getByText('Try it').click()
  await list.getByRole('button', { name: 'Send GET' }).click()
  await list.locator('output .verdict').getByText('200 OK').waitFor()
  assert.deepEqual(unexpected(complaints), [])
})

test('[DOC-08] a wrong URL has the search, and a search that finds nothing offers the groups', async () => {
  const { page } = await dashboard.open('/docs/guide/nope')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await page.locator('#search').fill('xqzzyqx')
  await page.locator('#found').getByText('Nothing found').waitFor()
  await page.locator('#found').getByRole('option', { name: 'Multiplayer' }).click()
  await page.waitForURL(`${dashboard.baseUrl}/docs#multiplayer`)
})

test('[DOC-12] on a phone only the group of the page is unfolded, and results in wide code have their own lines', async () => {
  const { page } = await dashboard.open('/docs/guide/stats', { width: 390, height: 800 })
  await page.getByText('Contents', { exact: true }).click()
  const isOpen = (title: string) =>
    page
      .locator('.contents .group', { has: page.locator('summary', { hasText: new RegExp(`^${title}$`) }) })
      .evaluate((group) => (group as HTMLDetailsElement).open)
  assert.equal(await isOpen('Players'), true)
  assert.equal(await isOpen('Run it'), false)
  const wrapped = await page
    .locator('.too-wide .result')
    .evaluateAll((all) => all.map((one) => getComputedStyle(one).display))
  assert.ok(wrapped.length > 0 && wrapped.every((display) => display === 'block'), wrapped.join())
})

test('[DOC-15] earlier URLs of endpoints, errors and headings redirect to their pages', async () => {
  const { page } = await dashboard.open('/docs/guide')
  for (const [before, now] of [
    ['/docs#createProject', '/docs/api#createProject'],
    ['/docs#error-not_found', '/docs/errors#not_found'],
    ['/docs/guide/growing#pgbouncer', '/docs/guide/load-balancers#pgbouncer'],
  ]) {
    // The page that redirects may never have loaded completely.
    await page.goto(`${dashboard.baseUrl}${before}`, { waitUntil: 'commit' })
    await page.waitForURL(`${dashboard.baseUrl}${now}`)
  }
})

test('[DOC-07] light or dark is chosen once for the docs and the dashboard', async () => {
  const { page } = await dashboard.open('/docs')
  const theme = () => page.evaluate(() => document.documentElement.dataset['theme'])
  await page.getByRole('button', { name: 'Light or dark' }).click()
  assert.equal(await theme(), 'dark')
  for (const path of ['/docs/guide/saves', '/dashboard']) {
    await page.goto(dashboard.baseUrl + path)
    await page.locator('h1').waitFor()
    assert.equal(await theme(), 'dark', path)
  }
})
