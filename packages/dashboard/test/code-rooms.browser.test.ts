import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import type { Page } from 'playwright-core'

import { deployRooms } from '../../server/src/testing/code-rooms.ts'
import { topUp } from '../../server/src/testing/money.ts'
import { connect } from '../../server/src/testing/sockets.ts'
import { CONFIG, type Dashboard, isLoaded, newGuest, startDashboard, unexpected, until } from './fixtures.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

const CLASSES = `
export class Arena extends Room {
  static tickRate = 0
  onCreate() { this.state = { moves: 0, balls: {} } }
  onJoin(player) {
    this.state.balls[player.id] = { x: 0 }
    this.own(player).hand = 'only for ' + player.displayName
  }
  onLeave(player) { delete this.state.balls[player.id] }
  messages = {
    move: (player, by) => {
      console.log('moved by', by)
      this.state.moves++
      return (this.state.balls[player.id].x += by)
    },
    fail: () => { throw new Error('the wall is missing') },
  }
}
export class Lobby extends Room { static tickRate = 20 }`

/** A project whose mode `arena` runs code, and a player in a room of it. */
async function newArena(name: string, env: 'development' | 'production' = 'development') {
  const project = await dashboard.newProject(name)
  const { developer } = project
  const side = project[env]
  const config = {
    ...CONFIG,
    multiplayer: { modes: [{ key: 'arena', maxPlayers: 4, room: { class: 'Arena' } }] },
  }
  await topUp(dashboard.service, developer, 500)
  await deployRooms(side, CLASSES)
  assert.equal((await side.server('PUT', '/v1/config', config)).status, 200)
  const ada = await newGuest(side, 'Ada')
  const socket = await connect(dashboard.service, side, ada)
  const { room } = await socket.request({ t: 'create', mode: 'arena' })
  return { ...project, ada, socket, room: { id: String(room.id), code: String(room.code) } }
}

const cardOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

test('[RWC-77] the Playground adds the players of its address, each with a network that the keyboard changes', async () => {
  const { slug, token } = await dashboard.newProject('Playground')
  const { page, complaints } = await dashboard.open(`/dashboard/${slug}/development/playground?players=3`, {
    token,
  })
  const [first, second, third] = [1, 2, 3].map((number) => cardOf(page, `Player ${number}`))
  assert.ok(first && second && third)
  for (const card of [first, second, third]) await card.getByText('Connected').waitFor()
  assert.equal(await page.locator('.simulated').count(), 3)
  await first.getByRole('button', { name: 'Create room' }).click()
  await second.getByLabel('Room code').fill((await first.locator('header .chip').textContent()) ?? '')
  await second.getByRole('button', { name: 'Join' }).click()
  await second.getByRole('button', { name: 'Leave' }).waitFor()

  // A slow machine sends what five presses change in more than one request.
  const simulated = (isWanted: (network: { latencyMs: number; paused: boolean }) => boolean) =>
    page.waitForResponse(
      (response) =>
        response.url().endsWith('/x/playground/network') && isWanted(response.request().postDataJSON()),
    )
  const messages = second.locator('.frame-log code', { hasText: '"t":"message"' })
  const send = () => first.getByRole('button', { name: 'Send' }).click()
  const sent = (count: number) =>
    until(async () => {
      const replies = first.locator('.frame-log code', { hasText: '"t":"reply"' })
      return (await replies.count()) === count
    }, `${count} replies`)

  const latency = second.getByRole('slider', { name: 'Latency' })
  await latency.focus()
  const changed = simulated(({ latencyMs }) => latencyMs === 100)
  for (let press = 0; press < 5; press++) await page.keyboard.press('ArrowRight')
  await changed
  assert.equal(await latency.getAttribute('aria-valuetext'), '100 ms')
  await send()
  await sent(2)
  dashboard.service.clock.advance(49)
  assert.equal(await messages.count(), 0)
  dashboard.service.clock.advance(1)
  await messages.first().waitFor()

  const isPaused = simulated(({ paused }) => paused)
  await second.getByRole('button', { name: 'Pause the network' }).press('Enter')
  await isPaused
  await second.getByText('Connected, paused').waitFor()
  await send()
  await sent(3)
  dashboard.service.clock.advance(1_000)
  assert.equal(await messages.count(), 1)
  await second.getByRole('button', { name: 'Continue the network' }).press('Enter')
  await until(async () => (await messages.count()) === 2, 'the second message')
  await third.getByText(/\d ms/).first().waitFor()
  assert.deepEqual(unexpected(complaints), [])
})

test('[RWC-77] in a room with code players of the Playground send messages, and see the state', async () => {
  const { slug, token, room, socket } = await newArena('Arena')
  const { page, complaints } = await dashboard.open(`/dashboard/${slug}/development/playground?players=1`, {
    token,
  })
  const card = cardOf(page, 'Player 1')
  await card.getByText('Connected').waitFor()
  await card.getByLabel('Room code').fill(room.code)
  await card.getByRole('button', { name: 'Join' }).click()
  await card.locator('.json-entry', { hasText: 'only for Player 1' }).waitFor()
  assert.equal(await card.getByRole('button', { name: 'Set room state' }).count(), 0)
  await card.getByLabel('Type').fill('move')
  await card.getByLabel('JSON').fill('7')
  await card.getByRole('button', { name: 'Send' }).click()
  await card.locator('.json-entry', { hasText: 'moves 1' }).waitFor()
  await card.locator('.json-entry', { hasText: 'x 7' }).waitFor()
  await socket.close()
  assert.deepEqual(unexpected(complaints), [])
})

test('[RWC-78] Live shows how the code of a room runs, and leads to its log', async () => {
  const { slug, token, room, socket } = await newArena('Live arena')
  await socket.request({ t: 'send', type: 'move', data: 3 })
  await socket.refusal({ t: 'send', type: 'fail' })
  const { page, complaints } = await dashboard.open(`/dashboard/${slug}/development/live/${room.id}`, {
    token,
  })
  const panel = page.getByRole('complementary', { name: 'Room' })
  const fact = (title: string) => panel.locator(`dt:text-is("${title}") + dd`)
  await panel.getByText('Running').waitFor()
  assert.deepEqual(
    await Promise.all(
      ['Class', 'Version', 'Ticks', 'Late ticks', 'Errors'].map((title) => fact(title).textContent()),
    ),
    ['Arena', 'v1', 'only when something arrives', '0', '1'],
  )
  assert.match((await fact('CPU').textContent()) ?? '', /ms\/s$/)
  await panel.getByRole('link', { name: 'Log of this room' }).click()
  await page.locator('.function-log .log-text', { hasText: 'moved by 3' }).waitFor()
  assert.equal(new URL(page.url()).searchParams.get('q'), room.id)
  await socket.close()
  assert.deepEqual(unexpected(complaints), [])
})

test('[RWC-79] in development the panel of a room shows its state and the own states, again and again', async () => {
  const { slug, token, room, socket } = await newArena('State')
  const { page, complaints } = await dashboard.open(`/dashboard/${slug}/development/live/${room.id}`, {
    token,
  })
  const entry = (text: string) => page.locator('.panel .json-entry', { hasText: text })
  await entry('moves 0').waitFor()
  await entry('only for Ada').waitFor()
  await socket.request({ t: 'send', type: 'move', data: 5 })
  await entry('moves 1').waitFor()
  await entry('x 5').waitFor()
  await socket.close()
  assert.deepEqual(unexpected(complaints), [])
})

test('[RWC-79] in production the state is shown for a reason, which is in the audit log', async () => {
  const { slug, token, room, socket } = await newArena('Reason', 'production')
  const { page, complaints } = await dashboard.open(`/dashboard/${slug}/production/live/${room.id}`, {
    token,
  })
  await page.getByText('of shared state.').waitFor()
  assert.equal(await page.locator('.json-tree').count(), 0)
  assert.equal(await page.getByRole('link', { name: 'Time travel' }).count(), 0)
  await page.getByRole('button', { name: 'Show state' }).click()
  const show = page.getByRole('button', { name: 'Show in production' })
  await page.getByLabel('Reason').fill('  a ')
  assert.equal(await show.isDisabled(), true)
  await page.getByLabel('Reason').fill('Stuck in a wall')
  await show.click()
  await page.locator('.panel .json-entry', { hasText: 'moves 0' }).waitFor()
  await page.goto(`${dashboard.baseUrl}/dashboard/${slug}/production/audit`)
  await page
    .locator('summary', { hasText: `looked into room …${room.id.slice(-7)}: Stuck in a wall` })
    .waitFor()
  await socket.close()
  assert.deepEqual(unexpected(complaints), [])
})

test('[RWC-82] Functions lists the room classes of the live version and of deployments', async () => {
  const { slug, token, socket } = await newArena('Classes')
  const { page, complaints } = await dashboard.open(`/dashboard/${slug}/development/functions`, { token })
  await isLoaded(page)
  assert.deepEqual(await page.locator('.room-classes li').allTextContents(), [
    'Arena no ticks',
    'Lobby 20 ticks/s',
  ])
  await page.getByText('Room classes Arena, Lobby').waitFor()
  await socket.close()
  assert.deepEqual(unexpected(complaints), [])
})
