import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import { type Dashboard, startDashboard, unexpected } from './fixtures.ts'

const PATH = '/v1/x/developers/device-codes'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

for (const confirm of [true, false])
  test(`[DSH-34] a developer types the code of the command line, sees who asks, and ${confirm ? 'confirms' : 'refuses'} it`, async () => {
    const { token, developer } = await dashboard.newProject(`Device ${confirm}`)
    const { code, deviceSecret, url } = (await dashboard.service.call('POST', PATH)).body
    const { page, complaints } = await dashboard.open(new URL(url).pathname, { token })
    await page.getByRole('heading', { name: 'Sign in the command line' }).waitFor()

    await page.getByLabel('Code').fill('0000-0000')
    await page.keyboard.press('Enter')
    await page.getByText('This code is wrong, already used or expired.').waitFor()
    await page.getByLabel('Code').fill(code.toLowerCase())
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'A command line wants to sign in as you' }).waitFor()
    await page.getByText(code).waitFor()
    await page.getByText('127.0.0.1').waitFor()
    await page.getByRole('button', { name: confirm ? 'Confirm' : 'Refuse' }).click()
    await page.getByText(confirm ? 'Signed in' : 'Refused').waitFor()

    const { body } = await dashboard.service.call('POST', `${PATH}/session`, { deviceSecret })
    assert.equal(body.status, confirm ? 'confirmed' : 'refused')
    assert.equal(body.session?.developer.email, confirm ? developer.email : undefined)
    assert.deepEqual(unexpected(complaints), [])
  })
