import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'

import type { Who } from '../../platform/ports/sfu.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { isCutOff, startVoiceBots, type VoiceBots } from '../../testing/voice-bots.ts'
import { createProcessSfu } from './process.ts'
import type { SfuTimings } from './sfu.ts'

const SLOTS = 6
const SETTINGS = { host: '127.0.0.1', port: 0, publicIp: undefined, repairsTurn: false }
const HOW = { canSpeak: true, address: '127.0.0.1', ptime: 20 } as const
const SPEAKER = { callId: 'a', memberId: 'x' }

let bots: VoiceBots
before(() => void (bots = startVoiceBots()))
after(() => bots.stop())

type Place = { host?: string; address?: string; from?: VoiceBots }

function open(
  timings: Partial<SfuTimings> = {},
  { host = '127.0.0.1', address = '127.0.0.1', from = bots }: Place = {},
) {
  const lines: string[] = []
  const sfu = createProcessSfu(
    { ...SETTINGS, host },
    { log: (line) => lines.push(line), slots: SLOTS, timings },
  )
  const speakers = new Map<string, (string | null)[]>()
  const received = { lost: 0 }
  sfu.on({
    speakers: (callId, slots) => void speakers.set(callId, slots),
    gone: () => {},
    lost: () => void received.lost++,
  })
  const renewing = setInterval(() => sfu.renew(['a', 'b']), 1_000)

  async function join(callId: string, memberId: string, beforePublish = () => {}) {
    const who: Who = { callId, memberId }
    let offer = ''
    const bot = await from.join({
      async publish(sdp) {
        beforePublish()
        const admitted = await sfu.admit(who, sdp, { ...HOW, address })
        offer = admitted.offer
        return admitted.answer
      },
      slotsOffer: async () => offer,
      answer: (sdp) => sfu.answer(who, sdp),
    })
    const leave = async () => {
      sfu.remove(who)
      await bot.close()
    }
    return { ...bot, who, leave }
  }

  return {
    sfu,
    lines,
    received,
    join,
    slotsOf: (callId: string) => speakers.get(callId) ?? [],
    isQuiet: (callId: string) => speakers.get(callId)?.every((owner) => owner === null) === true,
    stopRenewing: () => clearInterval(renewing),
    async close() {
      clearInterval(renewing)
      await sfu.close()
    },
  }
}

describe('the relay server', () => {
  let relay: ReturnType<typeof open>
  before(() => void (relay = open()))
  after(() => relay.close())

  test('[VOI-08] forwards speakers to all others, in the slots that it reports, without an echo', async () => {
    const names = ['ada', 'bob', 'eve'] as const
    const [ada, bob, eve] = await Promise.all(names.map((name) => relay.join('a', name)))
    const other = await relay.join('b', 'other')
    assert(ada && bob && eve)
    await ada.talk()
    await bob.talk()
    await comesTrue('two speakers', () => relay.slotsOf('a').filter(Boolean).length === 2)
    await comesTrue('both are heard', async () => (await eve.heard(0)) > 25 && (await eve.heard(1)) > 25)
    await comesTrue('bob is heard by ada', async () => (await ada.heard()) > 25)

    const slots = relay.slotsOf('a')
    assert.deepEqual(new Set(slots), new Set(['ada', 'bob', null]))
    assert.equal(await ada.heard(slots.indexOf('ada')), 0, 'a speaker does not hear itself')
    assert.equal(await other.heard(), 0, 'another call hears nothing')

    await ada.stopTalking()
    await bob.stopTalking()
    await comesTrue('quiet slots are freed', () => relay.isQuiet('a'))
    for (const bot of [ada, bob, eve, other]) await bot.leave()
  })

  test('[VOI-11] a member who may not speak is cut off at the relay server; the sender continues to send', async () => {
    const [ada, eve] = [await relay.join('a', 'ada'), await relay.join('a', 'eve')]
    await ada.talk()
    await comesTrue('ada is heard', async () => (await eve.heard()) > 10)

    relay.sfu.setCanSpeak(ada.who, false)
    await comesTrue('nothing arrives', () => isCutOff(ada, eve))

    const heard = await eve.heard()
    relay.sfu.setCanSpeak(ada.who, true)
    await comesTrue('ada is heard again', async () => (await eve.heard()) > heard)
    for (const bot of [ada, eve]) await bot.leave()
  })

  test('[VOI-08] voiceSpeaking false frees the slot of push to talk', async () => {
    const [ada, eve] = [await relay.join('a', 'ada'), await relay.join('a', 'eve')]
    await ada.talk()
    await comesTrue('ada is heard', async () => (await eve.heard()) > 10)
    relay.sfu.setSpeaking(ada.who, false)
    await comesTrue('the slot is free', () => relay.isQuiet('a'))
    await comesTrue('nothing arrives', () => isCutOff(ada, eve))
    for (const bot of [ada, eve]) await bot.leave()
  })

  test('[VOI-08] the packets of a sender above 80 a second are dropped', async () => {
    const [ada, eve] = [await relay.join('a', 'ada'), await relay.join('a', 'eve')]
    await ada.talk()
    await comesTrue('ada is heard', async () => (await eve.heard()) > 10)
    const before = relay.sfu.load().totals.dropped.rate
    await ada.burst(400)
    await comesTrue('a flood is dropped', () => relay.sfu.load().totals.dropped.rate - before >= 250)
    const heard = await eve.heard()
    await comesTrue('ada is heard again', async () => (await eve.heard()) > heard)
    for (const bot of [ada, eve]) await bot.leave()
  })

  test('[VOI-08] refuses descriptions that are not one sendonly Opus audio, and leaves nothing behind', async () => {
    const good = await bots.offer()
    const line = (text: string) => new RegExp(`^a=${text}.*\\r\\n`, 'gm')
    const refused: [string, string][] = [
      ['no description', 'hello'],
      ['nothing', ''],
      ['a second m-line', good + good.slice(good.indexOf('m=audio')).replace('a=mid:mic', 'a=mid:two')],
      ['a video', good.replace('m=audio', 'm=video')],
      ['data channels', good.replace(/m=audio.*/, 'm=application 9 UDP/DTLS/SCTP webrtc-datachannel')],
      ['no Opus', good.replace(/opus\/48000\/2/i, 'PCMU/8000')],
      ['sendrecv', good.replace('a=sendonly', 'a=sendrecv')],
      ['no password', good.replace(line('ice-pwd'), '')],
      ['no fingerprint', good.replace(line('fingerprint'), '')],
      ['a broken fingerprint', good.replace(line('fingerprint'), 'a=fingerprint:sha-256 00\r\n')],
    ]
    for (const [what, sdp] of refused)
      await assert.rejects(relay.sfu.admit(SPEAKER, sdp, HOW), { code: 'invalid_request' }, what)
    await assert.rejects(relay.sfu.answer(SPEAKER, good), { code: 'voice_unavailable' })
    await relay.sfu.admit(SPEAKER, good, HOW)
    await assert.rejects(relay.sfu.answer(SPEAKER, good), { code: 'invalid_request' })
    relay.sfu.remove(SPEAKER)
    await comesTrue('nobody is left', () => relay.sfu.load().members === 0)
  })

  test('[VOI-08] a second connection of a member replaces the first, also while that is being made', async () => {
    const [offer, eve] = [await bots.offer(), await relay.join('a', 'eve')]
    const first = Promise.withResolvers<unknown>()
    const ada = await relay.join('a', 'ada', () =>
      first.resolve(relay.sfu.admit({ callId: 'a', memberId: 'ada' }, offer, HOW).catch(() => {})),
    )
    await first.promise
    await ada.talk()
    await comesTrue('ada is heard', async () => (await eve.heard()) > 10)
    await comesTrue('two members', () => relay.sfu.load().members === 2)
    for (const bot of [ada, eve]) await bot.leave()
  })

  test('[VOI-08] a TCP connection whose first frame is not a STUN request of a member is closed', async () => {
    const { answer } = await relay.sfu.admit(SPEAKER, await bots.offer(), HOW)
    const port = Number(/ TCP \d+ \S+ (\d+) /.exec(answer)?.[1])
    // The second is well-formed, but not for one of our connections.
    const stun = Buffer.from('000100002112a442000000000000000000000000', 'hex')
    for (const frame of [Buffer.from([1, 2, 3, 4]), stun]) {
      const socket = connect(port, '127.0.0.1')
      socket.write(Buffer.concat([Buffer.from([0, frame.length]), frame]))
      await once(socket, 'close')
    }
    relay.sfu.remove(SPEAKER)
  })
})

describe('addresses of the relay server', () => {
  let sixth: VoiceBots
  before(() => void (sixth = startVoiceBots({ address: '::1' })))
  after(() => sixth.stop())

  const places: [what: string, () => Place][] = [
    ['IPv6', () => ({ host: '::1', address: '::1', from: sixth })],
    ['all addresses, over IPv6', () => ({ host: '::', address: '::1', from: sixth })],
    ['all addresses, over IPv4', () => ({ host: '::', address: '127.0.0.1' })],
    [
      'a name with two addresses, whichever of them a member has reached',
      () => ({ host: 'localhost', address: '::1' }),
    ],
    ['a name with two addresses, whichever of them a member has reached', () => ({ host: 'localhost' })],
  ]
  for (const [what, place] of places)
    test(`[VOI-08] members hear each other through ${what}`, async (t) => {
      const relay = open({}, place())
      t.after(relay.close)
      const [ada, eve] = [await relay.join('a', 'ada'), await relay.join('a', 'eve')]
      await ada.talk()
      await comesTrue('ada is heard', async () => (await eve.heard()) > 10)
      await ada.leave()
      await eve.leave()
    })

  test('[VOI-08] announces its own address over UDP and TCP, and no address of a member is used', async (t) => {
    const relay = open({}, { host: '0.0.0.0' })
    t.after(relay.close)
    const aimed = 'a=candidate:1 1 UDP 2122317823 169.254.169.254 80 typ host'
    const offer = (await bots.offer()).replace(/^a=candidate.*$/gm, aimed)
    const { answer } = await relay.sfu.admit(SPEAKER, offer, { ...HOW, address: '192.0.2.7', ptime: 40 })
    const candidates = answer.match(/^a=candidate.*$/gm) ?? []
    assert.equal(candidates.length, 2)
    for (const candidate of candidates) assert.match(candidate, / (UDP|TCP) \d+ 192\.0\.2\.7 \d+ typ host/)
    assert.ok(!answer.includes('169.254'))
    assert.match(answer, /usedtx=1/)
    assert.match(answer, /a=ptime:40/)
  })
})

describe('the process of the relay server', () => {
  test('[VOI-10] its calls are lost when it is killed or hangs, and it is restarted', async (t) => {
    const relay = open({ silenceMs: 1_500 })
    t.after(relay.close)
    async function call(name: string) {
      const [ada, eve] = [await relay.join('a', `ada ${name}`), await relay.join('a', `eve ${name}`)]
      await ada.talk()
      await comesTrue('ada is heard', async () => (await eve.heard()) > 10)
      await ada.close()
      await eve.close()
    }
    await call('first')
    for (const [times, signal] of [
      [1, 'SIGKILL'],
      [2, 'SIGSTOP'],
    ] as const) {
      process.kill(relay.sfu.pid ?? 0, signal)
      await comesTrue('lost', () => relay.received.lost === times)
      await comesTrue('restarted', () => relay.sfu.pid !== undefined)
      await call(`after ${signal}`)
    }
    assert.equal(relay.sfu.load().totals.restarts, 2)
    const ended = 'voice: the relay server has ended (SIGKILL); its calls are lost. It starts again.'
    assert.deepEqual(relay.lines, [ended, 'voice: the relay server does not respond.', ended])
  })

  test('[VOI-08] its port stays bound while nobody is in a call', async (t) => {
    const relay = open()
    t.after(relay.close)
    const { offer } = await relay.sfu.admit(SPEAKER, await bots.offer(), HOW)
    const port = Number(/ 127\.0\.0\.1 (\d+) typ host/.exec(offer)?.[1])
    relay.sfu.remove(SPEAKER)
    await comesTrue(
      'nobody is left',
      () => relay.sfu.load().residentBytes > 0 && relay.sfu.load().members === 0,
    )

    const other = createSocket('udp4')
    t.after(() => other.close())
    other.bind(port, '127.0.0.1')
    await assert.rejects(once(other, 'listening'), { code: 'EADDRINUSE' })
    for (let count = 0; count < 20; count++) {
      const joining = relay.sfu.admit({ ...SPEAKER, memberId: `next ${count}` }, await bots.offer(), HOW)
      relay.sfu.remove({ ...SPEAKER, memberId: `next ${count - 1}` })
      await joining
    }
    assert.equal(relay.received.lost, 0)
  })

  test('[VOI-05] it is restarted immediately; if it ends again before its first report, the restart waits, and requests are refused until then', async (t) => {
    const relay = open({ restartMs: 2_000 })
    t.after(relay.close)
    relay.sfu.start()
    const kill = () => {
      const { pid } = relay.sfu
      process.kill(pid ?? 0, 'SIGKILL')
      return pid
    }
    const killed = kill()
    await comesTrue('another process', () => relay.sfu.pid !== killed)
    assert.equal(relay.sfu.load().isDown, false)
    kill()
    await comesTrue('it waits', () => relay.sfu.load().isDown)
    await assert.rejects(relay.sfu.admit(SPEAKER, await bots.offer(), HOW), { code: 'voice_unavailable' })
    await comesTrue('restarted', () => relay.sfu.pid !== undefined)
    await relay.sfu.admit(SPEAKER, await bots.offer(), HOW)
    assert.equal(relay.sfu.load().isDown, false)
  })

  test('[VOI-10] a call whose owner does not renew its lease ends', async (t) => {
    const relay = open()
    t.after(relay.close)
    const [ada, eve] = [await relay.join('a', 'ada'), await relay.join('a', 'eve')]
    await ada.talk()
    await comesTrue('ada is heard', async () => (await eve.heard()) > 60)
    relay.stopRenewing()
    await comesTrue('the call ends', () => relay.sfu.load().members === 0)
    await comesTrue('nothing arrives', () => isCutOff(ada, eve))
    await ada.close()
    await eve.close()
  })

  test('[VOI-01] it may not write, read other files or start programs, and has no environment', async (t) => {
    const relay = open()
    t.after(relay.close)
    await relay.sfu.admit(SPEAKER, await bots.offer(), HOW)
    const [environment = '', command = ''] = await Promise.all(
      ['environ', 'cmdline'].map((file) => readFile(`/proc/${relay.sfu.pid}/${file}`, 'utf8')),
    )
    const variables = environment.split('\0').filter((one) => one && !one.startsWith('NODE_CHANNEL_'))
    assert.deepEqual(variables, [])
    const flags = command.split('\0').filter((flag) => flag.startsWith('--'))
    assert.ok(flags.includes('--permission'))
    assert.ok(!flags.some((flag) => /write|child-process|worker|wasi/.test(flag)))
    const allowed =
      /src\/(engines\/sfu|platform)$|server\/package\.json$|node_modules\/(@?node-datachannel|detect-libc)$/
    for (const flag of flags) if (flag.startsWith('--allow-fs-read=')) assert.match(flag, allowed)
  })

  test('[VOI-01] it stops when no call needs it, and starts again with the next', async (t) => {
    const relay = open({ idleMs: 100 })
    t.after(relay.close)
    await relay.sfu.admit(SPEAKER, await bots.offer(), HOW)
    relay.sfu.remove(SPEAKER)
    await comesTrue('stopped', () => relay.sfu.pid === undefined)
    assert.equal(relay.received.lost, 0)
    await relay.sfu.admit(SPEAKER, await bots.offer(), HOW)
  })
})
