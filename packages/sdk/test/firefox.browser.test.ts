import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { type Firefox, type FirefoxPage, startFirefox } from '../../server/src/testing/firefox.ts'
import { readPng } from '../../server/src/testing/png.ts'
import { runs, skipsTurn } from '../../server/src/testing/runs.ts'
import { startEmbeddedGame } from './embedded-game.ts'
import { CONFIG, FEATURES, type Fixtures, startFixtures } from './fixtures.ts'
import { startPageServer } from './page-server.ts'

const HTML = `<!doctype html><meta charset="utf-8"><title>Game</title>
<script type="module">
  import { connect } from '/.svc/sdk.js'
  globalThis.ready = connect().then(async (svc) => {
    if (!svc.player) await svc.auth.guest()
    globalThis.svc = svc
    return true
  })
  globalThis.play = async (room) => {
    Object.assign(globalThis, { room, heard: [], losses: 0 })
    room.on('reconnecting', () => losses++)
    room.on('message', (type, data) => heard.push([type, data]))
    return room.code
  }
  globalThis.meet = async (room) => {
    await play(room)
    globalThis.mesh = await svc.p2p.open(room)
    mesh.on('message', (type, data) => heard.push([type, data]))
    return room.code
  }
  globalThis.talk = async (channel) => {
    const joined = await svc.channels.join(channel)
    globalThis.call = await joined.voice.join()
    globalThis.levels = {}
    globalThis.speakers = new Set()
    call.on('level', (id, level) => { levels[id] = level })
    call.on('speaking', (id, isSpeaking) => void speakers[isSpeaking ? 'add' : 'delete'](id))
    return svc.player.id
  }
</script>`

let fixtures: Fixtures
let site: Awaited<ReturnType<typeof startPageServer>>
let firefox: Firefox
before(async () => {
  fixtures = await startFixtures(
    { ...CONFIG, features: { ...FEATURES, voice: true } },
    { VOICE_PORT: '0', TURN_PORT: '0' },
  )
  site = await startPageServer({ apiUrl: fixtures.baseUrl, key: fixtures.key }, HTML)
  firefox = await startFirefox()
})
after(async () => {
  await firefox.close()
  await site.stop()
  await fixtures.stop()
})

async function openPage(): Promise<FirefoxPage> {
  const page = await firefox.newPage()
  await page.open(site.url)
  await page.read('ready')
  return page
}

test('[AUT-25] Firefox: a guest and its saves are kept when the page is loaded again, also after localStorage.clear()', async () => {
  const page = await openPage()
  const id = await page.read('svc.player.id')
  await page.read(`svc.saves.put('slot', { gold: 3 })`)
  await page.open(site.url)
  await page.read('ready')
  assert.equal(await page.read('svc.player.id'), id)
  assert.deepEqual(await page.read(`svc.saves.get('slot').then(({ data }) => data)`), { gold: 3 })
  await page.read('localStorage.clear()')
  await page.open(site.url)
  await page.read('ready')
  assert.equal(await page.read('svc.player.id'), id)
  await page.close()
})

test('[PLY-07] Firefox: a guest in a frame of another site is the same player in the next visit', async (t) => {
  const embedded = await startEmbeddedGame()
  t.after(() => embedded.stop())
  const page = await firefox.newPage()
  await page.open(embedded.portal)
  const [id] = (await page.read('told')) as [string]
  await page.open(embedded.portal)
  assert.deepEqual(await page.read('told'), [id, { gold: 3 }])
  await page.close()
})

test('Firefox: players of a room get its state and messages, also after a lost connection', async () => {
  for (let rounds = 0; rounds < runs(1, 20); rounds++) {
    const [one, two] = [await openPage(), await openPage()]
    const code = await one.read(`svc.rooms.create({ mode: 'party' }).then(play)`)
    await two.read(`svc.rooms.join({ code: '${String(code)}' }).then(play)`)
    await one.read(`room.setState({ turn: 1 })`)
    await two.until('room.state.turn === 1')
    fixtures.destroyConnections()
    // What is sent before the browser has noticed the loss is lost with the connection.
    await one.until('losses === 1')
    await one.read(`room.setState({ turn: 2 })`)
    await two.until('room.state.turn === 2')
    await two.read(`room.send('hello', 1)`)
    await one.until('heard.length === 1')
    assert.deepEqual(await one.read('heard'), [['hello', 1]])
    await one.close()
    await two.close()
  }
})

test('[P2P-03] Firefox: players of a peer-to-peer room reach each other through the relay, with default preferences', async () => {
  for (let rounds = 0; rounds < runs(1, 10); rounds++) {
    const [one, two] = [await openPage(), await openPage()]
    const code = await one.read(`svc.rooms.create({ mode: 'mesh' }).then(meet)`)
    await two.read(`svc.rooms.join({ code: '${String(code)}' }).then(meet)`)
    for (const page of [one, two]) await page.until('mesh.players.length === 1')
    await two.read(`mesh.send('hello', 'x'.repeat(60_000))`)
    await one.until('heard.length === 1')
    await one.read(`mesh.send('hello', 1, { fast: true })`)
    await two.until('heard.length === 1')
    await one.close()
    await two.close()
  }
})

/** The part of today's bar that has the darker of its two colours, along its middle: half of it, because the bar is hatched. */
async function stripesOfToday(page: FirefoxPage): Promise<number> {
  const bar = `document.querySelector('.bar.is-open')`
  await page.until(`${bar}?.getBoundingClientRect().height > 40`)
  await page.read(`void ${bar}.scrollIntoView({ block: 'center', behavior: 'instant' })`)
  const [x = 0, top = 0, bottom = 0] = (await page.read(
    `(({ x, width, top, bottom }) => [x + width / 2, top, bottom].map(Math.round))(${bar}.getBoundingClientRect())`,
  )) as number[]
  const { width, channels, pixels } = readPng(await page.screenshot())
  const column = Array.from({ length: bottom - top - 12 }, (_, at) => {
    const start = ((top + 6 + at) * width + x) * channels
    return (pixels[start] ?? 0) + (pixels[start + 1] ?? 0) + (pixels[start + 2] ?? 0)
  })
  const middle = (Math.min(...column) + Math.max(...column)) / 2
  return column.filter((light) => light < middle).length / column.length
}

test('Firefox: the dashboard shows a project, without an error in the console', async () => {
  const { token, path } = fixtures.dashboard
  await fixtures.development.public('POST', '/v1/auth/guest', {})
  const page = await firefox.newPage({
    width: 1440,
    height: 900,
    // Empty documents have no storage.
    script: `if (location.protocol === 'http:') {
      localStorage.setItem('svc.developer', '${token}')
      localStorage.setItem('svc.developer.since', String(Date.now()))
    }`,
  })
  const problems = page.problems()
  for (const name of ['players', 'live', 'config', 'overview']) {
    await page.open(`${fixtures.baseUrl}${path}/${name}`)
    await page.until(`document.querySelector('h1') && !document.querySelector('.skeleton, [aria-busy=true]')`)
  }
  assert.deepEqual(problems, [])
  const stripes = await stripesOfToday(page)
  assert.ok(stripes > 0.35 && stripes < 0.65, `${stripes}`)
  await page.close()
})

test('[VOI-08] Firefox: players of a peer-to-peer call hear each other and see their own level, with default preferences', async (t) => {
  if (skipsTurn(t, 0)) return
  const call = { voice: true, maxMembers: 4 }
  assert.equal((await fixtures.development.server('PUT', '/v1/realtime/channels/@mesh', call)).status, 200)
  for (let rounds = 0; rounds < runs(1, 10); rounds++) {
    const pages = [await openPage(), await openPage()]
    const ids: unknown[] = []
    for (const page of pages) ids.push(await page.read(`talk('@mesh')`))
    for (const page of pages)
      for (const id of ids)
        await page.until(`levels['${String(id)}'] > 0.02 && speakers.has('${String(id)}')`)
    await pages[0]?.read('void call.mute()')
    for (const page of pages)
      await page.until(`levels['${String(ids[0])}'] === 0 && !speakers.has('${String(ids[0])}')`)
    for (const page of pages) await page.close()
  }
})

test('[VOI-08] Firefox: players of a call through the relay server hear each other, with default preferences', async (t) => {
  if (skipsTurn(t, 1)) return
  const call = { voice: true, maxMembers: 9 }
  assert.equal((await fixtures.development.server('PUT', '/v1/realtime/channels/@relay', call)).status, 200)
  for (let rounds = 0; rounds < runs(1, 10); rounds++) {
    const [one, two] = [await openPage(), await openPage()]
    const ids = [await one.read(`talk('@relay')`), await two.read(`talk('@relay')`)]
    fixtures.service.clock.advance(300)
    await one.until(`levels['${String(ids[1])}'] > 0.02`)
    await two.until(`levels['${String(ids[0])}'] > 0.02`)
    await one.read('void call.mute()')
    await two.until(`levels['${String(ids[0])}'] === 0`)
    await one.close()
    await two.close()
  }
})
