import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import { connect } from '../../sdk/src/index.ts'
import { runs } from '../../server/src/testing/runs.ts'
import { startSmtpServer } from '../../server/src/testing/smtp-server.ts'
import {
  type Dashboard,
  isLoaded,
  newAppeal,
  newGuest,
  PASSWORD,
  report,
  startDashboard,
  unexpected,
  until,
} from './fixtures.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

test('[DSH-30] the first run leads from the set-up link to the first room, without the docs', async () => {
  const link = (await dashboard.service.signUp.newSetupLink()) ?? ''
  const { page, complaints } = await dashboard.open(link.slice(dashboard.baseUrl.length))
  await page.getByRole('heading', { name: 'Set up this service' }).waitFor()
  await page.getByLabel('Email').fill('operator@example.com')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.keyboard.press('Enter')

  await page.getByRole('heading', { name: 'Name your first project' }).waitFor()
  assert.equal(new URL(page.url()).hash, '', 'the used token is gone from the address')
  await page.keyboard.type('Star Duel')
  await page.keyboard.press('Enter')

  await page.getByRole('heading', { name: 'Keys for Star Duel' }).waitFor()
  const keys = await page.locator('.key-row code').allTextContents()
  assert.equal(keys.length, 4)
  const [publishable = ''] = keys
  const proceed = page.getByRole('button', { name: 'Continue' })
  assert.equal(await proceed.isDisabled(), true, 'until the keys are stored')
  await page.getByLabel('I saved the keys').check()
  await proceed.click()

  await page.getByRole('heading', { name: 'Welcome to Star Duel' }).waitFor()
  await page.getByRole('button', { name: 'Create a project' }).click()
  const command = await page.getByRole('region', { name: 'Set up a folder' }).textContent()
  assert.equal(
    command,
    `npm install -g ${dashboard.baseUrl}/packages/svc-cli.tgz\nsvc init --project star-duel --url ${dashboard.baseUrl}`,
  )
  await page.getByRole('button', { name: 'Enable features' }).click()
  await page.getByRole('link', { name: 'Open Config' }).click()
  await page.getByRole('button', { name: 'Review and push' }).click()
  await page.getByRole('dialog', { name: 'Push config' }).getByText('features').first().waitFor()
  await page.getByRole('button', { name: 'Push', exact: true }).click()
  await page.getByText('Config v1 pushed.').waitFor()

  const players = await Promise.all(
    ['Ada', 'Noor'].map((displayName) => connect({ url: dashboard.baseUrl, key: publishable, displayName })),
  )
  const rooms = await Promise.all(players.map((player) => player.rooms.quickMatch('default')))
  await page.getByRole('link', { name: 'Live', exact: true }).first().click()
  await page.getByRole('button', { name: `Room ${rooms[0]?.code}` }).click()
  await page.getByRole('complementary', { name: 'Room' }).getByText('2 of 4').waitFor()
  for (const player of players) player.close()

  await page.getByRole('link', { name: 'Overview', exact: true }).first().click()
  await page.getByText('Players per day').waitFor()
  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))
  for (const key of keys) assert.equal(stored.includes(key), false, 'no key is stored')
  assert.deepEqual(unexpected(complaints), [])
})

test('[DSH-31] many appeals are decided with the keyboard, and one decision is undone', async () => {
  const project = await dashboard.newProject('Appeals')
  const { development, token } = project
  const count = runs(12, 40)
  for (let index = 0; index < count; index++)
    await newAppeal(development, `Player ${index}`, `It was not me, ${index}.`)
  const { page, complaints } = await dashboard.open(`/dashboard/${project.slug}/development/moderation`, {
    token,
  })
  const name = page.locator('.inbox-one h2')
  await name.waitFor()

  const first = await name.textContent()
  await page.keyboard.press('a')
  await page.getByText(`Accepted: ${first}’s ban will be lifted.`).waitFor()
  await page.getByRole('button', { name: 'Undo' }).focus()
  await page.keyboard.press('Enter')
  await until(async () => (await name.textContent()) === first, 'the way back to the appeal')
  assert.equal(await page.locator('.inbox-list li').count(), count, 'nothing was sent')

  for (let left = count; left > 0; left--) {
    assert.equal(await page.locator('.inbox-list li').count(), left)
    await page.locator('body').press(left % 4 === 0 ? 'r' : 'a')
    await until(async () => (await page.locator('.inbox-list li').count()) === left - 1, 'the next appeal')
  }
  await page.getByRole('heading', { name: 'No open appeals' }).waitFor()
  // A jump to another page sends what still waits.
  await page.keyboard.press('g')
  await page.keyboard.press('o')
  const countOf = async (status: string) =>
    (await development.server('GET', `/v1/admin/appeals?status=${status}&limit=100`)).body.appeals.length
  await until(async () => (await countOf('open')) === 0, 'the last decision')
  assert.deepEqual([await countOf('accepted'), await countOf('rejected')], [count * 0.75, count * 0.25])
  assert.deepEqual(unexpected(complaints), [])
})

test('[DSH-32] a ban in production names production, closes a real connection, and can be undone', async () => {
  const project = await dashboard.newProject('Ban')
  const { production, token, slug } = project
  await production.server('PUT', '/v1/config', {
    features: { multiplayer: true },
    multiplayer: { modes: [{ key: 'duel' }] },
  })
  const guest = await newGuest(production, '<img src=x onerror=alert(1)>')
  const socket = new WebSocket(`${dashboard.baseUrl.replace('http', 'ws')}/v1/realtime`)
  const closed = new Promise<number>((resolve) => (socket.onclose = ({ code }) => resolve(code)))
  await new Promise((resolve) => {
    socket.onopen = () =>
      socket.send(JSON.stringify({ t: 'auth', key: production.publishableKey, token: guest.accessToken }))
    socket.onmessage = resolve
  })

  const { page, complaints } = await dashboard.open(`/dashboard/${slug}/production/players/${guest.id}`, {
    token,
  })
  const open = page.getByRole('button', { name: 'Ban…' })
  await open.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Production · Ban').waitFor()
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'TEXTAREA')
  await page.keyboard.press('Escape')
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Ban…', 'the focus returns')
  await page.keyboard.press('Enter')
  await page.keyboard.type('Impossible scores')
  await dialog.getByRole('button', { name: 'Ban in production' }).press('Enter')

  assert.equal(await closed, 4003)
  await page.getByText(/ banned\. \d+ session/).waitFor()
  assert.match(await page.title(), /\(production\)$/)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText(/ unbanned\.$/).waitFor()
  assert.equal(await page.locator('img').count(), 0, 'a name is text')
  assert.deepEqual(unexpected(complaints), [])
})

test('[DSH-33] a new key is shown once', async () => {
  const { slug, token } = await dashboard.newProject('Keys')
  const { page } = await dashboard.open(`/dashboard/${slug}/development/keys`, { token })
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('button', { name: 'Secret', exact: true }).click()
  await page.getByRole('textbox', { name: 'Label' }).fill('build server')
  await page.getByRole('button', { name: 'Create' }).click()
  const value = (await page.locator('.secret-value code').textContent()) ?? ''
  assert.match(value, /^sk_/)
  await page.keyboard.press('Escape')
  assert.equal(await page.locator('.secret-value').count(), 1, 'it stays until the key is stored')
  await page.getByLabel('I saved it').check()
  await page.getByRole('button', { name: 'Done' }).click()

  await page.getByText('build server').waitFor()
  const everywhere = await page.evaluate(
    () => document.documentElement.outerHTML + JSON.stringify(localStorage),
  )
  assert.equal(everywhere.includes(value), false)
  assert.ok(everywhere.includes(value.slice(-4)))
})

test('[DSH-34] an ended session asks to sign in and returns to the same page; signing out ends all tabs', async () => {
  const { slug, token, developer } = await dashboard.newProject('Session')
  const { page } = await dashboard.open(`/dashboard/${slug}/production/audit`, { token })
  await page.getByRole('heading', { name: 'Audit' }).waitFor()
  await developer.call('POST', '/v1/developers/logout')
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.ok(page.url().endsWith(`/${slug}/production/audit`))
  await page.getByLabel('Email').fill(developer.email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Audit' }).waitFor()

  const second = await page.context().newPage()
  await second.goto(`${dashboard.baseUrl}/dashboard/${slug}/development/keys`)
  await second.getByRole('heading', { name: 'Keys' }).waitFor()
  await page.getByRole('button', { name: 'Account menu' }).first().click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await second.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('[DSH-35] while the service is down the data stays, and the page recovers automatically', async () => {
  const { slug, token } = await dashboard.newProject('Down')
  const { page, complaints } = await dashboard.open(`/dashboard/${slug}/development/live`, { token })
  await page.getByText('Nobody is playing').waitFor()
  const line = page.getByText('The service is not responding.')
  await dashboard.restart(async () => {
    await line.waitFor()
    await page.getByText('Nobody is playing').waitFor()
  })
  await line.waitFor({ state: 'detached' })
  assert.deepEqual(unexpected(complaints), [])
})

test('[DSH-36] names that look like HTML or run from right to left are text', async () => {
  const { slug, token, development } = await dashboard.newProject('Hostile')
  const names = ['<img src=x onerror=alert(1)>', 'דנה כהן', '"><script>alert(1)</script>']
  for (const name of names) await newAppeal(development, name, `<svg onload=alert(2)> ${name}`)
  const { page, complaints } = await dashboard.open(`/dashboard/${slug}/development/players`, { token })
  for (const path of ['players', 'moderation', 'overview', 'audit']) {
    await page.goto(`${dashboard.baseUrl}/dashboard/${slug}/development/${path}`)
    await page.locator('main h1').waitFor()
    await isLoaded(page)
  }
  await page.goto(`${dashboard.baseUrl}/dashboard/${slug}/development/players`)
  await page.getByText('<img src=x onerror=alert(1)>').waitFor()
  assert.equal(await page.locator('main img, main script').count(), 0)
  assert.deepEqual(unexpected(complaints), [])
})

test('[DSH-42] a leaderboard shows its entries; a player is hidden, shown again and removed', async () => {
  const project = await dashboard.newProject('Boards')
  const { development, token, slug } = project
  await development.server('PUT', '/v1/config', {
    features: { stats: true },
    stats: [{ key: 'points', aggregation: 'max', leaderboard: { periods: ['allTime', 'daily'] } }],
  })
  const players = []
  for (const [name, points] of [
    ['Ada', 30],
    ['Noor', 50],
    ['Kenji', 40],
  ] as const) {
    const player = await newGuest(development, name)
    await report(development, player, { points })
    players.push(player)
  }
  const { page, complaints } = await dashboard.open(`/dashboard/${slug}/development/leaderboards`, { token })
  const rows = page.locator('.table-card').first().locator('tbody tr')
  const names = async () => (await rows.locator('.name').allTextContents()).join()
  await until(async () => (await names()) === 'Noor,Kenji,Ada', 'the order of the entries')

  // The response to hiding a player arrives after another dialog was opened.
  const hidden = Promise.withResolvers<void>()
  await page.route('**/leaderboards/points/entries/**', async (route) => {
    await hidden.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Hide Noor' }).click()
  await page.getByRole('button', { name: 'Remove Ada' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove entry' })
  await dialog.getByLabel('Player name').fill('Ada')
  hidden.resolve()
  await until(async () => (await names()) === 'Kenji,Ada', 'the list without the hidden player')
  await page.getByRole('heading', { name: 'Hidden from players' }).waitFor()
  const listed = async () =>
    (await development.public('GET', '/v1/x/leaderboards/points')).body.entries.map(
      ({ displayName }: { displayName: string }) => displayName,
    )
  assert.deepEqual(await listed(), ['Kenji', 'Ada'])

  await dialog.getByRole('button', { name: 'Remove' }).click()
  await until(async () => (await names()) === 'Kenji', 'the list without the removed player')
  assert.deepEqual(await listed(), ['Kenji'])
  assert.deepEqual(unexpected(complaints), [])
})

test('[DSH-44] a change by somebody else is shown when it happens; without the stream a page polls', async () => {
  const { slug, token, development, developer } = await dashboard.newProject('Events')
  const newKey = async (label: string) =>
    assert.equal(
      (await developer.call('POST', `${development.path}/keys`, { type: 'secret', label })).status,
      200,
    )
  const { page, complaints } = await dashboard.open(`/dashboard/${slug}/development/overview`, { token })
  await page.getByRole('heading', { name: 'Welcome to Events' }).waitFor()
  // Keys are asked for once a minute: nothing but the stream shows a new one in time.
  await page.keyboard.press('g')
  await page.keyboard.press('k')
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  await isLoaded(page)
  await newKey('from elsewhere')
  await page.getByText('from elsewhere').waitFor()
  assert.deepEqual(unexpected(complaints), [])

  const refused = await dashboard.open('/dashboard/projects', { token })
  await refused.page.route('**/events', (route) => route.abort())
  await refused.page.goto(`${dashboard.baseUrl}/dashboard/${slug}/development/mailbox`)
  await isLoaded(refused.page)
  const signedUp = await development.public('POST', '/v1/auth/email/signup', {
    email: 'noor@example.com',
    password: PASSWORD,
  })
  assert.equal(signedUp.status, 200)
  await refused.page.getByText('noor@example.com').first().waitFor()
})

test('[DSH-83] an address that is not confirmed needs attention only where the service sends mail', async (t) => {
  const smtp = await startSmtpServer()
  const sending = await startDashboard({ SMTP_URL: smtp.url, SVC_MAIL_FROM: 'svc@example.com' })
  t.after(async () => {
    await sending.stop()
    await smtp.stop()
  })
  const overviewOf = async (one: Dashboard) => {
    const { slug, token, development } = await one.newProject('Attention')
    await newGuest(development, 'Ann')
    return (await one.open(`/dashboard/${slug}/development/overview`, { token })).page
  }
  await (await overviewOf(sending)).getByText('Confirm your email address').waitFor()
  const page = await overviewOf(dashboard)
  await page.getByText('All caught up').waitFor()
  assert.equal(await page.getByText('Confirm your email address').count(), 0)
})
