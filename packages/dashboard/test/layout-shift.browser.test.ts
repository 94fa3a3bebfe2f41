import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { fillAllPages } from './all-pages.ts'
import { type Dashboard, isLoaded, startDashboard } from './fixtures.ts'
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
