import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { type Browser, type Page, startBrowser } from '../../server/src/testing/browser.ts'
import { startFixtures, type Fixtures } from './fixtures.ts'
import { startPageServer } from './page-server.ts'

/** Many players in one page: each is a client of its own. The microphone is a tone whose loudness the test knows. */
const HTML = `<!doctype html><meta charset="utf-8"><title>Page</title><button>Go</button>
<script type="module">
  import { connect, isSvcError } from '/.svc/sdk.js'
  const context = new AudioContext()
  let volume = 0
  globalThis.tones = []
  globalThis.realMicrophone = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
  globalThis.useTones = () => navigator.mediaDevices.getUserMedia = async () => {
    await context.resume()
    const [tone, gain, out] = [context.createOscillator(), context.createGain(), context.createMediaStreamDestination()]
    gain.gain.value = volume
    tone.connect(gain).connect(out)
    tone.start()
    tones.push(gain.gain)
    return out.stream
  }
  useTones()
  const candidates = globalThis.candidates = []
  const Real = RTCPeerConnection
  globalThis.connections = []
  globalThis.RTCPeerConnection = class extends Real {
    constructor(configuration) {
      super(configuration)
      connections.push(this)
      this.addEventListener('icecandidate', ({ candidate }) => candidate && candidates.push(candidate.candidate))
    }
  }
  const memory = () => { const map = new Map(); return { getItem: (k) => map.get(k) ?? null, setItem: (k, v) => void map.set(k, v), removeItem: (k) => void map.delete(k) } }
  globalThis.players = []
  /** A new player in the call; loudness 0 is silence. */
  globalThis.join = async (channel, loudness, options) => {
    const svc = await connect({ storage: memory() })
    await svc.auth.guest()
    const joined = await svc.channels.join(channel)
    volume = loudness
    const call = await joined.voice.join(options)
    const player = { svc, call, id: svc.player.id, channel: joined, levels: {}, events: [], tone: tones.at(-1) }
    players.push(player)
    call.on('level', (id, level) => { player.levels[id] = level })
    for (const name of ['reconnecting', 'reconnected', 'closed', 'playback_blocked', 'warn', 'muted'])
      call.on(name, (...args) => player.events.push([name, ...args.map((arg) => arg?.code ?? arg)]))
    return player.id
  }
  globalThis.failure = (channel, options) => join(channel, 0, options).then(() => 'joined', (error) => [isSvcError(error), error.code])
  /** Whom this player hears. */
  globalThis.heardBy = (at) => Object.entries(players[at].levels).filter(([, level]) => level > 0.02).map(([id]) => id).sort()
  globalThis.idsOf = (...at) => at.map((one) => players[one].id).sort()
  globalThis.hears = (at, ...others) => String(heardBy(at)) === String(idsOf(...others))
  globalThis.everybodyLeaves = async () => { for (const { call, svc } of players.splice(0)) { await call.leave(); svc.close() } connections.length = 0; tones.length = 0 }
  globalThis.ready = true
</script>`

/** The relay server is on a loopback address here. */
const FLAGS = [
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--allow-loopback-in-peer-connection',
]

let world: Fixtures
let site: Awaited<ReturnType<typeof startPageServer>>
let browser: Browser
let page: Page
before(async () => {
  const settings = { VOICE_PORT: '0', TURN_PORT: '0' }
  world = await startFixtures({ features: { realtimeChannels: true, voice: true } }, settings)
  site = await startPageServer({ apiUrl: world.baseUrl, key: world.key }, HTML)
  browser = await startBrowser({
    flags: FLAGS,
  })
  for (const [name, maxMembers] of [
    ['@mesh', 8],
    ['@relay', 9],
  ] as const)
    await world.development.server('PUT', `/v1/realtime/channels/${name}`, { voice: true, maxMembers })
  page = await openPage()
})
after(async () => {
  await browser.close()
  await site.stop()
  await world.stop()
})

async function openPage(): Promise<Page> {
  const opened = await browser.newPage()
  await opened.open(site.url)
  await opened.until('globalThis.ready')
  await opened.press('button')
  return opened
}
/** The clock of the service stands still: events that it delays come with this. */
const passTime = () => world.service.clock.advance(300)
const moderate = (channel: string, moderation: object) =>
  world.development.server('POST', `/v1/realtime/channels/${channel}/moderate`, moderation)

test('[VOI-01] [VOI-09] three players of a peer-to-peer call hear each other through TURN only; mute stops it', async () => {
  for (const loudness of [0.3, 0.3, 0]) await page.read(`join('@mesh', ${loudness})`)
  passTime()
  await page.until('hears(0, 1) && hears(1, 0) && hears(2, 0, 1)')
  const candidates = (await page.read('candidates')) as string[]
  assert.ok(candidates.length > 0)
  for (const candidate of candidates) assert.match(candidate, / typ relay /)

  const level = Number(await page.read('players[2].levels[players[0].id]'))
  assert.ok(Math.abs(level - 0.3) < 0.05, `level ${level}`)
  await page.read('players[0].call.mute()')
  await page.until('hears(2, 1)')
  await page.read('players[0].call.unmute()')
  await page.until('hears(2, 0, 1)')
  await page.read('players[1].call.leave()')
  passTime()
  await page.until('hears(2, 0) && players[2].call.members.length === 2')
  assert.deepEqual(await page.read(`players[1].events.at(-1)`), ['closed', 'left'])
  await page.read('everybodyLeaves()')
})

test('[VOI-08] nine players of a relay-server call hear exactly the speakers; a change of speakers negotiates nothing', async () => {
  for (const loudness of [0.3, 0.3, 0, 0, 0, 0, 0, 0, 0]) await page.read(`join('@relay', ${loudness})`)
  passTime()
  await page.until('hears(8, 0, 1) && hears(0, 1) && hears(1, 0)')
  const level = Number(await page.read('players[8].levels[players[0].id]'))
  assert.ok(Math.abs(level - 0.3) < 0.05, `level ${level}`)
  assert.equal(await page.read('players[8].call.members.filter(({ isSpeaking }) => isSpeaking).length'), 2)
  assert.equal(await page.read('connections.length'), 9)

  const descriptions = 'connections.map(({ remoteDescription }) => remoteDescription.sdp).join()'
  const before = await page.read(descriptions)
  await page.read('players[0].tone.value = 0; players[5].tone.value = 0.3')
  await page.until('hears(8, 1, 5)')
  assert.equal(await page.read(descriptions), before)

  // The service cuts the sound, whatever the client does.
  await moderate('@relay', { op: 'mute', playerId: await page.read('players[1].id') })
  await page.until('hears(8, 5)')
  assert.deepEqual(await page.read('players[1].events.at(-1)'), ['muted', true, 'channel'])
  await moderate('@relay', { op: 'unmute', playerId: await page.read('players[1].id') })
  await page.until('hears(8, 1, 5)')
})

test('[VOI-10] after the loss of the relay server everybody is back by itself, with volume and mute as before', async () => {
  await page.read('players[1].call.mute(); players[8].call.setVolume(players[5].id, 0.4)')
  process.kill(world.service.sfu.pid ?? 0, 'SIGKILL')
  await page.until(`players.every(({ events }) => events.some(([name]) => name === 'reconnected'))`)
  passTime()
  await page.until('hears(8, 5)')
  const [muted, volume] = (await page.read(
    '[players[1].call.isMuted, players[8].call.members.find(({ id }) => id === players[5].id).volume]',
  )) as [boolean, number]
  assert.deepEqual([muted, volume], [true, 0.4])
  await page.read('everybodyLeaves()')
})

test('[VOI-05] who only listens is not asked for a microphone; errors say what is wrong', async () => {
  await page.read(
    `navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', 'NotAllowedError') }`,
  )
  assert.deepEqual(await page.read(`failure('@relay')`), [true, 'microphone_denied'])
  for (const [name, code] of [
    ['NotFoundError', 'microphone_not_found'],
    ['NotReadableError', 'microphone_busy'],
  ]) {
    await page.read(
      `navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', '${name}') }`,
    )
    assert.deepEqual(await page.read(`failure('@relay')`), [true, code])
  }
  await page.read(`join('@relay', 0, { microphone: false })`)
  await page.read(`navigator.mediaDevices.getUserMedia = realMicrophone`)
  await page.read(`join('@relay', 0)`)
  passTime()
  await page.until('players[0].call.members.length === 2')
  await page.read(`players[1].call.devices().then(({ microphones }) => microphones.length)`)
  await page.read('useTones(); everybodyLeaves()')
})
