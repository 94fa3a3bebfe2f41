import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, afterEach, before, test } from 'node:test'

import { connect } from '../../sdk/src/index.ts'
import { deployFunctions } from '../../server/src/testing/deployed-functions.ts'
import { browserFor, deploy } from '../../server/src/testing/hosted-apps.ts'
import { topUp } from '../../server/src/testing/money.ts'
import { type Dashboard, newGuest, PASSWORD, startDashboard, unexpected, until } from './fixtures.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

test('[DSH-05] players are sorted, limited to those online, and downloaded as CSV', async () => {
  const { slug, token, development } = await dashboard.newProject('Lists')
  for (const name of ['Zoe', 'Ann', '=1+1']) await newGuest(development, name)
  const { page, complaints } = await dashboard.open(`/dashboard/${slug}/development/players`, { token })
  const names = page.locator('.players .name')
  await names.first().waitFor()
  assert.deepEqual(await names.allTextContents(), ['=1+1', 'Ann', 'Zoe'])
  await page.getByRole('button', { name: 'Player', exact: true }).click()
  await until(async () => (await names.allTextContents()).join() === '=1+1,Ann,Zoe', 'the order by name')
  assert.match(page.url(), /sort=name/)

  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  const lines = (await readFile(await (await downloading).path(), 'utf8')).trim().split('\r\n')
  assert.equal(lines.length, 4)
  assert.match(lines[0] ?? '', /^id,name,email,guest,banned,createdAt,lastSeenAt$/)
  assert.ok(lines[1]?.includes(",'=1+1,"), 'a name is no formula')

  const player = await connect({
    url: dashboard.baseUrl,
    key: development.publishableKey,
    displayName: 'Mia',
  })
  await player.rooms.create({ mode: 'duel' })
  await page.getByRole('button', { name: 'Online', exact: true }).click()
  await until(async () => (await names.allTextContents()).join() === 'Mia', 'the list of who is online')
  player.close()
  assert.deepEqual(unexpected(complaints), [])
})

test('[DSH-13] a publishable key is shown in the list, also after it was created', async () => {
  const { slug, token, development } = await dashboard.newProject('Shown keys')
  const { page } = await dashboard.open(`/dashboard/${slug}/development/keys`, { token })
  await page.getByText(development.publishableKey).waitFor()
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('button', { name: 'Create' }).click()
  const value = (await page.locator('.secret-value code').textContent()) ?? ''
  assert.match(value, /^pk_/)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.reload()
  await page.getByText(value).waitFor()
})

test('[DSH-43] the page Functions shows what is missing: credit, then code', async () => {
  const project = await dashboard.newProject('Code')
  const { page, complaints } = await dashboard.open(`/dashboard/${project.slug}/development/functions`, {
    token: project.token,
  })
  await page.getByRole('heading', { name: 'Functions are disabled' }).waitFor()
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByRole('link', { name: 'Add credit' }).waitFor()

  await topUp(dashboard.service, project.developer, 500)
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByRole('heading', { name: 'Nothing deployed yet' }).waitFor()

  await deployFunctions(project.development, 'export default { fetch: () => new Response() }', {
    bindings: [{ type: 'db', name: 'SCORES' }],
  })
  const sql = page.getByLabel('SQL in SCORES')
  await sql.fill(
    "CREATE TABLE best (name TEXT, points INT); INSERT INTO best VALUES ('<b>Ada</b>', 30), (NULL, 40); SELECT * FROM best ORDER BY points",
  )
  await sql.press('Control+Enter')
  const rows = page.getByRole('region', { name: 'Rows' })
  await rows.waitFor()
  assert.deepEqual(await rows.locator('td').allTextContents(), ['<b>Ada</b>', '30', 'null', '40'])
  await sql.fill('SELECT nothing')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('sql_error').waitFor()
  assert.equal(await rows.count(), 0, 'rows of an earlier statement are gone')

  const visit = await browserFor(dashboard.service)
  for (const path of ['/', '/']) assert.equal((await visit(`${project.slug}--dev--fn`, path)).status, 200)
  await dashboard.service.everyMinute()
  await page.reload()
  await page.getByRole('img', { name: '2 requests in the last hour, 0 errors' }).locator('canvas').waitFor()
  await page.getByRole('heading', { name: 'CPU time per minute' }).waitFor()
  assert.deepEqual(unexpected(complaints), [])
})

test('[DSH-45] Billing shows the cost of each day by component, as bars and as a table', async () => {
  const { environments, developer, token } = await dashboard.newProject('Costs')
  await topUp(dashboard.service, developer, 500)
  const [environment] = environments
  assert.ok(environment)
  dashboard.service.money.noteUsage(environment.id, 'voice.relayMinutes', 200)
  dashboard.service.money.noteUsage(environment.id, 'functions.requests', 100_000)
  await dashboard.service.everyMinute()

  const { page, complaints } = await dashboard.open('/dashboard/projects', { token })
  await page.clock.setFixedTime(dashboard.service.clock.now())
  await page.goto(`${dashboard.baseUrl}/dashboard/billing`)
  const bar = page.locator('.bar.is-open')
  await bar.waitFor()
  assert.equal(await bar.locator('span').count(), 2)
  await bar.hover()
  await page.getByText(/so far: voice.relayMinutes US\$0.10, functions.requests US\$0.03$/).waitFor()
  await page.getByRole('button', { name: 'Show as table' }).click()
  const today = page.getByRole('region', { name: 'cost per day' }).locator('tbody tr').last()
  assert.deepEqual((await today.locator('td').allTextContents()).slice(1), ['US$0.10', 'US$0.03', 'US$0.13'])
  assert.deepEqual(unexpected(complaints), [])
})

test('[DSH-12] Hosting draws the versions that were live, and an arc for each rollback', async () => {
  const { slug, token, development } = await dashboard.newProject('Versions')
  for (const version of [1, 2, 3]) {
    const deployed = await deploy(dashboard.service, development, { 'index.html': `version ${version}` })
    assert.equal(deployed.version, version)
  }
  const { page, complaints } = await dashboard.open(`/dashboard/${slug}/development/hosting`, { token })
  await page.getByRole('img', { name: 'Versions that were live: 1, 2, 3; live now: 3' }).waitFor()
  for (const version of [1, 3, 2]) {
    const activated = await development.server('POST', `/v1/deployments/${version}/activate`, {})
    assert.equal(activated.status, 200)
  }
  const label = 'Versions that were live: 1, 2, 3; rollback from 3 to 1; rollback from 3 to 2; live now: 2'
  const timeline = page.getByRole('img', { name: label })
  await timeline.waitFor()
  assert.equal(await timeline.locator('ellipse').count(), 2)
  await page.getByText('Rollback from 3').first().waitFor()
  assert.deepEqual(unexpected(complaints), [])
})

test('[DSH-50] Mailbox shows the HTML of a mail in a frame without access to the session', async () => {
  const { slug, token, development } = await dashboard.newProject('Mails')
  const account = { email: 'ada@example.com', password: PASSWORD, displayName: 'Ada' }
  assert.equal((await development.public('POST', '/v1/auth/email/signup', account)).status, 200)
  const { page, complaints } = await dashboard.open(`/dashboard/${slug}/development/mailbox`, { token })
  const openFrame = async () => {
    await page.getByRole('button', { name: 'HTML', exact: true }).click()
    return page.frameLocator('iframe[title="The email as HTML"]')
  }
  const frame = await openFrame()
  await frame.getByRole('heading').first().waitFor()
  const height = () => page.locator('.mail-frame').evaluate((element) => element.clientHeight)
  await until(async () => (await height()) > 200, 'a frame as high as the mail')
  await frame.getByRole('link').first().click()
  await frame.getByRole('heading').first().waitFor()
  assert.deepEqual(unexpected(complaints), [])
  const mailPage = page.frames().find((one) => one.url().endsWith('/dashboard/mail-frame'))
  assert.equal(await mailPage?.evaluate(() => origin), 'null')
  const readStorage = () => {
    try {
      return String(localStorage.length)
    } catch (error) {
      return (error as Error).name
    }
  }
  assert.equal(await mailPage?.evaluate(readStorage), 'SecurityError')

  const hostile = `<base href="https://example.com/"><meta http-equiv="refresh" content="0; url=/dashboard">
    <script>top.postMessage(999, '*'); document.title = 'ran'</script><h1>Hostile</h1>
    <img src="/v1/platform/info" onerror="document.title = 'ran'"><iframe src="/dashboard"></iframe>
    <form action="/dashboard"><button>Send</button></form><a href="/dashboard" target="_top">Away</a>`
  await dashboard.service.db.transaction((transaction) =>
    transaction.search((q) =>
      q
        .updateTable('mail_outbox')
        .set({ htmlBody: hostile })
        .where('recipient', '=', 'ada@example.com')
        .returning('id'),
    ),
  )
  await page.reload()
  const second = await openFrame()
  await second.getByRole('heading', { name: 'Hostile' }).waitFor()
  await second.getByRole('button', { name: 'Send' }).click()
  await second.getByRole('link', { name: 'Away' }).click()
  const reached = page.frames().find((one) => one.url().endsWith('/dashboard/mail-frame'))
  assert.equal(await reached?.title(), '', 'no script of the mail has run')
  assert.equal(page.frames().length, 2, 'no frame in the frame')
  assert.match(page.url(), /mailbox$/)
})

test('[DSH-47] a card is designed with the picture that the service draws, and pushed', async () => {
  const { slug, token, development } = await dashboard.newProject('Cards')
  const { page, complaints } = await dashboard.open(`/dashboard/${slug}/development/share`, { token })
  const picture = page.getByAltText('The card as social networks show it')
  await picture.waitFor()
  const source = () => picture.getAttribute('src')
  let before = await source()
  for (const change of [
    () => page.getByLabel('Title').fill('Star Duel'),
    () => page.getByLabel('Background', { exact: true }).fill('#ffffff'),
    () => page.getByRole('button', { name: 'Score', exact: true }).click(),
  ]) {
    await change()
    await until(async () => (await source()) !== before, 'another picture')
    before = await source()
  }
  await page.getByLabel('Background', { exact: true }).fill('white')
  await page.getByText('Enter a color such as #ffcc33').waitFor()
  const push = page.getByRole('button', { name: 'Review and push' })
  assert.equal(await push.isDisabled(), true)
  await page.getByLabel('Background', { exact: true }).fill('#123456')
  await push.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Push', exact: true }).click()
  await page.getByText(/^Config v\d+ pushed\.$/).waitFor()
  const { body } = await development.server('GET', '/v1/config')
  assert.deepEqual(
    [body.config.share.images.title, body.config.share.images.theme.background, body.config.features.saves],
    ['Star Duel', '#123456', true],
  )
  assert.deepEqual(unexpected(complaints), [])
})

test('[DSH-17] deleting an account shows the credit that is lost, and asks again', async () => {
  const { id, developer, token } = await dashboard.newProject('Leaving')
  await topUp(dashboard.service, developer, 700)
  assert.equal((await developer.call('DELETE', `/v1/projects/${id}`)).status, 200)

  const { page } = await dashboard.open('/dashboard/account', { token })
  await page.getByRole('button', { name: 'Delete account…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete your account' })
  await dialog.getByLabel('Your email address').fill(developer.email)
  await dialog.getByLabel('Your password').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Delete account' }).click()
  await dialog.getByText('Your account has US$7.00 of prepaid credit').waitFor()
  assert.equal((await developer.call('GET', '/v1/developers/me')).status, 200)

  await dialog.getByRole('button', { name: 'Delete account and lose credit' }).click()
  await page.getByText('Account deleted.').waitFor()
  assert.equal((await developer.call('GET', '/v1/developers/me')).status, 401)
})
