import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { type Browser, type Page, startBrowser } from '../../server/src/testing/browser.ts'
import { messagesFor } from '../src/ui/messages.ts'
import { CONFIG, startFixtures, type Fixtures } from './fixtures.ts'
import { startPageServer } from './page-server.ts'

const HTML = `<!doctype html><meta charset="utf-8"><title>Page</title>
<meta name="viewport" content="width=device-width"><button id="open">Account</button>
<script type="module">
  import { connect } from '/.svc/sdk.js'
  import { openSignIn } from '/.svc/sdk-ui.js'
  globalThis.ready = connect().then((svc) => {
    Object.assign(globalThis, { svc, results: [] })
    open.onclick = async () => results.push(await openSignIn(svc, { styled: true, language: globalThis.language }))
    document.querySelector('#open').onclick = open.onclick
    return true
  })
</script>`

let fixtures: Fixtures
let site: Awaited<ReturnType<typeof startPageServer>>
let browser: Browser
before(async () => {
  const providers = { google: { enabled: true }, discord: { enabled: true } }
  fixtures = await startFixtures({ ...CONFIG, auth: { providers } })
  await fixtures.developer('PUT', `${fixtures.development.path}/auth/providers/google`, {
    testProvider: true,
  })
  site = await startPageServer({ apiUrl: fixtures.baseUrl, key: fixtures.key }, HTML)
  browser = await startBrowser()
})
after(async () => {
  await browser.close()
  await site.stop()
  await fixtures.stop()
})

const until = (page: Page, expression: string) => page.until(expression)

async function openDialog(options: Parameters<Browser['newPage']>[0] = {}, language = 'en'): Promise<Page> {
  const page = await browser.newPage(options)
  await page.open(site.url)
  await page.read('ready')
  await page.read(`globalThis.language = '${language}'`)
  await page.press('#open')
  await until(page, `document.querySelector('dialog[open] .svc-title')`)
  return page
}

const key = (page: Page, name: string) => page.page.keyboard.press(name)
const said = (page: Page) => page.read(`document.querySelector('[role=alert]').textContent`)
const press = (page: Page, text: string) =>
  page.read(
    `[...document.querySelectorAll('dialog button')].find((b) => b.textContent === '${text}').click()`,
  )

test('the dialog has a name, labels, the providers that are on, and the focus', async () => {
  const page = await openDialog()
  const seen = await page.read(`({
    name: document.getElementById(document.querySelector('dialog').getAttribute('aria-labelledby')).textContent,
    labels: [...document.querySelectorAll('dialog label')].map((label) => [label.textContent, label.control.name]),
    providers: [...document.querySelectorAll('.svc-provider')].map((button) => button.textContent),
    isModal: document.querySelector('dialog').matches(':modal'),
    hasFocus: document.querySelector('dialog').contains(document.activeElement),
  })`)
  assert.deepEqual(seen, {
    name: 'Sign in',
    labels: [
      ['Email', 'email'],
      ['Password', 'password'],
    ],
    providers: ['Continue with Google', 'Continue with Discord'],
    isModal: true,
    hasFocus: true,
  })
  await page.close()
})

test('Escape closes the dialog without a sign-in, and restores the focus', async () => {
  const page = await openDialog()
  await key(page, 'Escape')
  await until(page, 'results.length')
  assert.deepEqual(await page.read('results'), [null])
  assert.equal(await page.read('document.activeElement.id'), 'open')
  assert.equal(await page.read(`document.querySelector('dialog')`), null)
  await page.close()
})

test('a guest creates an account and stays the same player; the news box has the text of the service and is unchecked', async () => {
  const page = await openDialog()
  const id = await page.read('svc.player.id')
  await press(page, 'No account yet? Create one')
  const box = await page.read(
    `(({ checked, name, type }) => ({ checked, name, type }))(document.querySelector('.svc-news input'))`,
  )
  assert.deepEqual(box, { checked: false, name: 'newsOptIn', type: 'checkbox' })
  await page.type('#svc-email', 'dialog@example.com')
  await page.type('#svc-password', 'correct horse')
  await press(page, 'Create an account')
  await until(page, `document.querySelector('.svc-title').textContent === 'Check your email'`)
  assert.match(
    String(await page.read(`document.querySelector('dialog [role=status]').textContent`)),
    /^We sent an email to dialog@example\.com\./,
  )
  assert.equal(await page.read('document.activeElement.className'), 'svc-submit')
  await press(page, 'Continue')
  await until(page, 'results.length')

  assert.deepEqual(await page.read('results.map((player) => player.id)'), [id])
  assert.deepEqual(await page.read('[svc.player.isGuest, svc.player.email]'), [false, 'dialog@example.com'])
  await page.close()
})

test('errors are announced, and the action can be repeated', async () => {
  const page = await openDialog()
  await page.type('#svc-email', 'dialog@example.com')
  await page.type('#svc-password', 'wrong horse')
  await page.read(`document.querySelector('.svc-submit').click()`)
  await until(page, `document.querySelector('[role=alert]').textContent`)
  assert.equal(await said(page), 'Email or password is wrong.')
  assert.equal(
    await page.read(`document.querySelector('[role=alert]').classList.contains('svc-error')`),
    true,
  )
  assert.equal(await page.read(`document.querySelector('.svc-submit').disabled`), false)

  await page.read(`document.querySelector('#svc-password').value = ''`)
  await page.type('#svc-password', 'correct horse')
  await page.read(`document.querySelector('.svc-submit').click()`)
  await until(page, 'results.length')
  assert.equal(await page.read('svc.player.email'), 'dialog@example.com')
  await page.close()
})

test('after an error the focus is on the button that was pressed', async () => {
  const page = await openDialog()
  await page.type('#svc-email', 'dialog@example.com')
  await page.type('#svc-password', 'wrong horse')
  await page.press('.svc-submit')
  await until(page, `document.querySelector('[role=alert]').textContent`)
  assert.equal(await page.read('document.activeElement.className'), 'svc-submit')
  await page.close()
})

test('a forgotten password: the same message for every address', async () => {
  const page = await openDialog()
  await press(page, 'Forgot your password?')
  await page.type('#svc-email', 'nobody@example.com')
  await press(page, 'Send me a link')
  await until(page, `document.querySelector('[role=alert]').textContent`)
  assert.match(String(await said(page)), /^If an account with this address exists/)
  await page.close()
})

test('a provider without credentials shows an error', async () => {
  const page = await openDialog()
  await page.press('.svc-discord')
  await until(page, `document.querySelector('[role=alert]').textContent`)
  assert.match(String(await said(page)), /went wrong/)
  await page.close()
})

/** Who presses Continue with Google, and there the name. */
async function continueAs(page: Page, name: string) {
  await page.press('.svc-google')
  const popup = await page.popup()
  await until(popup, `document.querySelector('button[value="${name}"]')`)
  await popup.press(`button[value="${name}"]`)
}

async function firstPlayer(name: string): Promise<unknown> {
  const page = await openDialog()
  const id = await page.read('svc.player.id')
  await continueAs(page, name)
  await until(page, 'results.length')
  assert.deepEqual(await page.read('[svc.player.id, svc.player.isGuest]'), [id, false])
  await page.close()
  return id
}

test('a guest who links stays the same player; a returning player needs one click', async () => {
  const id = await firstPlayer('Ada')
  for (const start of ['signIn', 'signUp']) {
    const page = await openDialog()
    if (start === 'signUp') await press(page, 'No account yet? Create one')
    await continueAs(page, 'Ada')
    await until(page, 'results.length')
    assert.deepEqual(await page.read('[svc.player.id, results[0].id]'), [id, id])
    await page.close()
  }
})

test('a guest with a save is asked before the switch, can stay a guest, and has the save again after signing out', async () => {
  const id = await firstPlayer('Kofi')
  const page = await openDialog()
  const guest = await page.read('svc.player.id')
  await page.read(`svc.saves.put('best', { score: 3 })`)
  await continueAs(page, 'Kofi')
  await until(page, `document.querySelector('.svc-title').textContent === 'Switch player?'`)
  assert.match(await page.text(), /already belongs to the player .*Your guest progress stays on this device/)
  assert.equal(await page.read('svc.player.id'), guest, 'nothing is left before the answer')

  await press(page, 'Stay as guest')
  await until(page, `document.querySelector('.svc-google')`)
  assert.equal(await page.read('svc.player.id'), guest)

  await continueAs(page, 'Kofi')
  await until(page, `document.querySelector('.svc-submit')?.textContent.startsWith('Switch to ')`)
  await page.press('.svc-submit')
  await until(page, 'results.length')
  assert.deepEqual(await page.read('[svc.player.id, results[0].id]'), [id, id])

  await page.read('svc.auth.signOut()')
  await page.open(site.url)
  await page.read('ready')
  assert.equal(await page.read('svc.player.id'), guest)
  assert.equal(await page.read(`svc.saves.get('best').then(({ data }) => data.score)`), 3)
  await page.close()
})

test('after a sign-in by redirect the dialog asks the same question', async () => {
  const id = await firstPlayer('Sam')
  const page = await openDialog()
  await page.read(`svc.saves.put('best', { score: 3 })`)
  await page.read('globalThis.open = () => null')
  await page.press('.svc-google')
  await until(page, `document.querySelector('[role=alert]').textContent`)
  await page.loading(() => page.press('.svc-google'))
  await page.loading(() => page.press('button[value="Sam"]'))
  await page.read('ready')
  assert.equal(await page.read('svc.auth.returned.code'), 'identity_already_linked')

  await page.press('#open')
  await until(page, `document.querySelector('.svc-submit')?.textContent.startsWith('Switch to ')`)
  await page.press('.svc-submit')
  await until(page, 'results.length')
  assert.equal(await page.read('svc.player.id'), id)
  await page.close()
})

test('if the browser blocks the window, the second press continues in this one', async () => {
  const page = await openDialog()
  await page.read('globalThis.open = () => null')
  await page.press('.svc-google')
  await until(page, `document.querySelector('[role=alert]').textContent`)
  assert.match(String(await said(page)), /Click again/)

  await page.loading(() => page.press('.svc-google'))
  await page.loading(() => page.press('button[value="Chiyo"]'))
  await page.read('ready')
  assert.equal(await page.read('svc.player.isGuest'), false)
  await page.close()
})

test('the dialog has six languages, and English for all others', () => {
  const titles = ['en', 'ja', 'de-AT', 'es', 'pt-BR', 'zh-Hant', 'fi', ''].map(
    (language) => messagesFor(language).signIn,
  )
  assert.deepEqual(titles, [
    'Sign in',
    'ログイン',
    'Anmelden',
    'Iniciar sesión',
    'Entrar',
    '登录',
    'Sign in',
    'Sign in',
  ])
})

test('the dialog fits a phone and a desktop, light and dark', async () => {
  for (const options of [
    { width: 320, height: 640 },
    { width: 1280, height: 800, dark: true },
  ]) {
    const page = await openDialog(options, 'de')
    await press(page, 'Noch kein Konto? Jetzt anlegen')
    const fits = await page.read(`(({ left, right, top, bottom }) =>
      left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight)(document.querySelector('dialog').getBoundingClientRect())`)
    assert.equal(fits, true)
    await page.close()
  }
})
