import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import type { Page } from 'playwright-core'

import { fillAllPages, show } from './all-pages.ts'
import { type Dashboard, isLoaded, startDashboard, unexpected } from './fixtures.ts'

let dashboard: Dashboard
let project: Awaited<ReturnType<typeof fillAllPages>>
before(async () => {
  dashboard = await startDashboard()
  project = await fillAllPages(dashboard)
})
after(() => dashboard.stop())

/** Presses every button of the page, also those of menus, and returns the dialogs that open. They are closed again. */
async function pressAll(page: Page): Promise<string[]> {
  const opened: string[] = []
  // The button that closes the panel would hide those after it.
  let pressed = ['Close (Esc)']
  for (let before = 0; pressed.length > before;) {
    before = pressed.length
    const found = await pressNew(page, pressed)
    opened.push(...found.opened)
    pressed = found.pressed
    // A button may have opened a panel whose buttons appear with its data.
    await isLoaded(page)
  }
  return opened
}

const pressNew = (page: Page, known: readonly string[]) =>
  page.evaluate(async (names) => {
    const frames = async () => {
      for (let count = 0; count < 2; count++) await new Promise((resolve) => requestAnimationFrame(resolve))
    }
    const opened: string[] = []
    const pressed = new Set(names)
    const next = () =>
      [
        ...document.querySelectorAll<HTMLButtonElement>('main button:not(.segments button, .copy):enabled'),
      ].find((button) => !pressed.has(nameOf(button)))
    const nameOf = (button: HTMLButtonElement) => button.ariaLabel ?? button.textContent ?? ''
    for (let button = next(); button; button = next()) {
      pressed.add(nameOf(button))
      button.click()
      await frames()
      const dialog = document.querySelector('dialog[open]')
      if (dialog?.ariaLabel) opened.push(dialog.ariaLabel)
      dialog?.dispatchEvent(new Event('cancel', { cancelable: true }))
      await frames()
    }
    return { opened, pressed: [...pressed] }
  }, known)

/** The dialogs of the project that a role can open; everything else about the account is the same for all. */
const DIALOGS: Record<string, string[]> = {
  viewer: ['Leave project'],
  moderator: ['Age group', 'Ban Ada', 'Leave project', 'New agent', 'Remove entry', 'Sign player out'],
}

/** Pages with nothing that the role may read. */
const LOCKED: Record<string, RegExp> = {
  viewer: /\/(players.*|live|moderation.*|playground.*|logs|webhooks|mailbox|audit)$/,
  moderator: /\/(playground.*|logs|webhooks|mailbox)$/,
}

for (const role of ['viewer', 'moderator'] as const)
  test(`[DSH-54] a ${role} walks over all pages: no error, no call that is refused, no button that does nothing`, async () => {
    const { token } = await dashboard.addMember(project, role)
    const { page, complaints } = await dashboard.open('/dashboard/projects', { token })
    const refused: string[] = []
    page.on('response', async (response) => {
      // A feature that is off is refused with the same status.
      if (response.status() !== 403) return
      const text = await response.text().catch(() => '')
      if (text.includes('role_required')) refused.push(`${response.request().method()} ${response.url()}`)
    })
    await page.locator('.project-card').getByText(role, { exact: true }).waitFor()
    const opened = new Set<string>()
    for (const path of project.paths.filter((one) => one.startsWith(`/${project.slug}/`))) {
      await show(page, path)
      const lock = page.getByRole('heading', { name: 'Not part of your role' })
      // Parts of a page may also be locked.
      if (LOCKED[role]?.test(path)) await lock.waitFor()
      if (path.endsWith('/players'))
        assert.equal(
          await page.getByRole('button', { name: 'CSV' }).count(),
          0,
          'nothing exports all players',
        )
      for (const dialog of await pressAll(page)) opened.add(dialog)
      await isLoaded(page)
      assert.deepEqual(await page.locator('.notice-error').allTextContents(), [], path)
      assert.equal(await page.getByText(/role_required|does not allow this/).count(), 0, path)
    }
    assert.deepEqual([...opened].toSorted(), DIALOGS[role])
    assert.deepEqual(refused, [])
    assert.deepEqual(unexpected(complaints), [])
  })

test('[DSH-54] a developer does in development what needs another role in production, where the reason is shown', async () => {
  const { token } = await dashboard.addMember(project, 'developer')
  const path = `/${project.slug}/development/players/${project.playerId}`
  const { page, complaints } = await dashboard.open(`/dashboard${path}`, { token })
  await page.getByRole('button', { name: 'Ban…' }).waitFor()
  await show(page, `/${project.slug}/production/players`)
  await page.getByRole('link', { name: 'Kenji' }).click()
  await page
    .getByText(
      'Only moderators can ban players, sign them out and correct ages in production. Ask owner1@example.com.',
    )
    .waitFor()
  await page
    .getByText('Only admins can delete players and change their saves and stats in production.')
    .waitFor()
  assert.equal(await page.getByRole('button', { name: 'Ban…' }).count(), 0)
  await show(page, `/${project.slug}/production/keys`)
  await page.getByText('Only admins can create keys in production.').waitFor()
  await page.getByText('Only admins can label and revoke keys.').waitFor()
  await show(page, `/${project.slug}/development/keys`)
  await page.getByRole('button', { name: 'New key' }).waitFor()
  assert.deepEqual(unexpected(complaints), [])
})
