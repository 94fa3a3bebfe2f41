import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import type { Page } from 'playwright-core'

import { type Dashboard, isLoaded, PASSWORD, startDashboard, unexpected } from './fixtures.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

async function signIn(page: Page, email: string) {
  await page.getByRole('heading', { name: /^(?:Sign in|You are invited to .*)$/ }).waitFor()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const rowOf = (page: Page, email: string) => page.locator('.table tbody tr').filter({ hasText: email })

test('[DSH-51] [DSH-52] [DSH-53] a member is invited, joins by the link, becomes the owner and removes the one before; open pages follow', async () => {
  const { id, slug, token, developer } = await dashboard.newProject('Star Duel')
  const [bea, eve] = [
    await dashboard.newDeveloper('bea@example.com'),
    await dashboard.newDeveloper('eve@example.com'),
  ]
  const team = `/dashboard/${slug}/development/team`
  const { page: owner, complaints } = await dashboard.open(team, { token })
  await rowOf(owner, developer.email).getByText('owner', { exact: true }).waitFor()

  // The invitation is revoked: its link stops working. The second one stays.
  const invite = async () => {
    await owner.getByRole('button', { name: 'Invite', exact: true }).click()
    const dialog = owner.getByRole('dialog')
    await dialog.getByLabel('Email').fill(bea.email)
    await dialog.getByRole('radio', { name: /^Admin/ }).check()
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    await dialog.getByText('No email was sent.').waitFor()
    await dialog.getByRole('button', { name: 'Copy link' }).click()
    const link = await owner.evaluate(() => navigator.clipboard.readText())
    await dialog.getByRole('button', { name: 'Done' }).click()
    return new URL(link).pathname
  }
  const revoked = await invite()
  await owner.getByRole('button', { name: `Revoke the invitation for ${bea.email}` }).click()
  await owner.getByRole('heading', { name: 'Open invitations' }).waitFor({ state: 'detached' })
  const link = await invite()

  const { page: guest, complaints: ofGuest } = await dashboard.open(revoked)
  await signIn(guest, eve.email)
  await guest.getByRole('heading', { name: 'This invitation is no longer valid' }).waitFor()
  await guest.goto(dashboard.baseUrl + link)
  await guest.getByRole('heading', { name: 'This invitation is for someone else' }).waitFor()
  await guest.getByText(bea.email).waitFor()
  await guest.getByRole('main').getByRole('button', { name: 'Sign out' }).click()
  await signIn(guest, bea.email)
  await guest.getByRole('heading', { name: 'You are invited to Star Duel' }).waitFor()
  await guest.getByRole('button', { name: 'Accept' }).click()
  await guest.waitForURL(`**/${slug}/development/overview`)

  // Without a reload: the stream of changes reports it.
  await rowOf(owner, bea.email).getByText('admin', { exact: true }).waitFor()
  await owner.getByRole('heading', { name: 'Open invitations' }).waitFor({ state: 'detached' })
  await guest.getByRole('navigation', { name: 'Project' }).getByTitle('Star Duel').click()
  await guest.getByRole('link', { name: /Star Duel\s*admin/ }).waitFor()
  await guest.goto(`${dashboard.baseUrl}/dashboard/projects`)
  await guest.locator('.project-card', { hasText: 'Star Duel' }).getByText('admin', { exact: true }).waitFor()
  await guest.goto(dashboard.baseUrl + team)
  await rowOf(guest, bea.email).getByRole('button', { name: 'Leave…' }).waitFor()

  const act = async (page: Page, email: string, action: string) => {
    await page.getByRole('button', { name: `More about ${email}` }).click()
    await page.getByRole('button', { name: action }).click()
    return page.getByRole('dialog')
  }
  const role = await act(owner, bea.email, 'Change role…')
  await role.getByRole('radio', { name: /^Viewer/ }).check()
  await role.getByRole('button', { name: 'Change role' }).click()
  await guest.getByText('Only admins can invite, change and remove members.').waitFor()
  await guest.getByText(`Ask ${developer.email}.`).waitFor()
  const back = await act(owner, bea.email, 'Change role…')
  await back.getByRole('radio', { name: /^Admin/ }).check()
  await back.getByRole('button', { name: 'Change role' }).click()
  await guest.getByRole('button', { name: 'Invite', exact: true }).waitFor()

  const offer = async () => {
    const dialog = await act(owner, bea.email, 'Transfer project…')
    await dialog.getByText('the new owner pays from then on').waitFor()
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Offer transfer' }).click()
    await guest.getByRole('heading', { name: 'This project is offered to you' }).waitFor()
  }
  await offer()
  await owner.getByRole('button', { name: 'Withdraw' }).click()
  await guest.getByRole('heading', { name: 'This project is offered to you' }).waitFor({ state: 'detached' })
  await offer()
  await guest.getByRole('button', { name: 'Decline' }).click()
  await owner.getByRole('button', { name: 'Withdraw' }).waitFor({ state: 'detached' })
  await offer()
  // The mail about the offer has this link.
  await guest.goto(`${dashboard.baseUrl}/dashboard/projects/${id}/members`)
  await guest.waitForURL(`**${team}`)
  await guest.getByRole('button', { name: 'Accept and become owner' }).click()
  await rowOf(guest, bea.email).getByText('owner', { exact: true }).waitFor()
  await rowOf(owner, developer.email).getByText('admin', { exact: true }).waitFor()

  const removal = await act(guest, developer.email, 'Remove…')
  await removal.getByText('Keys keep working').waitFor()
  await removal.getByRole('button', { name: 'Remove', exact: true }).click()
  await rowOf(guest, developer.email).waitFor({ state: 'detached' })
  await owner.getByRole('heading', { name: 'Name your first project' }).waitFor()
  await isLoaded(guest)
  assert.deepEqual([unexpected(complaints), unexpected(ofGuest)], [[], []])
})
