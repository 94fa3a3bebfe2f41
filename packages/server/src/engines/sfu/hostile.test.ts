import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { ApiError } from '../../platform/api-error.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { runs } from '../../testing/runs.ts'
import { startVoiceBots, type VoiceBots } from '../../testing/voice-bots.ts'
import { createProcessSfu } from './process.ts'

const SETTINGS = { host: '127.0.0.1', port: 0, publicIp: undefined, repairsTurn: true }
const HOW = { canSpeak: true, address: '127.0.0.1', ptime: 20 } as const
const DESCRIPTION_LENGTH_MAX = 16 * 1024
const PIECES = [
  '',
  '0',
  '-1',
  '4294967296',
  'a'.repeat(5_000),
  `a=mid:${'x'.repeat(300)}`,
  'm=audio 9 UDP/TLS/RTP/SAVPF 111',
  'm=video 9 UDP/TLS/RTP/SAVPF 96',
  'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
  'a=fingerprint:sha-256 00',
  'a=setup:actpass',
  'a=rtpmap:111 opus/48000/2',
  `a=group:BUNDLE ${'x '.repeat(500)}`,
  `a=ssrc:1 cname:${'y'.repeat(999)}`,
  'a=ice-ufrag:',
  'a=extmap:999 urn',
  '\0\0',
  '\u{1F600}',
  'a=simulcast:send 1;2',
  'a=ice-lite',
]

describe('a relay server with hostile clients', () => {
  let bots: VoiceBots
  let sfu: ReturnType<typeof createProcessSfu>
  let renewing: NodeJS.Timeout
  let lost = 0
  before(() => {
    bots = startVoiceBots()
    sfu = createProcessSfu(SETTINGS, { log: () => {}, slots: 6 })
    sfu.on({ speakers: () => {}, gone: () => {}, lost: () => void lost++ })
    renewing = setInterval(() => sfu.renew(['a', 'b', 'c']), 1_000)
  })
  after(async () => {
    clearInterval(renewing)
    await sfu.close()
    await bots.stop()
  })

  /** The same numbers in every run. */
  let seed = 1
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return seed % below
  }
  const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T
  const noise = (length: number) => Buffer.from(Array.from({ length }, () => random(256)))

  function damaged(sdp: string): string {
    const lines = sdp.split('\r\n')
    for (let changes = 1 + random(6); changes > 0; changes--) {
      const at = random(lines.length)
      const line = lines[at] ?? ''
      const change = [
        () => lines.splice(at, 1),
        () => lines.splice(at, 0, pick(PIECES)),
        () => (lines[at] = line.slice(0, random(line.length + 1))),
        () => lines.splice(at, 0, pick(lines)),
        () => (lines[at] = line.replace(/\d+/, pick(PIECES.slice(0, 4)))),
        () => lines.splice(at, 0, ...Array<string>(random(40)).fill(pick(lines))),
        () => (lines[at] = line + pick(PIECES)),
      ]
      pick(change)()
    }
    return lines.join('\r\n').slice(0, DESCRIPTION_LENGTH_MAX)
  }

  async function joinAsBot(memberId: string) {
    const who = { callId: 'a', memberId }
    let offer = ''
    const bot = await bots.join({
      async publish(sdp) {
        const admitted = await sfu.admit(who, sdp, HOW)
        offer = admitted.offer
        return admitted.answer
      },
      slotsOffer: async () => offer,
      answer: (sdp) => sfu.answer(who, sdp),
    })
    return { ...bot, leave: async () => (sfu.remove(who), bot.close()) }
  }

  /** A call works, and the process is the first one. */
  async function assertAlive() {
    const [speaker, listener] = [await joinAsBot('speaker'), await joinAsBot('listener')]
    await speaker.talk()
    await comesTrue('sound is forwarded', async () => (await listener.heard()) > 10)
    for (const bot of [speaker, listener]) await bot.leave()
    assert.equal(lost, 0)
  }

  test('[VOI-08] damaged descriptions are accepted or refused, and the process continues to run', async () => {
    const good = await bots.offer()
    const results = new Map<string, number>()
    const count = (result: string) => results.set(result, (results.get(result) ?? 0) + 1)
    for (let n = 0; n < runs(150, 3_000); n++) {
      const who = { callId: pick(['a', 'b', 'c']), memberId: `m${random(7)}` }
      try {
        const { offer } = await sfu.admit(who, damaged(good), HOW)
        count('admitted')
        await sfu.answer(who, damaged(offer))
        count('answered')
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        count(error.code)
      }
      if (n % 3 === 2) sfu.remove(who)
    }
    for (const callId of ['a', 'b', 'c']) sfu.end(callId)
    assert.ok((results.get('invalid_request') ?? 0) > 0 && (results.get('admitted') ?? 0) > 0)
    assert.equal(results.get('voice_unavailable'), undefined, JSON.stringify([...results]))
    await assertAlive()
  })

  test('[VOI-08] noise on the ports is ignored', async () => {
    const { answer } = await sfu.admit({ callId: 'b', memberId: 'x' }, await bots.offer(), HOW)
    const portOf = (candidate: number) =>
      Number(new RegExp(`^a=candidate:${candidate} 1 \\w+ \\d+ \\S+ (\\d+)`, 'm').exec(answer)?.[1])
    const socket = createSocket('udp4')
    for (let n = 0; n < runs(1_000, 20_000); n++) {
      const bytes = noise(1 + random(400))
      if (n % 3 === 0 && bytes.length > 20) {
        bytes.writeUInt16BE(1, 0)
        bytes.writeUInt16BE((bytes.length - 20) & ~3, 2)
        bytes.writeUInt32BE(0x2112a442, 4)
      }
      socket.send(bytes, portOf(1 + (n % 2)), '127.0.0.1')
      if (n % 100 === 0) await pause(2)
    }
    for (let n = 0; n < runs(30, 300); n++) {
      const bytes = noise(4 + random(3_000))
      if (n % 2) bytes.writeUInt16BE(40, 0)
      const tcp = connect(portOf(3), '127.0.0.1')
      tcp.on('error', () => {})
      tcp.write(bytes)
      await once(tcp, 'close')
    }
    socket.close()
    sfu.end('b')
    await comesTrue('no TCP connection is left', () => sfu.load().tcpConnections === 0)
    await assertAlive()
  })

  test('[VOI-08] broken packets of a member are dropped', async () => {
    const hostile = await joinAsBot('hostile')
    const before = sfu.load().totals.dropped.invalid
    const broken = () => {
      const packet = noise(12 + random(80))
      packet[0] = 0x80 | random(64)
      packet[1] = pick([111, 111, 111, random(256)])
      return packet.toString('base64')
    }
    for (let n = 0; n < runs(10, 100); n++) {
      await hostile.sendNoise(Array.from({ length: 50 }, broken))
      await pause(50)
    }
    await comesTrue('packets are dropped', () => sfu.load().totals.dropped.invalid > before)
    await hostile.leave()
    await assertAlive()
  })

  test('[VOI-08] candidates aimed at an address of the client’s choice send nothing there', async () => {
    const victim = createSocket('udp4')
    victim.bind(0, '127.0.0.1')
    await once(victim, 'listening')
    let received = 0
    victim.on('message', () => void received++)
    const { port } = victim.address() as AddressInfo
    const aimed = [
      `a=candidate:1 1 UDP 2122317823 127.0.0.1 ${port} typ host`,
      `a=candidate:2 1 UDP 1677724415 127.0.0.1 ${port} typ srflx raddr 127.0.0.1 rport ${port}`,
    ].join('\r\n')
    const offer = (await bots.offer())
      .replace(/^a=candidate.*\r\n/gm, '')
      .replace(/^m=audio \d+/m, `m=audio ${port}`)
      .replace(/^c=.*$/m, 'c=IN IP4 127.0.0.1')
      .replace(/^a=mid:.*$/m, (mid) => `${mid}\r\n${aimed}\r\na=rtcp:${port} IN IP4 127.0.0.1`)
    assert.ok(offer.includes(String(port)))
    const who = { callId: 'c', memberId: 'x' }
    const admitted = await sfu.admit(who, offer, HOW)
    // The answer of a browser has the same candidates once more.
    const answer = admitted.offer.replace(/^a=setup:.*$/gm, `a=setup:active\r\n${aimed}`)
    await sfu.answer(who, answer.replace(/^a=sendonly/gm, 'a=recvonly')).catch(() => {})
    // Later calls send their packets, so those of this one would have come.
    await assertAlive()
    assert.equal(received, 0)
    sfu.end('c')
    victim.close()
  })
})
