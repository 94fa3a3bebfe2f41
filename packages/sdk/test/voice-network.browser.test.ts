import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { startCoturn } from '../../../scripts/services.ts'
import type { Page } from '../../server/src/testing/browser.ts'
import { makeCertificate } from '../../server/src/testing/certificate.ts'
import { comesTrue } from '../../server/src/testing/in-time.ts'
import { startLossyProxy } from '../../server/src/testing/lossy-proxy.ts'
import { inTurn, runs, skipsTurn } from '../../server/src/testing/runs.ts'
import { startVoicePages, type VoicePages } from './voice-pages.ts'

const SECRET = 'shared with coturn'

let folder: string
let coturn: Awaited<ReturnType<typeof startCoturn>>
let pages: VoicePages
let page: Page
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-voice-network-'))
  const tls = makeCertificate(folder)
  coturn = await startCoturn({ secret: SECRET, tls })
  const plain = ['udp', 'tcp'].map((transport) => `${coturn.url}?transport=${transport}`)
  const urls = [...plain, `${coturn.url.replace('turn:', 'turns:')}?transport=tcp`].join()
  pages = await startVoicePages({ TURN_URLS: urls, TURN_SECRET: SECRET }, [tls.chromiumFlag])
  // coturn checks credentials by the time of the machine.
  const { clock } = pages.world.service
  clock.advance(Date.now() - clock.now().getTime())
  page = await pages.open()
})
after(async () => {
  await pages.stop()
  await coturn.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Two players on a network like this hear each other; returns how the last one is connected, and the kinds of its candidates. */
async function callOn(network: string) {
  await page.read(`network = ${network}; candidates.length = 0`)
  for (let player = 0; player < 2; player++) await page.read(`join('@relay', 0.3)`)
  await page.until('hears(0, 1) && hears(1, 0)')
  const protocol = await page.read('connections.at(-1).protocol()')
  const candidates = (await page.read('candidates')) as string[]
  await page.read('network = {}; everybodyLeaves()')
  return { protocol, kinds: new Set(candidates.map((candidate) => / typ (\w+)/.exec(candidate)?.[1])) }
}

test('[VOI-08] a network without UDP: the relay server is reached over TCP on the same port', async () => {
  assert.equal((await callOn('{ isTcpOnly: true }')).protocol, 'tcp')
})

for (const [transport, url] of inTurn([
  ['udp', /^turn:.*udp$/],
  ['tcp', /^turn:.*tcp$/],
  ['tls', /^turns:/],
] as const))
  test(`[VOI-08] a network that lets only TURN over ${transport.toUpperCase()} through: the relay server is reached`, async () => {
    const { protocol, kinds } = await callOn(`{ turn: ${url} }`)
    assert.equal(protocol, transport)
    assert.deepEqual([...kinds], ['relay'])
  })

test('[VOI-08] a network that lets nothing of a call through: join fails, and no microphone stays open', async (t) => {
  if (skipsTurn(t, 0)) return
  await page.read('network = { isBlocked: true }')
  assert.deepEqual(await page.read(`failure('@relay')`), [true, 'network_error'])
  await page.until(`tracks.at(-1).readyState === 'ended'`)
  await page.read('network = {}; everybodyLeaves()')
})

// In a mesh five attempts of up to 25 s each come first, and a player who is then alone stays in the call.
for (const [channel, closed] of [['@relay', 2] as const, ['@mesh', 1] as const].slice(0, runs(1, 2)))
  test(`[VOI-08] a call in ${channel} whose sound is lost for more than a minute ends`, async (t) => {
    if (skipsTurn(t, 1)) return
    await page.read(`join('${channel}', 0.3)`)
    await page.read(`join('${channel}', 0.3)`)
    await page.until('hears(0, 1) && hears(1, 0)')

    await page.read('network = { isBlocked: true }; globalThis.realNow ??= Date.now')
    if (channel === '@mesh') {
      // Connections that work are kept when the network changes, so these have to end.
      t.after(() => process.kill(coturn.pid, 'SIGCONT'))
      process.kill(coturn.pid, 'SIGSTOP')
    } else await page.read(`dispatchEvent(new Event('online'))`)
    // The first attempt of each failed after ten seconds.
    await page.until(`connections.length > 4`)
    await page.read('Date.now = () => realNow() + 61_000')

    const isClosed = `({ events }) => String(events.at(-1)) === 'closed,network_error'`
    await page.page.waitForFunction(`players.filter(${isClosed}).length === ${closed}`, undefined, {
      timeout: 170_000,
    })
    await page.read('Date.now = realNow; network = {}; everybodyLeaves()')
  })

for (const lost of runs([0.2], [0.05, 0.2]))
  test(`[VOI-08] a network that loses ${lost * 100} % of all packets: the call stays up, and the speaker is heard`, async (t) => {
    await page.read(`join('@relay', 0.3)`)
    const proxy = await startLossyProxy({
      lost,
      toPort: Number(await page.read('connections[0].remotePort()')),
    })
    t.after(proxy.stop)
    await page.read(`network = { proxyPort: ${proxy.port} }`)
    await page.read(`join('@relay', 0)`)
    await page.until('hears(1, 0)')
    const sound = async () =>
      (await page.read('connections.at(-1).sound()')) as Record<'concealed' | 'samples' | 'packets', number>
    const before = await sound()
    await comesTrue('three seconds of sound', async () => (await sound()).packets > before.packets + 150)
    const after = await sound()
    const concealed = (after.concealed - before.concealed) / (after.samples - before.samples)
    t.diagnostic(`${Math.round(concealed * 100)} % of the sound is concealed`)
    assert.ok(proxy.dropped() > 0)
    assert.ok(concealed < 2 * lost + 0.1, `${concealed} of the sound is concealed`)
    assert.equal(await page.read(`players[1].events.some(([name]) => name === 'reconnecting')`), false)
    await page.read('network = {}; everybodyLeaves()')
  })
