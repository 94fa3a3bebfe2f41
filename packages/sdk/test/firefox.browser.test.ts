import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { type Firefox, type FirefoxPage, startFirefox } from '../../server/src/testing/firefox.ts'
import { runs } from '../../server/src/testing/runs.ts'
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
    Object.assign(globalThis, { room, heard: [] })
    room.on('message', (type, data) => heard.push([type, data]))
    return room.code
  }
  globalThis.talk = async (channel) => {
    const joined = await svc.channels.join(channel)
    globalThis.call = await joined.voice.join()
    globalThis.levels = {}
    call.on('level', (id, level) => { levels[id] = level })
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

test('Firefox: a guest and its saves are kept when the page is loaded again', async () => {
  const page = await openPage()
  const id = await page.read('svc.player.id')
  await page.read(`svc.saves.put('slot', { gold: 3 })`)
  await page.open(site.url)
  await page.read('ready')
  assert.equal(await page.read('svc.player.id'), id)
  assert.deepEqual(await page.read(`svc.saves.get('slot').then(({ data }) => data)`), { gold: 3 })
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
    await one.read(`room.setState({ turn: 2 })`)
    await two.until('room.state.turn === 2')
    await two.read(`room.send('hello', 1)`)
    await one.until('heard.length === 1')
    assert.deepEqual(await one.read('heard'), [['hello', 1]])
    await one.close()
    await two.close()
  }
})

test('Firefox: the dashboard shows a project, without an error in the console', async () => {
  const { token, path } = fixtures.dashboard
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
  for (const name of ['overview', 'players', 'live', 'config']) {
    await page.open(`${fixtures.baseUrl}${path}/${name}`)
    await page.until(`document.querySelector('h1') && !document.querySelector('.skeleton, [aria-busy=true]')`)
  }
  assert.deepEqual(problems, [])
  await page.close()
})

test('[VOI-08] Firefox: players of a call through the relay server hear each other, with default preferences', async () => {
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
