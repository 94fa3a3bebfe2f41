import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, afterEach, before, test } from 'node:test'

import { type Browser, type Page, startBrowser } from '../../server/src/testing/browser.ts'
import { type TestSetup, startTestSetup } from './cli.ts'
import { startSocksProxy } from './socks-proxy.ts'

/** A microphone that beeps; the relay server for voice is on a loopback address. */
const WITH_MICROPHONE = [
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--allow-loopback-in-peer-connection',
]

/** The example as a newcomer gets it: made and deployed by the real program, used in real browsers. */
let setup: TestSetup
let browser: Browser
let folder: string
let address: string
before(async () => {
  setup = await startTestSetup()
  browser = await startBrowser({ flags: WITH_MICROPHONE })
  await setup.json(['new', 'lobby', '--template', 'lobby', '--no-install'])
  folder = join(setup.root, 'lobby')
  const { url } = await setup.json(['deploy', 'public'], { folder })
  address = url
})
after(async () => {
  await browser.close()
  await setup.stop()
})

/** However a test ends, its visitors leave: the next one counts who is here. */
const visitors: Page[] = []
afterEach(async () => {
  for (const page of visitors.splice(0)) await page.close().catch(() => {})
})

type Look = Parameters<Browser['newPage']>[0]

const until = (page: Page, condition: string) => page.until(condition)

const untilText = (page: Page, selector: string, wanted: string) =>
  until(page, `document.querySelector('${selector}').textContent.includes(${JSON.stringify(wanted)})`)

async function visit(name: string, look: Look = {}) {
  const page = await browser.newPage(look)
  visitors.push(page)
  await page.open(address)
  await until(page, `!document.getElementById('enter').disabled`)
  await page.read(`document.getElementById('name').value = ''`)
  await page.type('#name', name)
  await page.press('#enter')
  await until(page, `!document.getElementById('lobby').hidden`)
  return page
}

async function say(page: Page, words: string) {
  await page.type('#text', words)
  await page.press('#send')
}

const messages = (page: Page) =>
  page.read(`[...document.querySelectorAll('#talk .says')].map((line) => [
    line.querySelector('strong').textContent, line.querySelector('p').textContent])`)

/** What a developer types; `.env` of the folder holds the key. */
async function announce(words: string) {
  const child = spawn(process.execPath, ['--env-file=.env', 'announce.js', words], { cwd: folder, env: {} })
  const [[code], out, err] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)])
  assert.equal(code, 0, err)
  return out.trim()
}

test('all visitors see the members and the messages in the same order', async () => {
  const ada = await visit('Ada')
  await untilText(ada, '#count', 'You are the only one here')
  const bo = await visit('Bo', { width: 1_200, height: 800, dark: true })
  await untilText(ada, '#talk', 'Bo is here')
  await untilText(ada, '#count', '2 people here')
  await untilText(bo, '#members', 'Ada')

  await say(ada, 'hello')
  await untilText(bo, '#talk', 'hello')
  await say(bo, '<b onclick="x">bold</b>')
  // Everybody is told, the one who said it too; nobody knows who of them first.
  for (const page of [ada, bo]) await untilText(page, '#talk', 'bold')
  assert.deepEqual(await messages(ada), [
    ['You', 'hello'],
    ['Bo', '<b onclick="x">bold</b>'],
  ])
  assert.deepEqual(await messages(bo), [
    ['Ada', 'hello'],
    ['You', '<b onclick="x">bold</b>'],
  ])

  await bo.close()
  await untilText(ada, '#talk', 'Bo has left')
  await untilText(ada, '#count', 'You are the only one here')
})

test('[CHN-21] the server sends to everyone in the lobby, and players cannot imitate it', async () => {
  assert.equal(await announce('Nobody hears this'), 'Delivered to 0 visitors')
  const [ada, bo] = [await visit('Ada'), await visit('Bo')]
  const cheat = await browser.newPage()
  visitors.push(cheat)
  await cheat.open(address)
  await cheat.read(`import('/.svc/sdk.js').then(({ connect }) => connect()).then(async (svc) => {
    const lobby = await svc.channels.join('lobby')
    const heard = new Promise((resolve) => lobby.on('message', resolve))
    lobby.send('announcement', { text: 'Free stars' })
    await heard
  })`)
  assert.equal(await announce('The finals begin at eight'), 'Delivered to 3 visitors')

  for (const page of [ada, bo]) {
    await untilText(page, '#news', 'The finals begin at eight')
    assert.equal((await page.text()).includes('Free stars'), false)
  }
})

test('the console of a first visitor shows no error', async () => {
  const page = await browser.newPage()
  visitors.push(page)
  const problems = page.problems()
  await page.open(address)
  await until(page, `!document.getElementById('enter').disabled`)
  await page.press('#enter')
  await until(page, `!document.getElementById('lobby').hidden`)
  await say(page, 'hello')
  await untilText(page, '#talk', 'hello')
  assert.deepEqual(problems, [])
})

test('messages typed while offline are sent once the network is back', async (t) => {
  const proxy = await startSocksProxy()
  t.after(proxy.stop)
  const [ada, bo] = [await visit('Ada', { proxy: proxy.proxy }), await visit('Bo')]
  proxy.disconnect()
  await untilText(ada, '#state', 'Connection lost')
  await untilText(bo, '#talk', 'Ada has left')
  await say(ada, 'still here')
  proxy.reconnect()

  await untilText(bo, '#talk', 'still here')
  await until(ada, `document.getElementById('state').textContent === ''`)
  await untilText(ada, '#count', '2 people here')
})

test('the page can be used with the keyboard alone, and its parts have labels', async () => {
  const page = await browser.newPage()
  await page.open(address)
  await until(page, `!document.getElementById('enter').disabled`)
  assert.equal(await page.read('document.activeElement.id'), 'name')
  await page.type('#name', 'Keys')
  await page.page.keyboard.press('Enter')
  await until(page, `!document.getElementById('lobby').hidden`)
  assert.equal(await page.read('document.activeElement.id'), 'text')
  await page.page.keyboard.insertText('by hand')
  await page.page.keyboard.press('Enter')
  await untilText(page, '#talk', 'by hand')

  const has = (role: 'log' | 'textbox' | 'button' | 'heading', name: string) =>
    page.page.getByRole(role, { name, exact: true }).waitFor()
  await has('log', 'Messages')
  await has('textbox', 'Message')
  await has('button', 'Send')
  await has('heading', 'Lobby')
  await page.close()
})

test('[VOI-01] visitors talk: the name of a speaker gets a ring, mute and leaving remove it', async () => {
  const ada = await visit('Ada')
  const bo = await visit('Bo', { width: 1_200, height: 800 })
  await ada.press('#voice-talk')
  await untilText(ada, '#voice-talk', 'Leave call')
  await bo.press('#voice-talk')
  await until(bo, `document.querySelectorAll('#members .in-call').length === 2`)
  await until(
    bo,
    `[...document.querySelectorAll('#members .talking')].some((line) => line.textContent === 'Ada')`,
  )

  await untilText(ada, '#voice-now', 'talking')
  // The slider stays while others speak.
  const slider = `document.querySelector('#members input:not([hidden])')`
  await bo.read(`globalThis.slider = ${slider}; slider.value = 0.5; void slider.oninput()`)
  await ada.press('#voice-mute')
  await untilText(ada, '#voice-mute', 'Unmute')
  await until(
    bo,
    `![...document.querySelectorAll('#members .talking')].some((line) => line.textContent === 'Ada')`,
  )
  assert.equal(await bo.read(`slider === ${slider} && slider.value === '0.5'`), true)
  await ada.press('#voice-talk')
  await until(bo, `document.querySelectorAll('#members .in-call').length === 1`)
})

test('[VOI-10] a visitor is told that the call is being restored', async () => {
  const ada = await visit('Ada')
  await ada.press('#voice-talk')
  await untilText(ada, '#voice-talk', 'Leave call')
  await ada.read(`globalThis.said = []
    const line = document.getElementById('voice-now')
    new MutationObserver(() => said.push(line.textContent)).observe(line, { childList: true })
    void dispatchEvent(new Event('online'))`)
  await until(ada, `said.some((text) => text.includes('reconnecting'))`)
  await ada.press('#voice-mute')
  await untilText(ada, '#voice-now', '1 in the call')
})

test('[BAN-08] a banned visitor reads why instead of the form', async () => {
  const mallory = await visit('Mallory')
  const { players } = await setup.json(['players', 'find', 'Mallory'], { folder })
  await setup.json(['players', 'ban', players[0].id, '--reason', 'Insults'], { folder })
  await untilText(mallory, '#join-status', 'You are banned. Reason: Insults')
  assert.equal(await mallory.read(`document.getElementById('lobby').hidden`), true)
  assert.equal(await mallory.read(`document.getElementById('enter').disabled`), true)
})
