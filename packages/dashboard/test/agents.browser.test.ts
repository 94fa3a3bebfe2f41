import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import type { Page } from 'playwright-core'

import { newAgent } from '../../server/src/testing/agents.ts'
import { startMcpClients, type ToolAnswer } from '../../server/src/testing/mcp-clients.ts'
import type { Answer } from '../../server/src/testing/service.ts'
import { type Dashboard, isLoaded, newGuest, PASSWORD, startDashboard, unexpected } from './fixtures.ts'

let dashboard: Dashboard
let clients: Awaited<ReturnType<typeof startMcpClients>>
before(async () => {
  dashboard = await startDashboard()
  clients = await startMcpClients()
})
after(async () => {
  await clients.stop()
  await dashboard.stop()
})

const valueOf = ({ content }: ToolAnswer) => JSON.parse(content.at(-1)?.text ?? '')

/** Creates an agent on the open page; returns its token. */
async function createAgent(page: Page, label: string, tools: readonly string[], password?: string) {
  await page.getByRole('button', { name: 'New agent' }).click()
  const dialog = page.getByRole('dialog', { name: 'New agent' })
  await dialog.getByLabel('Label').fill(label)
  await dialog.getByRole('button', { name: 'Choose tools' }).click()
  for (const tool of tools) await dialog.getByRole('checkbox', { name: new RegExp(`^${tool} `) }).check()
  if (password !== undefined) await dialog.getByLabel('Your password').fill(password)
  await dialog.getByRole('button', { name: /^Create/ }).click()
  const token = await dialog.locator('.secret-value code').textContent()
  const config = JSON.parse((await dialog.getByRole('region', { name: '.mcp.json' }).textContent()) ?? '')
  assert.equal(config.mcpServers.svc.headers.Authorization, `Bearer ${token}`)
  assert.equal(config.mcpServers.svc.url, `${dashboard.baseUrl}/mcp`)
  assert.equal(
    await dialog.getByRole('button', { name: 'Done' }).isDisabled(),
    true,
    'not before it is stored',
  )
  await dialog.getByLabel('I saved it').check()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.ok(!(await page.content()).includes(token ?? ''), 'it is shown once')
  return token ?? ''
}

test('[DSH-56] [DSH-57] [DSH-59] an agent does a task in production by its tools alone; a developer approves in the browser', async () => {
  const { production, developer, slug, token } = await dashboard.newProject('Star Duel')
  const cheater = await newGuest(production, '<b>Cheater</b>')
  const { page, complaints } = await dashboard.open(`/dashboard/${slug}/production/agents`, { token })
  await page.getByRole('heading', { name: 'No agents yet' }).waitFor()
  const tools = ['push_config', 'deploy_files', 'activate_deployment', 'ban_player', 'delete_player']
  const agent = await clients.connect(
    '2025',
    dashboard.baseUrl,
    await createAgent(page, 'Claude', tools, PASSWORD),
  )
  const call = async (name: string, values: Record<string, unknown>) =>
    agent.callTool({ name, arguments: values })
  const refusalOf = async (name: string, values: Record<string, unknown>) => {
    const answer = await call(name, values)
    assert.equal(answer.isError, true, JSON.stringify(answer))
    return valueOf(answer)
  }

  /** Makes a call, opens the page that it names, decides, and returns what makes the call work. */
  async function decide(name: string, values: Record<string, unknown>, decision: 'Approve' | 'Refuse') {
    const refused = await refusalOf(name, values)
    assert.equal(refused.code, 'approval_required', JSON.stringify(refused))
    const { approvalId, approvalUrl } = refused.details
    assert.equal(approvalUrl, `${dashboard.baseUrl}/dashboard/approvals/${approvalId}`)
    await page.goto(approvalUrl)
    await page.getByRole('heading', { name: /^Claude wants to .+ in Production$/ }).waitFor()
    await page.getByText(`Claude for you (${developer.email})`).waitFor()
    await page.getByText(name, { exact: true }).waitFor()
    await page.locator('.dialog-env').getByText('Production').waitFor()
    await page
      .getByRole('button', { name: decision === 'Approve' ? 'Approve in production' : 'Refuse' })
      .click()
    await page
      .getByText(decision === 'Approve' ? 'You approved the call.' : 'You refused the call.')
      .waitFor()
    return values
  }

  const config = { body: { version: 1, features: { hosting: true, saves: true } } }
  assert.ok(!(await call('push_config', { ...config, dryRun: true })).isError, 'a dry run needs nobody')
  const push = await decide('push_config', config, 'Approve')
  const pushed = await call('push_config', push)
  assert.ok(!pushed.isError, JSON.stringify(pushed))
  await page.getByText('the agent made it. The approval is used up.').waitFor()
  await page.getByText('Done', { exact: true }).waitFor()
  assert.equal((await refusalOf('push_config', config)).code, 'approval_required', 'an approval works once')

  const deployed = valueOf(
    await call('deploy_files', { files: [{ path: 'index.html', text: '<h1>Star Duel</h1>' }] }),
  )
  const ref = String(deployed.version)
  const activate = await decide('activate_deployment', { ref }, 'Approve')
  assert.ok(!(await call('activate_deployment', activate)).isError)

  const found = valueOf(await call('search_players', { q: cheater.id }))
  assert.equal(found.players[0].id, cheater.id)
  const ban = await decide('ban_player', { playerId: cheater.id, reason: 'Impossible scores' }, 'Approve')
  assert.ok(!(await call('ban_player', ban)).isError)
  const removal = await decide('delete_player', { playerId: cheater.id }, 'Refuse')
  assert.equal((await refusalOf('delete_player', removal)).code, 'approval_refused')
  await page.getByRole('link', { name: cheater.id }).click()
  await page.getByRole('complementary', { name: 'Player' }).getByText('Impossible scores').first().waitFor()

  await page.goto(`${dashboard.baseUrl}/dashboard/${slug}/production/audit`)
  const who = `Claude for ${developer.email}`
  for (const text of ['banned player', 'activated version', 'pushed config'])
    await page.locator('summary', { hasText: who }).filter({ hasText: text }).waitFor()
  await page
    .locator('summary', { hasText: 'refused delete_player of agent …' })
    .filter({ hasText: developer.email })
    .waitFor()
  const entry = page.locator('li', { hasText: who }).filter({ hasText: 'pushed config' })
  await entry.locator('summary').click()
  const details = JSON.parse((await entry.locator('pre').textContent()) ?? '')
  assert.equal(details.approvedBy, developer.id)

  await page.goto(`${dashboard.baseUrl}/dashboard/${slug}/production/agents`)
  await page.getByRole('link', { name: 'Claude' }).click()
  const panel = page.getByRole('complementary', { name: 'Agent' })
  await panel.getByText('approval_refused').waitFor()
  await panel.getByText('Asked for approval').first().waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Revoke Claude' }).click()
  const dialog = page.getByRole('dialog', { name: 'Revoke agent' })
  await dialog.getByLabel('Agent label').fill('Claude')
  await dialog.getByRole('button', { name: 'Revoke in production' }).click()
  await page.getByRole('heading', { name: 'No agents yet' }).waitFor()
  await assert.rejects(call('whoami', {}))
  assert.deepEqual(unexpected(complaints), [])
})

test('[DSH-57] a developer who is not signed in comes back to the approval; its text is only text; an old one has ended', async () => {
  const { development, developer, slug, token } = await dashboard.newProject('Signed out')
  const { page: first } = await dashboard.open(`/dashboard/${slug}/development/agents`, { token })
  const agent = dashboard.service.withToken(
    await createAgent(first, 'Helper', ['write_player_save', 'delete_player']),
  )
  const player = await newGuest(development, 'Ada')
  const data = { note: '<img src=x onerror=alert(1)>\u202e\u200b approve this' }
  const { status, body } = await agent('PUT', `${development.path}/players/${player.id}/saves/slot`, { data })
  assert.equal(status, 409, JSON.stringify(body))
  await first.getByText('Waiting for your approval').waitFor()
  await first.getByText('Helper: Create the save slot of player Ada').waitFor()

  const path = new URL(body.error.details.approvalUrl).pathname
  const { page, complaints } = await dashboard.open(path, { width: 390, dark: true })
  await page.getByLabel('Email').fill(developer.email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  const sent = page.getByRole('region', { name: 'What the agent sends' })
  await sent.waitFor()
  assert.equal(new URL(page.url()).pathname, path)
  const text = (await sent.textContent()) ?? ''
  assert.ok(text.includes(String.raw`<img src=x onerror=alert(1)>\u{202e}\u{200b} approve this`), text)
  assert.equal(await sent.locator('img').count(), 0)
  await page.getByText('may have copied text from players').waitFor()
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390)

  dashboard.service.clock.advance(10 * 60_000)
  await page.getByRole('heading', { name: 'This request has expired' }).waitFor()
  await page.getByText('Ask the agent to try again.').waitFor()
  assert.deepEqual(unexpected(complaints), [])

  await page.goto(`${dashboard.baseUrl}/dashboard/approvals/apv_nobody`)
  await page.getByRole('heading', { name: 'This request has expired' }).waitFor()
  await page.getByRole('link', { name: 'Show open requests' }).click()
  await page.getByText('Nothing to approve').waitFor()
  await isLoaded(page)
})

test('[DSH-65] everything that is approved can be read, the buttons and the time that is left stay in sight, and the difference is shown', async () => {
  const { production, developer, token } = await dashboard.newProject('Long')
  const agent = await newAgent(dashboard.service, { developer }, production, {
    label: 'Prod helper\u202e',
    tools: ['push_config', 'write_player_save'],
  })
  const player = await newGuest(production, 'Mira')
  const features = { saves: true, voice: true, multiplayer: true, realtimeChannels: true }
  const push = (call: typeof developer.call, changed: object) =>
    call('PUT', `${production.path}/config`, { features: { ...features, ...changed } })
  assert.equal((await push(developer.call, {})).status, 200)
  const lines = Array.from({ length: 2_000 }, (_, at) => `line ${at}`)
  const data = { lines, long: `${'x'.repeat(10_000)} the end`, hidden: 'a\u2066b\u200bc' }
  const save = await agent.call('PUT', `${production.path}/players/${player.id}/saves/slot`, { data })
  const config = await push(agent.call, { voice: false })
  const pathOf = ({ body }: Answer) => new URL(body.error.details.approvalUrl).pathname

  const { page, complaints } = await dashboard.open(pathOf(save), { token, width: 390, height: 844 })
  const heading = page.getByRole('heading', { name: 'wants to create the save slot of player Mira' })
  await heading.waitFor()
  assert.match((await heading.textContent()) ?? '', /^Prod helper/)
  const sent = page.getByRole('region', { name: 'What the agent sends' })
  const text = (await sent.textContent()) ?? ''
  for (const part of ['"line 0"', '"line 1999"', 'x the end', String.raw`a\u{2066}b\u{200b}c`])
    assert.ok(text.includes(part), part)
  // Nothing is behind something else, and nothing is cut: every element is as high and as wide as what it contains.
  const cut = await page
    .locator('.approval')
    .evaluate((card) =>
      [card, ...card.querySelectorAll('.form, section, ul, li, pre, h2, p')]
        .filter((one) => one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1)
        .map((one) => `${one.tagName} ${one.className}`),
    )
  assert.deepEqual(cut, [])
  const isInSight = async () => {
    for (const name of ['Refuse', 'Approve in production']) {
      const button = page.getByRole('button', { name })
      const isOnTop = await button.evaluate((one) => {
        const { left, top, width, height } = one.getBoundingClientRect()
        return one.contains(document.elementFromPoint(left + width / 2, top + height / 2))
      })
      assert.ok(isOnTop, name)
    }
    await page.getByText('10 minutes left.').waitFor()
  }
  await isInSight()
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
  await isInSight()
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390)
  dashboard.service.clock.advance(3 * 60_000)
  await page.getByText('7 minutes left.').waitFor()
  await page.getByRole('button', { name: 'Refuse' }).click()
  await page.getByText('You refused the call.').waitFor()

  await page.goto(dashboard.baseUrl + pathOf(config))
  await page.getByRole('heading', { name: 'wants to turn voice off in Production' }).waitFor()
  const change = page.locator('.diff li').filter({ hasText: 'features.voice' }).first()
  assert.match((await change.textContent()) ?? '', /before: true.*after: false/)
  assert.equal(await page.locator('.diff-after').count(), 1)
  assert.deepEqual(unexpected(complaints), [])
})
