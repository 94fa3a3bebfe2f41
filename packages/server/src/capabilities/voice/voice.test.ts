import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'

import { MINUTE_MS, SECOND_MS } from '../../platform/clock.ts'
import {
  type ChannelApp,
  type ChannelClient,
  eventsOf,
  lastOf,
  newChannelApp,
} from '../../testing/channels.ts'
import { newGuest } from '../../testing/guests.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { topUp } from '../../testing/money.ts'
import { startService } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'
import { isCutOff, startVoiceBots, type VoiceBots } from '../../testing/voice-bots.ts'
import { callAsBot } from '../../testing/voice.ts'

const MESH = '@mesh'
const RELAY = '@relay'
const MINUTES_MAX = 10
const SETTINGS = { VOICE_PORT: '0', TURN_PORT: '0', SVC_VOICE_MAX_MINUTES: String(MINUTES_MAX) }
/** Shorter than the time after which a silent connection is closed. */
const STEP_MS = 20 * SECOND_MS
const start = (engine: 'sqlite' | 'postgres') => startService(engine, { settings: SETTINGS })

suite('voice calls', { start }, ({ service }) => {
  let app: ChannelApp
  before(async () => {
    app = await newChannelApp(service, { voice: true })
    await app.server.put(MESH, { voice: true, maxMembers: 8 })
    await app.server.put(RELAY, { voice: true, maxMembers: 9 })
    await app.server.put('@silent')
  })
  after(() => app.closeAll())

  const member = async (channel: string): Promise<ChannelClient> => {
    const client = await app.join()
    await client.request({ t: 'channelJoin', channel })
    return client
  }
  const joinCall = (client: ChannelClient, channel: string) => client.request({ t: 'voiceJoin', channel })
  const codeOf = async (client: ChannelClient, frame: object) => (await client.refusal(frame)).code
  const membersOf = async (client: ChannelClient, channel: string) =>
    (await lastOf(client, 'voice_state', channel))['members']
  /** Moves the clock; the clients show that they are still there. */
  async function pass(ms: number, clients: ChannelClient[]) {
    for (let left = ms; left > 0; left -= STEP_MS) {
      service.clock.advance(Math.min(STEP_MS, left))
      for (const client of clients) await client.settled()
    }
  }
  /** Metered minutes of relay-server calls so far. */
  async function minutes() {
    await service.everyMinute()
    const rows = await service.db.search((q) => q.selectFrom('money_usage').selectAll())
    return rows
      .filter(({ component }) => component === 'voice.relayMinutes')
      .reduce((sum, { quantity }) => sum + Number(quantity), 0)
  }
  /** The next test finds no call of this one. */
  async function leaveAll(clients: ChannelClient[]) {
    await Promise.all(clients.map((client) => client.close()))
    await comesTrue('everybody has left', async () => {
      // A jump of the clock ends connections, whose seats wait for a moment.
      service.clock.advance(SECOND_MS)
      const { body } = await app.side.server('GET', '/v1/admin/realtime')
      return body.channels.length === 0
    })
  }

  test('[VOI-05] voiceJoin is refused in this order: feature, player, channel, voice, suspension, limit', async () => {
    const off = await newChannelApp(service, { voice: false })
    const outside = await off.join()
    assert.equal(await codeOf(outside, { t: 'voiceJoin', channel: MESH }), 'feature_disabled')
    await off.closeAll()

    const anonymous = await app.joinAnonymously()
    assert.equal(await codeOf(anonymous, { t: 'voiceJoin', channel: MESH }), 'player_required')
    const client = await app.join()
    assert.equal(await codeOf(client, { t: 'voiceJoin', channel: MESH }), 'not_in_channel')
    for (const channel of ['@silent', 'plain']) {
      await client.request({ t: 'channelJoin', channel })
      assert.equal(await codeOf(client, { t: 'voiceJoin', channel }), 'voice_disabled')
    }
    await client.request({ t: 'channelJoin', channel: MESH })
    for (let joins = 0; joins < 10; joins++) await joinCall(client, MESH)
    assert.equal(await codeOf(client, { t: 'voiceJoin', channel: MESH }), 'rate_limited')
    await service.suspendVoice(app.project.slug, true)
    assert.equal(await codeOf(client, { t: 'voiceJoin', channel: MESH }), 'voice_suspended')
    await service.suspendVoice(app.project.slug, false)
    await pass(MINUTE_MS, [client])
    await joinCall(client, MESH)
    await leaveAll([anonymous, client])
  })

  test('[VOI-06] [VOI-09] a joiner gets voice_state before the reply; the others are notified of joins and leaves', async () => {
    const [ada, bob] = [await member(MESH), await member(MESH)]
    const reply = await joinCall(ada, MESH)
    const types = ada.received.map(({ t }) => t)
    assert.ok(types.indexOf('voice_state') < types.lastIndexOf('reply') && types.includes('voice_state'))
    const { iceServers, expiresAt, ...rest } = reply
    assert.deepEqual(rest, {
      mode: 'p2p',
      relayOnly: true,
      self: { canSpeak: true },
      iceTransportPolicy: 'relay',
    })
    assert.match(iceServers[0].urls[0], /^turn:127\.0\.0\.1:\d+\?transport=udp$/)
    assert.ok(expiresAt > service.clock.now().getTime())
    service.clock.advance(SECOND_MS)
    assert.equal((await joinCall(ada, MESH)).expiresAt, expiresAt + SECOND_MS, 'credentials are renewed')
    assert.equal((await membersOf(ada, MESH)).length, 1)

    await joinCall(bob, MESH)
    service.clock.advance(250)
    const both = [ada.id, bob.id].map((id) => ({ id, canSpeak: true }))
    assert.deepEqual(await membersOf(ada, MESH), both)
    assert.deepEqual(await membersOf(bob, MESH), both)
    for (const leaving of [
      { t: 'voiceLeave', channel: MESH },
      { t: 'voiceLeave', channel: '@nowhere' },
    ])
      assert.deepEqual(await bob.request(leaving), {})
    service.clock.advance(250)
    assert.deepEqual(await membersOf(ada, MESH), [{ id: ada.id, canSpeak: true }])
    await joinCall(bob, MESH)
    await bob.close()
    await ada.until(({ t }) => t === 'channel_player_left', 'the end of bob')
    service.clock.advance(250)
    assert.equal((await membersOf(ada, MESH)).length, 1)
    await leaveAll([ada])
  })

  test('[VOI-09] players under 13 are always relayed in a peer-to-peer call; a relay-server call has slots and does not use our TURN relay', async () => {
    await app.server.put('@open', { voice: { mode: 'p2p', relayOnly: false }, maxMembers: 8 })
    const guest = await newGuest(app.side)
    await guest.call('PUT', '/v1/social/age', { band: 'child' })
    const child = await app.joinAs(guest)
    await child.request({ t: 'channelJoin', channel: '@open' })
    const adult = await member('@open')
    const policyOf = async (client: ChannelClient) => {
      const { relayOnly, iceTransportPolicy } = await joinCall(client, '@open')
      return [relayOnly, iceTransportPolicy]
    }
    assert.deepEqual(await policyOf(adult), [false, 'all'])
    assert.deepEqual(await policyOf(child), [false, 'relay'])

    const caller = await member(RELAY)
    const { expiresAt: _, ...reply } = await joinCall(caller, RELAY)
    const self = { canSpeak: true }
    assert.deepEqual(reply, {
      mode: 'sfu',
      relayOnly: true,
      self,
      iceServers: [],
      iceTransportPolicy: 'all',
      slots: 6,
    })
    assert.deepEqual(await lastOf(caller, 'voice_speakers', RELAY), {
      slots: [null, null, null, null, null, null],
    })
    await leaveAll([child, adult, caller])
  })

  test('[VOI-01] a peer-to-peer call has at most 8 people, also in a channel that had more before it got voice', async () => {
    await app.server.put('@crowd', { maxMembers: 20 })
    const clients = await Promise.all(Array.from({ length: 9 }, () => member('@crowd')))
    const { status } = await app.server.put('@crowd', { voice: true, maxMembers: 8 })
    assert.equal(status, 200)
    const [ninth, ...eight] = clients
    assert(ninth)
    for (const client of eight) await joinCall(client, '@crowd')
    assert.equal(await codeOf(ninth, { t: 'voiceJoin', channel: '@crowd' }), 'voice_unavailable')
    await eight[0]?.request({ t: 'voiceLeave', channel: '@crowd' })
    await joinCall(ninth, '@crowd')
    await leaveAll(clients)
  })

  test('[VOI-07] a signal reaches one participant, unchanged, and no other participant', async () => {
    const [ada, bob, eve] = [await member(MESH), await member(MESH), await member(MESH)]
    const signal = { t: 'voiceSignal', channel: MESH, to: bob.id, kind: 'offer', gen: 3 }
    assert.equal(await codeOf(ada, signal), 'not_in_channel')
    for (const client of [ada, bob]) await joinCall(client, MESH)
    assert.deepEqual(await ada.request({ ...signal, data: { sdp: 'v=0', n: 1 } }), {})
    const received = { from: ada.id, kind: 'offer', data: { sdp: 'v=0', n: 1 }, gen: 3 }
    assert.deepEqual(await lastOf(bob, 'voice_signal', MESH), received)
    assert.deepEqual(await ada.request({ ...signal, kind: 'restart', gen: undefined }), {})
    assert.deepEqual(await lastOf(bob, 'voice_signal', MESH), {
      from: ada.id,
      kind: 'restart',
      data: null,
      gen: null,
    })
    assert.equal((await eventsOf(ada, 'voice_signal', MESH)).length, 0)

    assert.equal(await codeOf(ada, { ...signal, to: eve.id }), 'player_not_in_room')
    assert.equal(await codeOf(ada, { ...signal, to: ada.id }), 'invalid_request')
    assert.equal(await codeOf(ada, { ...signal, kind: 'hello' }), 'invalid_request')
    await ada.request({ ...signal, data: 'x'.repeat(8 * 1024 - 2) })
    assert.equal(await codeOf(ada, { ...signal, data: 'x'.repeat(8 * 1024 - 1) }), 'payload_too_large')
    assert.equal(await codeOf(ada, { t: 'voicePublish', channel: MESH, sdp: 'v=0' }), 'invalid_request')
    await leaveAll([ada, bob, eve])
  })

  test('[VOI-06] [VOI-11] canSpeak follows mutes, speakers and the send rule; a timed mute ends automatically', async () => {
    const [ada, bob] = [await member(MESH), await member(MESH)]
    for (const client of [ada, bob]) await joinCall(client, MESH)
    /** As the next announcement says, which is at most 250 ms later. */
    const announced = async (expected: Record<string, boolean>) => {
      await comesTrue(`the announcement of ${JSON.stringify(expected)}`, async () => {
        await pass(250, [bob])
        const members: { id: string; canSpeak: boolean }[] = await membersOf(ada, MESH)
        const known = Object.fromEntries(members.map(({ id, canSpeak }) => [id, canSpeak]))
        return isDeepStrictEqual(known, expected)
      })
    }
    const both = (ofAda: boolean, ofBob: boolean) => announced({ [ada.id]: ofAda, [bob.id]: ofBob })
    const moderate = async (op: string, more: object = {}) => {
      const { status, body } = await app.server.moderate(MESH, { op, playerId: bob.id, ...more })
      assert.deepEqual([status, body], [200, {}])
    }
    await both(true, true)
    await moderate('mute', { seconds: 30 })
    await both(true, false)
    await pass(30 * SECOND_MS, [ada, bob])
    await both(true, true)
    await app.server.put(MESH, { send: 'speakers', speakers: [ada.id] })
    await both(true, false)
    await moderate('allowSend')
    await both(true, true)
    await moderate('disallowSend')
    await both(true, false)
    await app.server.put(MESH, { send: 'server' })
    await both(false, false)
    await app.server.put(MESH, { send: 'everyone', speakers: [] })
    await moderate('kick')
    await announced({ [ada.id]: true })
    await leaveAll([ada, bob])
  })

  test('[CHN-19] voice cannot be changed during a call: voice_in_use; everything else can', async () => {
    await app.server.put('@used', { voice: true, maxMembers: 20 })
    const ada = await member('@used')
    await joinCall(ada, '@used')
    const { call } = (await app.side.server('GET', '/v1/admin/realtime')).body.channels[0]
    assert.deepEqual(call, { members: 1, startedAt: service.clock.now().toISOString() })
    const changes = [
      { voice: null },
      { voice: { mode: 'p2p' }, maxMembers: 8 },
      { voice: { relayOnly: false } },
      { maxMembers: 8 },
    ]
    for (const change of changes) {
      const { status, body } = await app.server.put('@used', change)
      assert.deepEqual([status, body.error.code], [409, 'voice_in_use'])
    }
    assert.equal(
      (await app.server.put('@used', { voice: { mode: 'sfu' }, maxMembers: 30, send: 'server' })).status,
      200,
    )
    await ada.request({ t: 'voiceLeave', channel: '@used' })
    assert.equal((await app.server.put('@used', { voice: null })).status, 200)
    await leaveAll([ada])
  })

  test('[VOI-10] a call ends at its maximum duration, and can be joined again', async () => {
    const ada = await member(MESH)
    await joinCall(ada, MESH)
    await pass(MINUTES_MAX * MINUTE_MS - 1, [ada])
    assert.equal((await eventsOf(ada, 'voice_closed', MESH)).length, 0)
    service.clock.advance(1)
    assert.deepEqual(await lastOf(ada, 'voice_closed', MESH), { reason: 'time_limit' })
    assert.equal(
      await codeOf(ada, { t: 'voiceSignal', channel: MESH, to: 'x', kind: 'offer' }),
      'not_in_channel',
    )
    await joinCall(ada, MESH)
    await leaveAll([ada])
  })

  test('[VOI-10] the operator suspends the calls of a project, and it is audited', async () => {
    const ada = await member(MESH)
    await joinCall(ada, MESH)
    assert.equal(await service.suspendVoice('nobody', true), false)
    assert.equal(await service.suspendVoice(app.project.slug, true), true)
    assert.equal((await ada.next('voice_closed'))['reason'], 'suspended')
    assert.equal(await codeOf(ada, { t: 'voiceJoin', channel: MESH }), 'voice_suspended')
    await service.suspendVoice(app.project.slug, false)
    await joinCall(ada, MESH)
    const { body } = await app.project.developer.call('GET', `/v1/projects/${app.project.id}/audit?limit=2`)
    assert.deepEqual(
      body.entries.map(({ action }: { action: string }) => action),
      ['voice.resume', 'voice.suspend'],
    )
    await leaveAll([ada])
  })

  test('[VOI-10] a suspension that is over ends no later call, however late a node learns of it', async () => {
    assert.equal(await service.suspendVoice(app.project.slug, true), true)
    assert.equal(await service.suspendVoice(app.project.slug, false), true)
    const ada = await member(MESH)
    await joinCall(ada, MESH)
    // Reads the list of what was revoked, as every node does each second.
    await service.everySecond()
    assert.deepEqual(await eventsOf(ada, 'voice_closed', MESH), [])
    const { body } = await app.side.server('GET', '/v1/admin/realtime')
    assert.equal(body.channels[0].call.members, 1)
    await leaveAll([ada])
  })

  test('[VOI-10] unpaid usage ends relay-server calls and refuses new ones; peer-to-peer calls continue; after a top-up relay-server calls work again', async () => {
    const owing = await newChannelApp(service, { voice: true })
    const { developer, environments } = owing.project
    const clients: ChannelClient[] = []
    for (const [channel, maxMembers] of [
      [MESH, 8],
      [RELAY, 9],
    ] as const) {
      await owing.server.put(channel, { voice: true, maxMembers })
      const client = await owing.join()
      await client.request({ t: 'channelJoin', channel })
      await joinCall(client, channel)
      clients.push(client)
    }
    const [meshed, relayed] = clients
    assert(meshed && relayed)
    await topUp(service, developer, 500)
    service.money.noteUsage(environments[0]?.id ?? '', 'voice.relayMinutes', 501 * 20)
    await service.everyMinute()

    assert.equal((await relayed.next('voice_closed'))['reason'], 'suspended')
    assert.equal(await codeOf(relayed, { t: 'voiceJoin', channel: RELAY }), 'voice_suspended')
    await joinCall(meshed, MESH)
    assert.equal((await eventsOf(meshed, 'voice_closed', MESH)).length, 0)
    await topUp(service, developer, 500)
    await joinCall(relayed, RELAY)
    await owing.closeAll()
  })

  test('[VOI-10] turning the feature off ends calls; joining again is refused', async () => {
    const other = await newChannelApp(service, { voice: true })
    await other.server.put(MESH, { voice: true, maxMembers: 8 })
    const ada = await other.join()
    await ada.request({ t: 'channelJoin', channel: MESH })
    await joinCall(ada, MESH)
    await other.setFeatures({ realtimeChannels: true, voice: false })
    assert.equal((await ada.next('voice_closed'))['reason'], 'unavailable')
    assert.equal(await codeOf(ada, { t: 'voiceJoin', channel: MESH }), 'feature_disabled')
    await other.closeAll()
  })

  test('[VOI-01] each whole minute of a relay-server call is metered for everybody in it; peer-to-peer is free', async () => {
    // Without credit the first minute that is written would suspend the call.
    await topUp(service, app.project.developer, 500)
    const [ada, bob] = [await member(RELAY), await member(RELAY)]
    for (const client of [ada, bob]) await joinCall(client, RELAY)
    const meshed = await member(MESH)
    await joinCall(meshed, MESH)
    const before = await minutes()
    await pass(MINUTE_MS - 1, [ada, bob, meshed])
    assert.equal((await minutes()) - before, 0)
    service.clock.advance(1)
    assert.equal((await minutes()) - before, 2)
    await pass(3 * MINUTE_MS, [ada, bob, meshed])
    assert.equal((await minutes()) - before, 8)
    await leaveAll([ada, bob, meshed])
  })

  test('[VOI-01] a clock that jumps ahead meters one minute, not the jump', async () => {
    await topUp(service, app.project.developer, 500)
    const [ada, bob] = [await member(RELAY), await member(RELAY)]
    for (const client of [ada, bob]) await joinCall(client, RELAY)
    const before = await minutes()
    service.clock.advance(60 * MINUTE_MS)
    assert.equal((await minutes()) - before, 2)
    await leaveAll([ada, bob])
  })
})

suite('relay-server calls', { start, engines: ['sqlite'] }, ({ service }) => {
  let app: ChannelApp
  let bots: VoiceBots
  before(async () => {
    bots = startVoiceBots()
    app = await newChannelApp(service, { voice: true })
    await app.server.put(RELAY, { voice: { mode: 'sfu' }, maxMembers: 40 })
  })
  after(async () => {
    await app.closeAll()
    await bots.stop()
  })
  async function caller() {
    const client = await app.join()
    await client.request({ t: 'channelJoin', channel: RELAY })
    return { client, ...(await callAsBot(bots, client, RELAY)) }
  }

  test('[VOI-08] [VOI-11] speakers are heard and named; a mute in the channel stops the sound at the relay server', async () => {
    const [ada, eve] = [await caller(), await caller()]
    await ada.talk()
    await comesTrue('ada is heard', async () => (await eve.heard()) > 10)
    const speakers = await eve.client.until(
      ({ t, ['slots']: slots }) => t === 'voice_speakers' && slots.includes(ada.client.id),
      'ada',
    )
    assert.equal(speakers['slots'].filter(Boolean).length, 1)

    const moderate = (op: string, more: object = {}) =>
      app.server.moderate(RELAY, { op, playerId: ada.client.id, ...more })
    const put = (changes: object) => app.server.put(RELAY, changes)
    const isDone = async (answer: Promise<{ status: number }>) => assert.equal((await answer).status, 200)
    await isDone(put({ send: 'speakers', speakers: [ada.client.id] }))
    const ways: [cutOff: () => Promise<unknown>, allow: () => Promise<unknown>][] = [
      [() => isDone(moderate('mute')), () => isDone(moderate('unmute'))],
      [() => isDone(moderate('mute', { seconds: 15 })), async () => service.clock.advance(15 * SECOND_MS)],
      [() => isDone(moderate('disallowSend')), () => isDone(moderate('allowSend'))],
      [() => isDone(put({ send: 'server' })), () => isDone(put({ send: 'everyone' }))],
    ]
    for (const [cutOff, allow] of ways) {
      await cutOff()
      await comesTrue('ada is not heard', () => isCutOff(ada, eve))
      const heard = await eve.heard()
      await allow()
      await comesTrue('ada is heard again', async () => (await eve.heard()) > heard)
      for (const { client } of [ada, eve]) await client.settled()
    }
    for (const { client } of [ada, eve]) await client.close()
  })

  test('[VOI-08] a description has at most 16 KB; the packets of calls above 30 people are longer', async () => {
    const { client } = await caller()
    const offer = await bots.offer()
    const sized = (length: number) => {
      const padding = 'a=x-padding:'
      return `${offer}${padding.padEnd(length - offer.length - 2, 'x')}\r\n`
    }
    const publish = (length: number) => ({ t: 'voicePublish', channel: RELAY, sdp: sized(length) })
    assert.equal(sized(16_384).length, 16_384)
    assert.match((await client.request(publish(16_384))).sdp, /^a=ptime:40\r$/m)
    assert.equal((await client.refusal(publish(16_385))).code, 'invalid_request')
    assert.equal((await app.server.put(RELAY, { maxMembers: 30 })).status, 200)
    assert.match((await client.request(publish(2_000))).sdp, /^a=ptime:20\r$/m)
    assert.equal((await app.server.put(RELAY, { maxMembers: 40 })).status, 200)
    await client.close()
  })

  test('[VOI-08] wrong descriptions and requests are refused, and change nothing', async () => {
    const { client } = await caller()
    const refused = async (frame: object) => (await client.refusal({ channel: RELAY, ...frame })).code
    assert.equal(await refused({ t: 'voicePublish', sdp: 'hello' }), 'invalid_request')
    assert.equal(await refused({ t: 'voicePublish', sdp: 'v'.repeat(16 * 1024 + 1) }), 'invalid_request')
    assert.equal(await refused({ t: 'voiceSignal', to: 'x', kind: 'offer' }), 'invalid_request')
    assert.deepEqual(await client.request({ t: 'voiceAnswer', channel: RELAY, gen: 77, sdp: 'old' }), {})
    for (let hints = 0; hints < 4; hints++)
      await client.request({ t: 'voiceSpeaking', channel: RELAY, speaking: true })
    assert.equal(await refused({ t: 'voiceSpeaking', speaking: true }), 'rate_limited')

    const early = await app.join()
    await early.request({ t: 'channelJoin', channel: RELAY })
    const publish = { t: 'voicePublish', channel: RELAY, sdp: 'v=0' }
    assert.equal((await early.refusal(publish)).code, 'not_in_channel')
    await early.request({ t: 'voiceJoin', channel: RELAY })
    assert.equal(
      (await early.refusal({ t: 'voiceAnswer', channel: RELAY, gen: 0, sdp: 'v=0' })).code,
      'invalid_request',
    )
    for (const each of [client, early]) await each.close()
  })

  test('[VOI-08] a connection may publish ten times a minute, and join as often', async () => {
    const { client } = await caller()
    const publish = { t: 'voicePublish', channel: RELAY, sdp: await bots.offer() }
    for (let publishes = 1; publishes < 10; publishes++) await client.request(publish)
    assert.equal((await client.refusal(publish)).code, 'rate_limited')
    for (let joins = 1; joins < 10; joins++) await client.request({ t: 'voiceJoin', channel: RELAY })
    assert.equal((await client.refusal({ t: 'voiceJoin', channel: RELAY })).code, 'rate_limited')
    await client.close()
  })

  test('[VOI-10] members are notified when the relay server is lost, and can join again', async () => {
    const ada = await caller()
    const { body } = await service.call('GET', '/metrics')
    assert.match(body, /svc_voice_calls\{mode="sfu"\} 1\n/)
    assert.match(body, /svc_voice_members\{mode="sfu"\} 1\n/)
    assert.match(body, /svc_voice_joins_total\{mode="sfu",outcome="ok"\} [1-9]/)
    assert.match(body, /svc_voice_joins_total\{mode="none",outcome="rate_limited"\} 1\n/)
    assert.match(body, /svc_voice_packets_total\{direction="out"\} [1-9]/)
    assert.match(body, /svc_voice_dropped_total\{reason="muted"\} [1-9]/)
    assert.match(body, /svc_voice_process_resident_bytes [1-9]/)
    process.kill(service.sfu.pid ?? 0, 'SIGKILL')
    assert.equal((await ada.client.next('voice_closed'))['reason'], 'unavailable')
    const joinAgain = async () => {
      const reply = { t: 'voiceJoin', channel: RELAY }
      return ada.client.request(reply).then(
        () => true,
        () => false,
      )
    }
    await comesTrue('joined again', joinAgain)
    await ada.client.close()
  })
})

test('[VOI-05] an overloaded relay server accepts no new call; players can join existing calls', async (t) => {
  // Any work at all is too much here.
  const service = await startService('sqlite', { settings: SETTINGS, sfuTimings: { busyCpu: 0, busyMs: 0 } })
  t.after(() => service.stop())
  const app = await newChannelApp(service, { voice: true })
  for (const channel of [RELAY, '@other']) await app.server.put(channel, { voice: true, maxMembers: 9 })
  const [ada, bob] = [await app.join(), await app.join()]
  for (const client of [ada, bob])
    for (const channel of [RELAY, '@other']) await client.request({ t: 'channelJoin', channel })
  await ada.request({ t: 'voiceJoin', channel: RELAY })
  await comesTrue('the process is busy', () => service.sfu.load().isOverloaded)
  assert.equal((await bob.refusal({ t: 'voiceJoin', channel: '@other' })).code, 'voice_unavailable')
  await bob.request({ t: 'voiceJoin', channel: RELAY })
  await app.closeAll()
})

test('[VOI-05] [VOI-09] without TURN there is no peer-to-peer call for those who must be relayed; others connect directly', async (t) => {
  const settings = { ...SETTINGS, TURN_PROVIDER: 'none' }
  const service = await startService('sqlite', { settings })
  t.after(() => service.stop())
  const app = await newChannelApp(service, { voice: true })
  const voice = { mode: 'p2p', relayOnly: false }
  await app.server.put('@direct', { voice, maxMembers: 8 })
  await app.server.put('@relayed', { voice: true, maxMembers: 8 })
  const guest = await newGuest(app.side)
  assert.equal((await guest.call('PUT', '/v1/social/age', { band: 'child' })).status, 200)
  const [child, adult] = [await app.joinAs(guest), await app.join()]
  for (const client of [child, adult])
    for (const channel of ['@direct', '@relayed']) await client.request({ t: 'channelJoin', channel })
  const { iceTransportPolicy, iceServers } = await adult.request({ t: 'voiceJoin', channel: '@direct' })
  assert.deepEqual([iceTransportPolicy, iceServers], ['all', []])
  for (const [client, channel] of [
    [adult, '@relayed'],
    [child, '@direct'],
  ] as const)
    assert.equal((await client.refusal({ t: 'voiceJoin', channel })).code, 'voice_unavailable')
  await app.closeAll()
})
