import assert from 'node:assert/strict'

import type { Page } from 'playwright-core'

import { newAgent } from '../../server/src/testing/agents.ts'
import { deployFunctions } from '../../server/src/testing/deployed-functions.ts'
import { browserFor, deploy } from '../../server/src/testing/hosted-apps.ts'
import { topUp } from '../../server/src/testing/money.ts'
import { type Dashboard, isLoaded, newAppeal, newGuest, report } from './fixtures.ts'

/** A project in which every page shows something. `paths` are all pages, by their address below `/dashboard`. */
export async function fillAllPages(dashboard: Dashboard) {
  const project = await dashboard.newProject('Star Duel')
  const { development, production, slug } = project
  assert.equal(await dashboard.service.signUp.setOperator(project.developer.email, true), true)
  const player = await newGuest(development, 'Ada')
  const pushed = await development.server('PUT', '/v1/config', {
    features: { hosting: true, stats: true, saves: true, multiplayer: true, emailLogin: true },
    stats: [{ key: 'wins', leaderboard: { periods: ['allTime', 'daily'] } }],
    multiplayer: { modes: [{ key: 'duel', minPlayers: 2, maxPlayers: 2 }] },
    share: { tracking: { enabled: true }, links: { enabled: true }, images: { enabled: true } },
  })
  assert.equal(pushed.status, 200, JSON.stringify(pushed.body))
  const mail = { email: 'mina@example.com', password: 'correct horse' }
  assert.equal((await development.public('POST', '/v1/auth/email/signup', mail)).status, 200)
  await topUp(dashboard.service, project.developer, 500)
  await deployFunctions(development, 'export default { fetch: () => new Response() }', {
    bindings: [{ type: 'db', name: 'SCORES' }],
    crons: ['0 3 * * *'],
  })
  const visit = await browserFor(dashboard.service)
  assert.equal((await visit(`${slug}--dev--fn`, '/')).status, 200)
  const environmentId = project.environments.find(({ name }) => name === 'development')?.id ?? ''
  dashboard.service.money.noteUsage(environmentId, 'voice.relayMinutes', 100)
  dashboard.service.money.noteUsage(environmentId, 'functions.requests', 100_000)
  await dashboard.service.everyMinute()
  for (const text of ['one', 'two']) await deploy(dashboard.service, development, { 'index.html': text })
  assert.equal((await development.server('POST', '/v1/deployments/1/activate', {})).status, 200)
  await report(development, player, { wins: 3 })
  await newAppeal(development, 'Noor', 'It was not me.')
  await newGuest(production, 'Kenji')
  const agent = await newAgent(dashboard.service, project, development, { tools: ['delete_player'] })
  const asked = await agent.call('POST', `${development.path}/players/${player.id}/delete`, {})
  assert.equal(asked.body.error?.code, 'approval_required', JSON.stringify(asked.body))
  const pages = [
    'overview',
    'players',
    'live',
    'moderation',
    'hosting',
    'functions',
    'leaderboards',
    'config',
    'share',
    'playground',
    'playground?view=consoles',
  ]
  const more = [
    'logs',
    'webhooks',
    'mailbox',
    'keys',
    'agents',
    'audit',
    'team',
    'config/switches',
    'config/providers',
    'config/history',
  ]
  const paths = [
    ...[...pages, ...more].map((page) => `/${slug}/development/${page}`),
    `/${slug}/development/players/${player.id}`,
    `/${slug}/development/moderation?show=values`,
    `/${slug}/development/moderation?show=bans`,
    `/${slug}/production/functions`,
    `/${slug}/production/overview`,
    `/${slug}/production/hosting`,
    '/projects',
    '/new',
    '/account',
    '/billing',
    '/system',
    '/device',
    `/${slug}/development/agents/${agent.id}`,
    `/approvals/${asked.body.error.details.approvalId}`,
  ]
  return { token: project.token, id: project.id, slug, paths, playerId: player.id }
}

/** Two players in a room, who stay while the app is loaded. */
async function play(page: Page) {
  if ((await page.locator('.simulated').count()) > 0) return
  await page.getByRole('button', { name: 'Add two players' }).click()
  const first = page.locator('.simulated').first()
  await first.getByText('Connected').waitFor()
  await first.getByRole('button', { name: 'Create room' }).click()
  await first.getByRole('button', { name: 'Set my state' }).click()
}

async function showHtml(page: Page) {
  await page.getByRole('button', { name: 'HTML', exact: true }).click()
  await page.frameLocator('.mail-frame').getByRole('heading').first().waitFor()
}

/** Like a click on a link: the app stays loaded. */
export async function goTo(page: Page, path: string) {
  await show(page, path)
  if (path.endsWith('?view=consoles')) await play(page)
  if (path.endsWith('/mailbox')) await showHtml(page)
}

/** Like `goTo`, without the actions that make Playground and Mailbox show something. */
export async function show(page: Page, path: string) {
  await page.evaluate((to) => {
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, `/dashboard${path}`)
  await page.locator('h1').waitFor()
  await isLoaded(page)
}
