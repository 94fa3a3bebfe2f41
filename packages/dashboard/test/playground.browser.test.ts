import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import { browserFor, deploy } from '../../server/src/testing/hosted-apps.ts'
import { CONFIG, type Dashboard, startDashboard, unexpected, until } from './fixtures.ts'

/** Each player shows who it is, and what the others have said. */
const GAME = `<!doctype html><title>Game</title><button>Say</button><p id="me"></p><p id="heard"></p>
<script type="module">
  import { connect } from '/.svc/sdk.js'
  const svc = await connect()
  me.textContent = svc.player.id
  const room = await svc.rooms.quickMatch('trio')
  room.on('message', (type) => heard.append(type))
  document.querySelector('button').onclick = () => room.send('hello')
</script>`

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

test('[RWC-96] the Playground shows the game for several guests, and the network of one delays no other', async () => {
  const { slug, token, development } = await dashboard.newProject('Frames')
  const modes = [{ key: 'trio', minPlayers: 3, maxPlayers: 3 }]
  await development.server('PUT', '/v1/config', { ...CONFIG, multiplayer: { modes } })
  await deploy(dashboard.service, development, { 'index.html': GAME })
  // In a checkout the first request builds the SDK.
  assert.equal((await (await browserFor(dashboard.service))(`${slug}--dev`, '/.svc/sdk.js')).status, 200)
  const path = `/dashboard/${slug}/development/playground`
  const { page, complaints } = await dashboard.open(`${path}?players=3`, { token })
  const player = (number: number) => {
    const card = page.getByRole('region', { name: `Player ${number}`, exact: true })
    const game = card.frameLocator('iframe')
    const id = async () => (await game.locator('#me:not(:empty)').textContent()) ?? ''
    return { card, game, id, heard: game.locator('#heard:not(:empty)') }
  }
  const [ada, bo, cleo] = [player(1), player(2), player(3)]
  const [adaId, boId, cleoId] = [await ada.id(), await bo.id(), await cleo.id()]
  assert.equal(new Set([adaId, boId, cleoId]).size, 3)
  // One room, as Live knows it.
  const code = (await ada.card.locator('.chip').textContent()) ?? ''
  for (const { card } of [bo, cleo]) await card.locator('.chip', { hasText: code }).waitFor()

  const simulated = page.waitForResponse((response) => response.url().endsWith('/x/playground/network'))
  const latency = bo.card.getByRole('slider', { name: 'Latency' })
  await latency.focus()
  for (let press = 0; press < 5; press++) await page.keyboard.press('ArrowRight')
  const request = (await simulated).request().postDataJSON()
  assert.deepEqual(request, { playerId: boId, latencyMs: 100, lossPercent: 0, paused: false })
  await ada.game.getByRole('button').click()
  await cleo.heard.waitFor()
  dashboard.service.clock.advance(49)
  assert.equal(await bo.heard.count(), 0)
  dashboard.service.clock.advance(1)
  await bo.heard.waitFor()

  await cleo.card.getByRole('button', { name: 'Reload Player 3' }).click()
  await bo.card.getByRole('button', { name: 'New guest for Player 2' }).click()
  await until(async () => ![adaId, boId, cleoId].includes(await bo.id()), 'a new guest')
  await cleo.heard.waitFor({ state: 'detached' })
  assert.equal(await cleo.id(), cleoId)
  await page.getByRole('button', { name: 'Phone' }).click()
  assert.equal(await ada.game.locator('body').evaluate(() => innerWidth), 390)
  assert.deepEqual(unexpected(complaints), [])
})

test('[RWC-97] a page in a frame has no power over the dashboard, and only pages of this machine are shown', async () => {
  const { slug, token, development } = await dashboard.newProject('Hostile')
  await deploy(dashboard.service, development, { 'index.html': '<!doctype html><title>Hostile</title>' })
  const path = `/dashboard/${slug}/development/playground`
  const { page } = await dashboard.open(`${path}?players=1`, { token })
  const frame = page.frameLocator('iframe').locator('html')
  const refusals = await frame.evaluate(() => {
    const refused = (act: () => unknown) => {
      try {
        act()
        return 'allowed'
      } catch (error) {
        return (error as Error).name
      }
    }
    for (const svcPlayer of [null, 1, {}, 'ply_', '../x', `ply_${'x'.repeat(65)}`])
      parent.postMessage({ svcPlayer }, '*')
    parent.postMessage(null, '*')
    return [refused(() => top?.document), refused(() => ((top as Window).location.href = 'about:blank'))]
  })
  assert.deepEqual(refusals, ['SecurityError', 'SecurityError'])
  await page.getByText('Not connected').waitFor()
  for (const other of [
    'https://example.com/',
    'http://localhost.example.com',
    'javascript:1',
    dashboard.baseUrl,
  ]) {
    await page.goto(`${dashboard.baseUrl}${path}?page=${encodeURIComponent(other)}`)
    await page.getByText('This page cannot be shown').waitFor()
    assert.equal(await page.locator('iframe').count(), 0)
  }
  const local = await page.goto(
    `${dashboard.baseUrl}${path}?page=${encodeURIComponent('http://127.0.0.1:9/game')}`,
  )
  assert.equal(local?.status(), 200)
  await page.locator('iframe[src="http://127.0.0.1:9/game"]').first().waitFor()
})
