import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import type { Page } from '../../server/src/testing/browser.ts'
import { startVoicePages, type VoicePages } from './voice-pages.ts'

/** A host name of this machine that is not `localhost`: no secure context. */
const INSECURE_HOST = 'insecure.example'
const FLAGS = [
  '--autoplay-policy=document-user-activation-required',
  `--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`,
]

let pages: VoicePages
let page: Page
before(async () => {
  pages = await startVoicePages({}, FLAGS)
  page = await pages.open()
})
after(() => pages.stop())

test('[VOI-05] a page that nobody has touched is told that its sound is blocked; a click plays it', async () => {
  await page.read(`join('@relay', 0.3)`)
  const untouched = await pages.browser.newPage()
  // Reading the page with the test driver would count as a gesture.
  await Promise.all([
    untouched.page.waitForEvent('console', (message) => message.text() === 'blocked'),
    untouched.open(`${pages.url}#@relay`),
  ])
  await untouched.press('button')
  await untouched.until('heardBy(0).length === 1')
  await untouched.close()
  await page.read('everybodyLeaves()')
})

test('[VOI-05] a member whose volume is 0, or who may not speak, is also silent where the browser ignores the volume', async () => {
  for (const loudness of [0.3, 0]) await page.read(`join('@mesh', ${loudness})`)
  await page.until('hears(1, 0) && sounds.length >= 2')
  const silence = 'sounds.filter(({ srcObject, muted }) => srcObject && muted).length'
  await page.read('players[1].call.setVolume(players[0].id, 0)')
  await page.until(`${silence} === 1`)
  await page.read('players[1].call.setVolume(players[0].id, 0.5)')
  await page.until(`${silence} === 0`)

  const { server } = pages.world.development
  const id = String(await page.read('players[0].id'))
  const mute = { op: 'mute', playerId: id }
  assert.equal((await server('POST', '/v1/realtime/channels/@mesh/moderate', mute)).status, 200)
  pages.passTime()
  await page.until(`${silence} === 1`)
  // A connection that is made again does not make a muted member audible.
  await page.read(`dispatchEvent(new Event('online'))`)
  await page.until(`players.every(({ events }) => events.at(-1)[0] === 'reconnected')`)
  await page.until(`sounds.filter(({ srcObject }) => srcObject).length === 2 && ${silence} === 1`)
  await server('POST', '/v1/realtime/channels/@mesh/moderate', { op: 'unmute', playerId: id })
  await page.read('everybodyLeaves()')
})

test('[VOI-05] a microphone that is unplugged is replaced by the default one, now or when there is one again', async () => {
  for (const loudness of [0.3, 0]) await page.read(`join('@relay', ${loudness})`)
  await page.until('hears(1, 0)')
  const unplug = `players[0].track.stop(); navigator.mediaDevices.dispatchEvent(new Event('devicechange'))`
  const warnings = `players[0].events.filter(([name]) => name === 'warn').map(([, code]) => code).join()`
  await page.read(`volume = 0.3; ${unplug}`)
  await page.until(`${warnings} === 'microphone_not_found'`)
  await page.until('hears(1, 0)')

  await page.read(
    `players[0].track = tracks.at(-1); globalThis.tonesOf = navigator.mediaDevices.getUserMedia`,
  )
  await page.read(
    `navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', 'NotFoundError') }`,
  )
  await page.read(unplug)
  await page.until('hears(1)')
  await page.until(`${warnings} === 'microphone_not_found,microphone_not_found'`)
  await page.read(
    `navigator.mediaDevices.getUserMedia = tonesOf; navigator.mediaDevices.dispatchEvent(new Event('devicechange'))`,
  )
  await page.until('hears(1, 0)')
  await page.read('everybodyLeaves()')
})

test('[VOI-05] a device that is gone is replaced at joining, with a warning', async () => {
  await page.read('navigator.mediaDevices.getUserMedia = realMicrophone')
  await page.read(`join('@relay', 0, { deviceId: 'gone' })`)
  await page.until(
    `players[0].events.some(([name, code]) => name === 'warn' && code === 'microphone_not_found')`,
  )
  const devices = (await page.read(
    `players[0].call.devices().then(({ microphones }) => microphones.map(({ deviceId }) => deviceId))`,
  )) as string[]
  assert.ok(devices.length > 0)
  await page.read(`players[0].call.setMicrophone(${JSON.stringify(devices.at(-1))})`)
  await page.read('useTones(); everybodyLeaves()')
})

test('[VOI-05] a page that is no secure context is told so; it can listen', async () => {
  const insecure = await pages.browser.newPage()
  const url = new URL(pages.url)
  url.hostname = INSECURE_HOST
  await insecure.open(url.href)
  await insecure.until('globalThis.ready')
  await insecure.press('button')
  assert.deepEqual(await insecure.read(`failure('@relay')`), [true, 'insecure_context'])
  await page.read(`join('@relay', 0.3)`)
  await insecure.read(`join('@relay', 0, { microphone: false })`)
  await insecure.until(`heardBy(0).length === 1`)
  assert.equal(
    await insecure.read(`players[0].call.devices().then(() => '', ({ code }) => code)`),
    'insecure_context',
  )
  await insecure.close()
  await page.read('everybodyLeaves()')
})
