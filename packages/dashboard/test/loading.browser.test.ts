import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import type { Page } from 'playwright-core'

import { fillAllPages } from './all-pages.ts'
import { type Dashboard, isLoaded, startDashboard, unexpected } from './fixtures.ts'
import { LAYOUT_SHIFT_MAX, layoutShiftOf, phoneContext } from './layout-shift.ts'

/** Longer than a part waits before it shows that it is loading. */
const FRAMES_BEFORE_RESPONSE = 12
/** The parts of the overview appear together. One after the other they moved by 0.09. */
const PAGES = [
  ['overview', 0.01],
  ['players', LAYOUT_SHIFT_MAX],
  ['live', LAYOUT_SHIFT_MAX],
  ['config', LAYOUT_SHIFT_MAX],
  ['hosting', LAYOUT_SHIFT_MAX],
  ['keys', LAYOUT_SHIFT_MAX],
] as const

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

test('[DOC-17] on a phone the parts of a page do not move each other while their data arrives late', async () => {
  const { token, slug } = await fillAllPages(dashboard)
  const context = await phoneContext(dashboard.newContext)
  await context.addInitScript((value) => {
    localStorage.setItem('svc.developer', value)
    localStorage.setItem('svc.developer.since', String(Date.now()))
  }, token)
  const problems: string[] = []
  for (const [name, shiftMax] of PAGES) {
    const page = await context.newPage()
    await page.route('**/v1/**', async (route) => {
      await page.evaluate(async (frames) => {
        for (let at = 0; at < frames; at++) await new Promise((resolve) => requestAnimationFrame(resolve))
      }, FRAMES_BEFORE_RESPONSE)
      await route.continue()
    })
    await page.goto(`${dashboard.baseUrl}/dashboard/${slug}/development/${name}`)
    await page.locator('h1').waitFor()
    await isLoaded(page)
    const { shift, moved } = await layoutShiftOf(page)
    if (shift > shiftMax) problems.push(`${name}: ${shift} by ${moved.join(' ')}`)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.close()
  }
  await context.close()
  assert.deepEqual(problems, [])
})

/** No other script of the dashboard is so large. */
const EDITOR_BYTES_MIN = 250_000
const largestScript = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const loaded = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
    return Math.max(...loaded.map(({ decodedBodySize }) => decodedBodySize))
  })

test('[DSH-86] the config is readable before its editor, which begins when the text is focused', async () => {
  const { slug, token, development } = await dashboard.newProject('Readable')
  await development.server('PUT', '/v1/config', { features: { saves: true } })
  const path = `/dashboard/${slug}/development/config`
  const { page, complaints } = await dashboard.open(path, { token })
  const text = page.getByRole('group', { name: 'Config document' })
  await text.getByText('"saves": true').waitFor()
  await page.waitForLoadState()
  assert.ok((await largestScript(page)) < EDITOR_BYTES_MIN)

  await text.focus()
  await page.locator('[contenteditable]:focus').waitFor()
  assert.ok((await largestScript(page)) > EDITOR_BYTES_MIN)
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText('{ "features": { "saves": true, "stats": true } }')
  await page.getByRole('button', { name: 'Review and push' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Push', exact: true }).click()
  await page.getByText(/^Config v\d+ pushed\.$/).waitFor()
  const { body } = await development.server('GET', '/v1/config')
  assert.deepEqual([body.config.features.saves, body.config.features.stats], [true, true])
  assert.deepEqual(unexpected(complaints), [])
})

test('[DSH-86] the sign-in waits for no script that its page does not name', async () => {
  const { page } = await dashboard.open('/dashboard')
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  const html = await (await fetch(`${dashboard.baseUrl}/dashboard`)).text()
  const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
  const scripts = loaded.filter((name) => name.endsWith('.js')).map((name) => new URL(name).pathname)
  assert.ok(scripts.length > 5)
  for (const script of scripts) assert.ok(html.includes(`"${script}"`), script)
})
