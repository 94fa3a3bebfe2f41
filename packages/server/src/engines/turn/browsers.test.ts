import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { startCoturn } from '../../../../../scripts/services.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Turn } from '../../platform/ports/turn.ts'
import { systemRandom } from '../../platform/random.ts'
import { type Browser, type Page, startBrowser } from '../../testing/browser.ts'
import { openTurn } from './open.ts'
import type { TurnSettings } from './turn.ts'

/** The shortest page of a peer-to-peer game. */
const PAGE = `
  function queue() {
    const items = [], waiting = []
    return {
      push: (item) => (waiting.shift() ?? ((one) => items.push(one)))(item),
      next: () => items.length ? items.shift() : new Promise((resolve) => waiting.push(resolve)),
    }
  }
  function enter(config) {
    window.peer = new RTCPeerConnection(config)
    window.channel = peer.createDataChannel('game', { negotiated: true, id: 0 })
    window.inbox = queue()
    window.candidates = []
    window.gathered = new Promise((resolve) => {
      peer.onicecandidate = ({ candidate }) => candidate ? candidates.push(candidate.candidate) : resolve()
    })
    window.opened = new Promise((resolve) => { channel.onopen = resolve })
    channel.onmessage = ({ data }) => inbox.push(data)
  }
  /** Contains all candidates, so nothing else must be signalled. */
  async function describeSelf() {
    await peer.setLocalDescription()
    await gathered
    return { description: peer.localDescription.toJSON(), candidates }
  }
  /** The side that does not choose the pair of candidates may use it before it is told that it is the chosen one. */
  async function ways() {
    const stats = [...(await peer.getStats()).values()]
    const pair = stats.find(({ type, state, nominated }) => type === 'candidate-pair' && nominated && state === 'succeeded')
    if (!pair) return new Promise((resolve) => setTimeout(resolve, 20)).then(ways)
    const of = (id) => stats.find((one) => one.id === id)
    return [of(pair.localCandidateId).candidateType, of(pair.localCandidateId).relayProtocol, of(pair.remoteCandidateId).candidateType]
  }`

const ROOM = { environmentId: 'env_1', roomId: 'room_1', localAddress: '127.0.0.1' }
const TEXTS = Array.from({ length: 20 }, (_, index) => `message ${index}`)

type Signal = { description: { sdp: string }; candidates: string[] }

describe('two Chromium pages that may see each other through TURN only', () => {
  const secret = 'shared with coturn'
  let browser: Browser
  let coturn: Awaited<ReturnType<typeof startCoturn>>
  before(async () => {
    browser = await startBrowser()
    coturn = await startCoturn({ secret })
  })
  after(async () => {
    await browser.close()
    await coturn.stop()
  })

  const embedded = { provider: 'embedded', host: '127.0.0.1', port: 0, publicIp: undefined } as const
  const ways: [string, () => TurnSettings, 'udp' | 'tcp', RegExp][] = [
    ['the embedded relay', () => embedded, 'udp', /^24[0-7]\.\d+\.\d+\.\d+$/],
    ['the embedded relay over TCP', () => embedded, 'tcp', /^24[0-7]\.\d+\.\d+\.\d+$/],
    [
      'coturn',
      () => ({ provider: 'coturn', urls: [`${coturn.url}?transport=udp`], secret }),
      'udp',
      /^127\.0\.0\.1$/,
    ],
  ]
  for (const [name, settings, transport, relayIp] of ways) {
    test(`[P2P-03] exchange messages through ${name}, and no signal has an address of theirs`, async (t) => {
      const log = () => {}
      const options = { clock: systemClock, random: systemRandom, log, secret: Buffer.alloc(32, 1) }
      const turn = await openTurn(settings(), options)
      t.after(() => turn.close())
      const [ada, bob] = [await enter(turn, 'ply_ada', transport), await enter(turn, 'ply_bob', transport)]
      t.after(() => Promise.all([ada.close(), bob.close()]))

      const offer = (await ada.read('describeSelf()')) as Signal
      const answer = (await bob.read(
        `peer.setRemoteDescription(${JSON.stringify(offer.description)}).then(describeSelf)`,
      )) as Signal
      await ada.read(`peer.setRemoteDescription(${JSON.stringify(answer.description)})`)
      await Promise.all([ada.read('opened.then(() => 1)'), bob.read('opened.then(() => 1)')])

      for (const [from, to] of [
        [ada, bob],
        [bob, ada],
      ] as const) {
        await from.read(`${JSON.stringify(TEXTS)}.forEach((text) => channel.send(text))`)
        const arrived: unknown[] = []
        while (arrived.length < TEXTS.length) arrived.push(await to.read('inbox.next()'))
        assert.deepEqual(arrived, TEXTS)
      }
      for (const page of [ada, bob])
        assert.deepEqual(await page.read('ways()'), ['relay', transport, 'relay'])
      for (const signal of [offer, answer]) assertRelayOnly(signal, relayIp)
    })
  }

  async function enter(turn: Turn, playerId: string, transport: string): Promise<Page> {
    const { iceServers = [] } = (await turn.iceServers({ ...ROOM, playerId })) ?? {}
    for (const server of iceServers) server.urls = server.urls.filter((url) => url.endsWith(transport))
    const page = await browser.newPage()
    await page.read(PAGE)
    await page.read(`enter(${JSON.stringify({ iceServers, iceTransportPolicy: 'relay' })})`)
    return page
  }
})

function assertRelayOnly({ description, candidates }: Signal, relayIp: RegExp) {
  const inDescription = description.sdp.split('\r\n').filter((line) => line.startsWith('a=candidate'))
  assert.ok(inDescription.length > 0 && candidates.length > 0)
  for (const candidate of [...inDescription, ...candidates]) assert.match(candidate, / typ relay /)

  // Its origin (o=) contains 127.0.0.1 in every browser; all other addresses must be those of the relay or unspecified.
  const text = [description.sdp.replace(/^o=.*$/m, ''), ...candidates].join('\n')
  const addresses = text.match(/\b\d+\.\d+\.\d+\.\d+\b|[\da-f]*::[\da-f:]*|\S+\.local\b/gi) ?? []
  assert.ok(addresses.length > 0)
  for (const address of addresses) if (address !== '0.0.0.0') assert.match(address, relayIp)
}
