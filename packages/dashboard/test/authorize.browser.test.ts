import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { agentClients } from '../../server/src/testing/agent-clients.ts'
import { startReceiver } from '../../server/src/testing/webhook-receiver.ts'
import { type Dashboard, startDashboard, unexpected } from './fixtures.ts'

let dashboard: Dashboard
let program: Awaited<ReturnType<typeof startReceiver>>
before(async () => {
  dashboard = await startDashboard()
  program = await startReceiver()
})
after(async () => {
  await dashboard.stop()
  await program.stop()
})

/** Where the browser was sent to. */
async function calledBack(): Promise<URLSearchParams> {
  const isCallback = () => program.received.find(({ path }) => path.startsWith('/callback'))
  for (let count = 1; !isCallback(); count++) await program.arrived(count)
  const { path = '' } = isCallback() ?? {}
  program.take()
  return new URL(path, 'http://localhost').searchParams
}

test('[AGT-44] a developer sees which program asks, chooses, and allows or refuses it', async () => {
  const { token } = await dashboard.newProject('Agents')
  const name = '<b>Editor</b>'
  const added = await dashboard.service.agentClients.add(name, ['http://127.0.0.1/callback'])
  assert.ok('id' in added)
  const { body } = await dashboard.service.call('GET', '/.well-known/oauth-authorization-server')
  const client = agentClients(dashboard.service, () => body.issuer)
  const redirectUri = `http://127.0.0.1:${program.port}/callback`
  const path = `/oauth/authorize?${client.query(added.id, redirectUri)}`

  const { page, complaints } = await dashboard.open(path, { token })
  await page.getByRole('heading', { name: 'A program wants to act for you' }).waitFor()
  await page.getByText(name, { exact: true }).waitFor()
  await page.getByText(`127.0.0.1:${program.port}`).waitFor()
  await page.getByLabel('Environment').selectOption('production')
  await page.getByText('Add tools that change something').click()
  const needsApproval = page.getByRole('group', { name: 'Needs approval' })
  await needsApproval.getByRole('checkbox', { name: /^ban_player Bans a player/ }).check()
  await page.getByLabel('Your password').fill('correct horse')
  await page.getByRole('button', { name: 'Allow' }).click()
  const allowed = await calledBack()
  const { status, body: tokens } = await client.exchange(added.id, redirectUri, allowed.get('code') ?? '')
  assert.deepEqual([status, tokens.scope], [200, 'read ban_player'])
  assert.deepEqual(unexpected(complaints), [])

  const again = await dashboard.open(path, { token })
  await again.page.getByRole('button', { name: 'Refuse' }).click()
  assert.equal((await calledBack()).get('error'), 'access_denied')

  const wrong = await dashboard.open(`/oauth/authorize?${client.query('agc_nobody', redirectUri)}`, { token })
  await wrong.page.getByRole('heading', { name: 'This request cannot be granted' }).waitFor()
  const callbacks = program.take().filter(({ path }) => path.startsWith('/callback'))
  assert.deepEqual(callbacks, [])
})
