import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import type { Page } from 'playwright-core'

import { startFakeGithub } from '../../server/src/testing/fake-github.ts'
import { freePort } from '../../server/test/server-process.ts'
import { type Dashboard, startDashboard, unexpected } from './fixtures.ts'

let dashboard: Dashboard
let github: Awaited<ReturnType<typeof startFakeGithub>>
let endpoints: string
before(async () => {
  const port = await freePort()
  const emails = [{ email: 'ada@github.example', primary: true, verified: true }]
  github = await startFakeGithub({
    redirectUri: `http://localhost:${port}/v1/developers/oauth/github/callback`,
    accounts: { ada: { id: 1, name: 'Ada', emails }, other: { id: 2, emails: [] } },
  })
  endpoints = join(tmpdir(), `providers-${port}.json`)
  await writeFile(endpoints, JSON.stringify({ github: github.endpoints }))
  const settings = {
    SVC_SIGN_UP: 'open',
    SVC_PROVIDER_ENDPOINTS: endpoints,
    SVC_GITHUB_CLIENT_ID: github.clientId,
    SVC_GITHUB_CLIENT_SECRET: github.clientSecret,
  }
  dashboard = await startDashboard(settings, port)
})
after(async () => {
  await dashboard.stop()
  await github.close()
  await rm(endpoints)
})

/** The next visits of the provider sign in to this account. */
const chooseAt = (page: Page, account: string) =>
  page.context().setExtraHTTPHeaders({ 'x-choice': JSON.stringify({ account }) })

/** Opens the provider from a dialog, in another tab. */
async function confirmIn(page: Page) {
  const tab = page.context().waitForEvent('page')
  await page.getByRole('link', { name: 'Confirm with GitHub' }).click()
  return tab
}

test('[DEV-07] an account without a password confirms with its provider: agents, transfers, password and deletion', async () => {
  const { page, complaints } = await dashboard.open('/dashboard')
  await chooseAt(page, 'ada')
  await page.getByRole('button', { name: 'Continue with GitHub' }).click()
  await page.getByRole('heading', { name: 'Name your first project' }).waitFor()
  const token = await page.evaluate(() => localStorage.getItem('svc.developer') ?? '')
  const created = await dashboard.service.withToken(token)('POST', '/v1/projects', { name: 'Star Duel' })
  const { id, slug } = created.body.project
  const admin = await dashboard.addMember({ id, token }, 'admin')

  await page.goto(`${dashboard.baseUrl}/dashboard/${slug}/production/agents`)
  await page.getByRole('button', { name: 'New agent' }).click()
  const agent = page.getByRole('dialog', { name: 'New agent' })
  await agent.getByLabel('Label').fill('Helper')
  await agent.getByRole('button', { name: 'Choose tools' }).click()
  await agent.getByRole('checkbox', { name: /^ban_player / }).check()
  const create = agent.getByRole('button', { name: 'Create in production' })
  assert.equal(await create.isDisabled(), true)

  // Another account of the provider proves nothing; the form stays as it is.
  await chooseAt(page, 'other')
  const wrong = await confirmIn(page)
  await wrong.getByText('with an account that is not linked to yours here').waitFor()
  await chooseAt(page, 'ada')
  await wrong.getByRole('button', { name: 'Try again' }).click()
  await agent.getByText('Confirmed').waitFor()
  await create.click()
  await agent.locator('.secret-value code').waitFor()
  await agent.getByLabel('I saved it').check()
  await agent.getByRole('button', { name: 'Done' }).click()

  await page.goto(`${dashboard.baseUrl}/dashboard/${slug}/development/team`)
  await page.getByRole('button', { name: `More about ${admin.email}` }).click()
  await page.getByRole('button', { name: 'Transfer project…' }).click()
  await confirmIn(page)
  await page.getByRole('button', { name: 'Offer transfer' }).click()
  await page.getByRole('button', { name: 'Withdraw' }).click()
  await page.getByRole('button', { name: 'Withdraw' }).waitFor({ state: 'detached' })

  await page.goto(`${dashboard.baseUrl}/dashboard/account`)
  await page.getByRole('button', { name: 'Delete account…' }).click()
  const deletion = page.getByRole('dialog', { name: 'Delete your account' })
  await deletion.getByLabel('Your email address').fill('ada@github.example')
  await deletion.getByRole('link', { name: 'Confirm with GitHub' }).click()
  await deletion.getByRole('button', { name: 'Delete account' }).click()
  // The token was used up by a refusal: the dialog asks again.
  await deletion.getByText('account_has_projects').waitFor()
  await deletion.getByRole('link', { name: 'Confirm with GitHub' }).waitFor()
  await deletion.getByRole('button', { name: 'Cancel' }).click()

  await page.getByLabel('New password').fill('correct horse')
  await confirmIn(page)
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByLabel('Current password').waitFor()
  assert.deepEqual(unexpected(complaints), [])
})
