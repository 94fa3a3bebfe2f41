import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import type { Page } from 'playwright-core'

import { type Dashboard, isLoaded, startDashboard, unexpected } from './fixtures.ts'

const PROJECT = /\/v1\/projects\/[^/]+$/

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

async function openRename(name: string) {
  const { token } = await dashboard.newProject(name)
  const opened = await dashboard.open('/dashboard/projects', { token })
  await isLoaded(opened.page)
  await opened.page.getByRole('button', { name: `More about ${name}` }).click()
  await opened.page.getByRole('button', { name: 'Rename…' }).click()
  const dialog = opened.page.getByRole('dialog', { name: 'Rename project' })
  return { ...opened, dialog, submit: dialog.getByRole('button', { name: 'Rename', exact: true }) }
}

/** Requests to rename a project wait; returns what sends the first one on. */
async function holdRequests(page: Page) {
  const held = Promise.withResolvers<void>()
  await page.route(PROJECT, async (route) => {
    await held.promise
    await route.continue()
  })
  return held.resolve
}

test('an action disables its button while it runs, and the next attempt removes the message of the last one', async () => {
  const { page, complaints, dialog, submit } = await openRename('Busy')
  await dialog.getByLabel('Name').fill('Done')
  // Without a network the request fails; it does not wait for one.
  await page.context().setOffline(true)
  await submit.click()
  await dialog.getByRole('alert').getByText('network_error').waitFor()
  assert.equal(await submit.isEnabled(), true)

  await page.context().setOffline(false)
  const release = await holdRequests(page)
  await submit.click()
  await dialog.locator('button[aria-busy=true]').waitFor()
  assert.equal(await submit.isEnabled(), false)
  assert.equal(await dialog.getByRole('alert').count(), 0)
  release()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('Project renamed.').waitFor()
  await page.getByRole('heading', { name: 'Done' }).waitFor()
  assert.deepEqual(unexpected(complaints), [])
})

test('an action ends although its dialog was closed', async () => {
  const { page, complaints, dialog, submit } = await openRename('Closed')
  const release = await holdRequests(page)
  await dialog.getByLabel('Name').fill('Renamed')
  await submit.click()
  await dialog.locator('button[aria-busy=true]').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  release()
  await page.getByText('Project renamed.').waitFor()
  await page.getByRole('heading', { name: 'Renamed' }).waitFor()
  assert.deepEqual(unexpected(complaints), [])
})

test('an action that is started before the next frame uses what was typed last', async () => {
  const { page, dialog } = await openRename('Typed')
  const request = page.waitForRequest((one) => one.method() === 'PATCH' && PROJECT.test(one.url()))
  await dialog.locator('form').evaluate(async (form: HTMLFormElement) => {
    const input = form.querySelector('input')
    if (!input) throw new Error('the dialog has no field')
    input.value = 'Typed last'
    input.dispatchEvent(new Event('input', { bubbles: true }))
    // The new text is rendered in a microtask, and no frame has passed.
    for (let count = 0; count < 5; count++) await Promise.resolve()
    form.requestSubmit()
  })
  assert.deepEqual((await request).postDataJSON(), { name: 'Typed last' })
})
