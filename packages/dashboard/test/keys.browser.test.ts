import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import type { Page } from 'playwright-core'

import { inTurn, runs, skipsTurn } from '../../server/src/testing/runs.ts'
import { fillAllPages, goTo } from './all-pages.ts'
import { type Dashboard, isLoaded, newGuest, startDashboard, unexpected } from './fixtures.ts'

let dashboard: Dashboard
let token: string
let paths: string[]
before(async () => {
  dashboard = await startDashboard()
  ;({ token, paths } = await fillAllPages(dashboard))
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

test('[DSH-41] Ctrl-K, g with a letter, / and ? work on every page, and Back closes a panel that a click opened', async () => {
  const { page } = await dashboard.open('/dashboard/star-duel/development/overview', { token })
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  await page.getByRole('heading', { name: 'Players', exact: true }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('Ad')
  await page.waitForURL(/q=Ad$/)
  const row = page.getByRole('link', { name: 'Ada' })
  await row.waitFor()
  await page.locator('.players tbody tr').nth(0).waitFor()
  await row.click()
  await page.getByRole('complementary', { name: 'Player' }).waitFor()
  await page.goBack()
  await page.getByRole('complementary', { name: 'Player' }).waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await page.locator('main').focus()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('mailb')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Mailbox' }).waitFor()
})

test('[DSH-41] Ctrl-K loses no key of a fast typist, and Enter waits for the players of the letters', async (t) => {
  if (skipsTurn(t, 0)) return
  const { page } = await dashboard.open('/dashboard/star-duel/development/moderation', { token })
  await page.getByRole('heading', { name: 'Moderation', exact: true }).waitFor()
  await isLoaded(page)
  // Nothing is waited for between the keys, and a slow processor is no excuse.
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: runs(3, 6) })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('audi')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Audit', exact: true }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0, 'the letter a accepts no appeal')

  let release = () => {}
  const isReleased = new Promise<void>((resolve) => (release = resolve))
  await page.route(/players\?.*q=Noor/, async (route) => {
    await isReleased
    await route.continue()
  })
  await page.keyboard.press('Control+k')
  // The first search is answered with Ada: the next one must not open her.
  await page.keyboard.type('Ada')
  await page.getByRole('option', { name: 'Ada' }).waitFor()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('Noor')
  await page.keyboard.press('Enter')
  release()
  await page.getByRole('complementary', { name: 'Player' }).getByRole('heading', { name: 'Noor' }).waitFor()

  await page.keyboard.press('Control+k')
  await page.keyboard.type('nobody')
  await page.keyboard.press('Enter')
  await page.getByText('Nothing found').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('[DSH-41] a search keeps letters that are typed when its page appears, and while a search is sent', async () => {
  const { page } = await dashboard.open('/dashboard/star-duel/development/overview', { token })
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor()
  const input = page.getByRole('searchbox')
  await page.evaluate(() => {
    // As early as possible: before the page is painted.
    new MutationObserver((_, observer) => {
      const search = document.querySelector<HTMLInputElement>('input[type=search]')
      if (!search) return
      observer.disconnect()
      search.value = 'A'
      search.dispatchEvent(new InputEvent('input', { bubbles: true }))
    }).observe(document.body, { subtree: true, childList: true })
  })
  await page.getByRole('link', { name: 'Players', exact: true }).click()
  await page.waitForURL(/q=A$/)
  assert.equal(await input.inputValue(), 'A')

  await input.press('End')
  await page.keyboard.type('d ')
  await page.waitForURL(/q=Ad$/)
  await isLoaded(page)
  assert.equal(await input.inputValue(), 'Ad ')

  await page.keyboard.type('x')
  await page.getByRole('button', { name: 'Clear search' }).click()
  await page.getByRole('link', { name: 'Ada' }).waitFor()
  assert.equal(await input.inputValue(), '')
})

/** Pages without a list, or whose list is empty. */
const WITHOUT_LIST =
  /\/(live|config|new|device|webhooks|moderation\?show=values|production\/(functions|hosting))$/
/** A page has lists of any length: these are enough. */
const ENTRIES_MAX = runs(12, 30)

/** The entry that has the focus, or contains what has it, as its place among all entries of the page; -1: none. */
const focusedEntry = (page: Page) =>
  page.evaluate(() => {
    const entries = [...document.querySelectorAll('main :is(tbody, ul, ol) > *')].filter(
      (entry) => entry.checkVisibility() && !entry.closest('.bars, .line-chart'),
    )
    const outer = entries.filter((entry) => !entries.some((one) => one !== entry && one.contains(entry)))
    return { at: outer.findIndex((entry) => entry.contains(document.activeElement)), count: outer.length }
  })

test('[DSH-41] j and k walk over every list of every page', async (t) => {
  if (skipsTurn(t, 1)) return
  const { page, complaints } = await dashboard.open('/dashboard/projects', { token })
  const wrong: string[] = []
  // The log of frames in the Playground grows meanwhile.
  for (const path of inTurn(paths, 3).filter((one) => !one.includes('/playground'))) {
    await goTo(page, path)
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
    const { count } = await focusedEntry(page)
    if ((count === 0) !== WITHOUT_LIST.test(path)) wrong.push(`${path} has ${count} entries`)
    // Where an entry is open beside the list, j begins after it.
    const seen: number[] = []
    for (let pressed = 0; pressed < Math.min(count, ENTRIES_MAX); pressed++) {
      await page.keyboard.press('j')
      seen.push((await focusedEntry(page)).at)
    }
    const [first = 0] = seen
    const expected = seen.map((_, index) => Math.min(first + index, count - 1))
    if (seen.join() !== expected.join()) wrong.push(`${path}: j ${seen.join()}`)
    for (const at of seen
      .toReversed()
      .slice(1)
      .filter((one) => one < count - 1)) {
      await page.keyboard.press('k')
      const { at: now } = await focusedEntry(page)
      if (now !== at) wrong.push(`${path}: k to ${now} instead of ${at}`)
    }
  }
  assert.deepEqual(wrong, [])
  assert.deepEqual(unexpected(complaints), [])
})

test('[DSH-41] Enter opens an entry, Esc closes it; the keys are named in the dialog of ?; a field keeps its letters', async () => {
  const project = await dashboard.newProject('Walked')
  for (const name of ['Ada', 'Noor']) await newGuest(project.development, name)
  const { page } = await dashboard.open(`/dashboard/${project.slug}/development/players`, {
    token: project.token,
  })
  await page.getByRole('link', { name: 'Noor' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const panel = page.getByRole('complementary', { name: 'Player' })
  await panel.getByRole('heading', { name: 'Ada' }).waitFor()
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  // In a list the arrow keys walk as well.
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await panel.getByRole('heading', { name: 'Noor' }).waitFor()
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })

  await page.keyboard.press('/')
  await page.keyboard.type('jk')
  assert.equal(await page.getByRole('searchbox').inputValue(), 'jk')
  await page.locator('main').focus()
  await page.keyboard.press('?')
  await page
    .getByRole('dialog', { name: 'Keyboard shortcuts' })
    .getByText('Next or previous list entry')
    .waitFor()
  await page.keyboard.press('Escape')

  // Details open in their place.
  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await page.getByRole('heading', { name: 'Audit', exact: true }).waitFor()
  await isLoaded(page)
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.locator('.audit-list details[open]').waitFor()
})
