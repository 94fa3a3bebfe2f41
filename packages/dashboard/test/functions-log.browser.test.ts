import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { deployFunctions } from '../../server/src/testing/deployed-functions.ts'
import { browserFor } from '../../server/src/testing/hosted-apps.ts'
import { topUp } from '../../server/src/testing/money.ts'
import { type Dashboard, startDashboard, unexpected, until } from './fixtures.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

const CODE = `export default {
  fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname === '/throws') throw new Error('the lamp is broken')
    console.log('visited', pathname)
    console.warn('slow', pathname)
    return new Response()
  },
}`
/** Each line of the code is the same line of the source, ten lines further down. */
const SOURCE_MAP = JSON.stringify({
  version: 3,
  sources: ['src/lamp.ts'],
  mappings: CODE.split('\n')
    .map((_, line) => (line === 0 ? 'AAUA' : 'AACA'))
    .join(';'),
})

test('[DSH-43] the log of functions is searched, limited to a level, and names the lines of the source', async () => {
  const { slug, token, development, developer } = await dashboard.newProject('Lamp')
  await topUp(dashboard.service, developer, 500)
  await deployFunctions(development, CODE, { sourceMap: SOURCE_MAP })
  const visit = await browserFor(dashboard.service)
  for (const path of ['/shop', '/garden', '/throws']) await visit(`${slug}--dev--fn`, path)

  const { page, complaints } = await dashboard.open(`/dashboard/${slug}/development/functions`, { token })
  const lines = page.locator('.function-log .log-text')
  const texts = () => lines.allTextContents()
  await until(async () => (await texts()).length === 5, 'all lines of the log')
  const error = (await texts()).find((text) => text.includes('the lamp is broken')) ?? ''
  await until(async () => /src\/lamp\.ts:14:/.test((await texts()).join()), 'the line of the source')
  assert.doesNotMatch(error, /svc-(wrap|main)\.js/, 'no frames of the service')

  await page.keyboard.press('/')
  await page.keyboard.type('GARDEN')
  await until(
    async () => (await texts()).join() === 'slow /garden,visited /garden',
    'the lines with the word',
  )
  await page.getByRole('button', { name: 'Warnings' }).click()
  await until(async () => (await texts()).join() === 'slow /garden', 'the warning with the word')
  assert.match(page.url(), /level=warn/)
  assert.match(page.url(), /q=GARDEN/)

  // The address alone shows the same.
  await page.reload()
  await until(async () => (await texts()).join() === 'slow /garden', 'the same lines')
  await page.getByRole('searchbox').fill('nothing like it')
  await page.getByText('No matching lines.').waitFor()
  assert.deepEqual(unexpected(complaints), [])
})
