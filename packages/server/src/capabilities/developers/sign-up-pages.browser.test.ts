import assert from 'node:assert/strict'
import { test } from 'node:test'

import { freePort } from '../../../test/server-process.ts'
import { startBrowser } from '../../testing/browser.ts'
import { startService } from '../../testing/service.ts'

test('[DEV-01] [DSH-81] the set-up link and an invitation create accounts in a real browser; a used one says so when it is opened', async (t) => {
  const port = await freePort()
  const service = await startService('sqlite', {
    settings: { SVC_SIGN_UP: 'first', SVC_BASE_URL: `http://localhost:${port}` },
  })
  await service.http.listen({ port, host: 'localhost' })
  const browser = await startBrowser()
  t.after(async () => {
    await browser.close()
    await service.stop()
  })
  const signUp = async (link: string, email?: string) => {
    const page = await browser.newPage({ width: 320 })
    await page.open(link)
    await page.until(`document.querySelector('input[name=password]')`)
    assert.equal(await page.read('document.documentElement.scrollWidth <= innerWidth'), true)
    if (email !== undefined) await page.type('input[name=email]', email)
    await page.type('input[name=password]', 'correct horse')
    await page.press('button[type=submit]')
    return page
  }
  const isSignedIn = `document.querySelector('h1')?.textContent === 'Name your first project'`
  const link = (await service.signUp.newSetupLink()) ?? ''

  const first = await signUp(link, 'operator@example.com')
  await first.until(isSignedIn)
  assert.equal(await first.read('location.hash'), '', 'the used token is gone from the address')

  const again = await browser.newPage({ width: 320 })
  await again.open(link)
  await again.until(`document.querySelector('.note')?.textContent.includes('no longer works')`)
  assert.equal(await again.read('document.querySelector("h1").textContent'), 'Sign in')
  await again.close()

  const invited = await signUp((await service.signUp.invite('ada@example.com')).link)
  await invited.until(isSignedIn)
  const { developers } = await service.signUp.list()
  assert.deepEqual(
    developers.map(({ email, isOperator }) => [email, isOperator]),
    [
      ['operator@example.com', true],
      ['ada@example.com', false],
    ],
  )
})

test('[DSH-80] [DSH-81] [DSH-82] a code signs a browser in; the page names the local account, and who invites to a project', async (t) => {
  const port = await freePort()
  const service = await startService('sqlite', { settings: { SVC_BASE_URL: `http://localhost:${port}` } })
  await service.http.listen({ port, host: 'localhost' })
  const browser = await startBrowser()
  t.after(async () => {
    await browser.close()
    await service.stop()
  })
  const base = `http://localhost:${port}`
  const open = async (url: string) => {
    const page = await browser.newPage({ width: 320 })
    await page.open(url)
    return page
  }
  const local = await service.newDeveloper('developer@localhost')
  const signIn = await open(`${base}/dashboard`)
  await signIn.until(`document.querySelector('.note')?.textContent.includes('developer@localhost')`)
  assert.match(await signIn.text(), /svc dashboard[^]*~\/\.config\/svc\/credentials\.json/)
  await signIn.close()

  const { body } = await local.call('POST', '/v1/x/developers/browser-codes')
  const signedIn = await open(`${base}/dashboard#code=${body.code}`)
  await signedIn.until(`document.querySelector('h1')?.textContent === 'Name your first project'`)
  assert.equal(await signedIn.read('location.hash'), '')
  await signedIn.close()
  const late = await open(`${base}/dashboard#code=${body.code}`)
  await late.until(`document.querySelector('[role=alert]')`)
  assert.equal(await late.read('location.hash'), '')
  await late.close()

  const name = 'Star Duel <b>of the very long name</b> that nobody would give to a project, really'.slice(
    0,
    80,
  )
  const project = await service.newProject(local, name)
  const invited = { email: 'new@example.com', role: 'developer' }
  const { link } = (await local.call('POST', `/v1/x/projects/${project.id}/members`, invited)).body
  const page = await open(link)
  await page.until(`document.querySelector('h1')?.textContent.includes(${JSON.stringify(name)})`)
  await page.until(`document.querySelector('button[type=submit]').textContent === 'Create account'`)
  assert.match(await page.text(), /developer@localhost invites you as Developer/i)
  assert.equal(await page.read(`document.querySelector('input[name=email]').value`), 'new@example.com')
  assert.equal(await page.read('document.documentElement.scrollWidth <= innerWidth'), true)
  await page.type('input[name=password]', 'correct horse')
  await page.press('button[type=submit]')
  await page.until(
    `[...document.querySelectorAll('button')].some(({ textContent }) => textContent === 'Accept')`,
  )
})

test('a confirmation link shows its form once, and then that it has expired', async (t) => {
  const port = await freePort()
  const service = await startService('sqlite', { settings: { SVC_BASE_URL: `http://localhost:${port}` } })
  await service.http.listen({ port, host: 'localhost' })
  const browser = await startBrowser()
  t.after(async () => {
    await browser.close()
    await service.stop()
  })
  await service.call('POST', '/v1/developers/signup', { email: 'ada@example.com', password: 'correct horse' })
  await service.background.drained()
  const link =
    /http:\S+#token=[\w-]+/.exec((await service.mailsTo('ada@example.com'))[0]?.text ?? '')?.[0] ?? ''
  const open = async () => {
    const page = await browser.newPage()
    await page.open(link)
    await page.read(`new Promise((done) => {
      const look = () => (document.querySelector('form')?.hidden ? setTimeout(look, 10) : done(true))
      look()
    })`)
    return page
  }

  const first = await open()
  assert.match(await first.text(), /Confirm your email address/)
  await first.press('button')
  await first.read(`new Promise((done) => {
    const look = () => (document.querySelector('form').hidden ? done(true) : setTimeout(look, 10))
    look()
  })`)
  assert.match(await (await open()).text(), /This link has expired/)
})
