import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import { type Dashboard, isLoaded, newGuest, startDashboard, unexpected } from './fixtures.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

/** A player with a save whose number is too long for JavaScript, open in the dashboard. */
async function openPlayer(name: string) {
  const { slug, token, development } = await dashboard.newProject(name)
  const player = await newGuest(development, 'Ada')
  const authorization = `Bearer ${player.accessToken}`
  const url = '/v1/saves/slot1'
  const read = async () => (await development.public('GET', url, undefined, { authorization })).body
  const write = (data: unknown) => development.public('PUT', url, { data }, { authorization })
  const readText = async () => {
    const headers = { 'x-svc-key': development.publishableKey, authorization }
    return (await dashboard.service.http.inject({ method: 'GET', url, headers })).body
  }
  const written = await dashboard.service.http.inject({
    method: 'PUT',
    url,
    headers: { 'x-svc-key': development.publishableKey, authorization, 'content-type': 'application/json' },
    payload: '{"data":{"gold":1,"steamId":76561198000000001234,"bag":[],"rate":1.0}}',
  })
  assert.equal(written.statusCode, 200)
  const { page, complaints } = await dashboard.open(`/dashboard/${slug}/development/players/${player.id}`, {
    token,
  })
  await page.getByRole('heading', { name: 'Ada' }).waitFor()
  return { page, complaints, read, readText, write, development, player }
}

test('[DSH-06] a save is edited as text; one that the game has written meanwhile is not replaced without a question', async () => {
  const { page, complaints, read, readText, write } = await openPlayer('Edited saves')
  const dialog = page.getByRole('dialog', { name: 'Save slot1' })
  const editor = dialog.getByRole('textbox', { name: 'Data in slot1' })
  const save = dialog.getByRole('button', { name: 'Save', exact: true })
  const open = async () => {
    await page.getByRole('button', { name: 'slot1' }).click()
    await editor.waitFor()
  }
  /** Replaces the value of `gold`. */
  const type = async (text: string) => {
    await editor.focus()
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Backspace')
    await page.keyboard.type(text)
  }

  await open()
  assert.ok(await save.isDisabled(), 'nothing is changed yet')
  await type('x')
  await save.click()
  await dialog.getByText(/^Line 2: This is not JSON/).waitFor()
  await type('2')
  await save.click()
  await page.getByText('slot1 saved as v2.').waitFor()
  assert.match(
    await readText(),
    /"data":\{"gold":2,"steamId":76561198000000001234,"bag":\[\],"rate":1\.0\}\}$/,
  )

  await open()
  await type('3')
  await write({ gold: 7, bag: [] })
  await save.click()
  await dialog.getByText('Version 3 was written while you were editing.').waitFor()
  await dialog.getByRole('button', { name: 'Discard my changes and reload' }).click()
  await dialog.getByText('Version 3. A running game').waitFor()
  await type('8')
  await write({ gold: 9, bag: [] })
  await save.click()
  await dialog.getByRole('button', { name: 'Save mine' }).click()
  await page.getByText('slot1 saved as v5.').waitFor()
  assert.deepEqual((await read()).data, { gold: 8, bag: [] })

  // Changes are not lost by a key.
  await open()
  await type('1')
  await page.keyboard.press('Escape')
  await dialog.getByText('You have unsaved changes.').waitFor()
  await dialog.getByRole('button', { name: 'Discard my changes' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual(unexpected(complaints), [])
})

test('[DSH-06] a save is deleted after its key was typed, and only in the version that was shown', async () => {
  const { page, complaints, read, write } = await openPlayer('Deleted saves')
  const dialog = page.getByRole('dialog', { name: 'Delete slot1' })
  const remove = async () => {
    await page.getByRole('button', { name: 'slot1' }).click()
    await page.getByRole('button', { name: 'Delete…' }).click()
    await dialog.getByRole('textbox', { name: 'Save key' }).fill('slot1')
  }
  await remove()
  await write({ gold: 5 })
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByText('version_conflict').waitFor()
  await page.keyboard.press('Escape')
  assert.deepEqual((await read()).data, { gold: 5 })

  await remove()
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('slot1 deleted.').waitFor()
  await page.getByText('No saves.').waitFor()
  assert.equal((await read()).error.code, 'save_not_found')
  assert.deepEqual(unexpected(complaints), [])
})

test('[STA-04] values are reported for a player, and each stat shows its result', async () => {
  const { page, complaints, development, player } = await openPlayer('Reported values')
  await isLoaded(page)
  await page.getByRole('button', { name: 'Report values…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Report values' })
  const report = dialog.getByRole('button', { name: 'Report', exact: true })
  const points = dialog.getByRole('textbox', { name: 'points' })
  const wins = dialog.getByRole('textbox', { name: 'wins' })
  await points.waitFor()
  assert.ok(await report.isDisabled(), 'there is nothing to report')
  await wins.fill('many')
  await dialog.getByText('Not a number.').waitFor()
  assert.ok(await report.isDisabled())
  await wins.fill('2')
  await points.fill('501')
  await report.click()
  await dialog.getByText('Rejected: above max per submit').waitFor()
  await dialog.getByText('Stored. All: 2, month: 2, week: 2, day: 2').waitFor()
  assert.equal(await wins.inputValue(), '', 'it is not reported twice')
  await points.fill('500')
  await report.click()
  await dialog.getByText('Stored. All: 500').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.locator('.panel').getByRole('cell', { name: '500' }).waitFor()

  const { body } = await development.server('GET', `/v1/admin/players/${player.id}/stats`)
  const values = body.stats.map(({ key, allTime }: { key: string; allTime: number }) => [key, allTime])
  assert.deepEqual(Object.fromEntries(values), { points: 500, wins: 2 })
  assert.deepEqual(unexpected(complaints), [])
})
