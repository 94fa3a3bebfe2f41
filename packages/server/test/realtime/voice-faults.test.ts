import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { comesTrue } from '../../src/testing/in-time.ts'
import { isCutOff, startVoiceBots, type VoiceBot, type VoiceBots } from '../../src/testing/voice-bots.ts'
import { callerOf, startServer } from '../server-process.ts'
import { newGameServer } from './game-server.ts'
import { ReconnectingPlayer } from './reconnecting-player.ts'
import { type NodeName, startTwoNodes, type TwoNodes } from './two-nodes.ts'
import { VoiceCaller } from './voice-caller.ts'

/** Nodes notice a lost one after some seconds; a busy machine takes longer. */
const RECOVERED_MS = 60_000

describe('relay-server calls on two server programs', () => {
  let cluster: TwoNodes
  let bots: VoiceBots
  let count = 0
  before(async () => {
    cluster = await startTwoNodes()
    bots = startVoiceBots()
  })
  after(async () => {
    await bots.stop()
    await cluster.stop()
  })

  /** Two callers on node a, which owns the call, and one who talks on node b. All hear it. */
  async function openCall() {
    const { game, nodes } = cluster
    const channel = `@call${++count}`
    const path = `/v1/realtime/channels/${encodeURIComponent(channel)}`
    const body = { voice: { mode: 'sfu' }, maxMembers: 20 }
    assert.equal((await callerOf(nodes.a)('PUT', path, { key: game.secretKey, body })).status, 200)
    const enter = async (node: NodeName) => {
      const player = new ReconnectingPlayer(game, await game.newPlayer(nodes[node]))
      await player.connect(nodes[node])
      const caller = new VoiceCaller(bots, player, channel)
      await caller.enter()
      return caller
    }
    const onA = [await enter('a'), await enter('a')]
    const speaker = await enter('b')
    await speaker.bot.talk()
    const call = { speaker, onA, all: [...onA, speaker] }
    await comesTrue('the speaker is heard', hearing(call))
    return call
  }
  type TestCall = Awaited<ReturnType<typeof openCall>>

  /** True once every caller of node a has heard the speaker for half a second since the first question. */
  function hearing({ onA }: TestCall) {
    const firstHeard = new Map<VoiceBot, number>()
    return async () => {
      const packets = await Promise.all(
        onA.map(async ({ bot }) => {
          const heard = await bot.heard()
          const first = firstHeard.get(bot) ?? heard
          firstHeard.set(bot, first)
          return heard - first
        }),
      )
      return packets.every((count) => count > 25)
    }
  }

  /** Callers join again until all of them are in one call, and hear the speaker. */
  async function recover(call: TestCall) {
    const { all, speaker } = call
    const ids = all.map(({ player }) => player.id).toSorted()
    const isHeard = hearing(call)
    await comesTrue(
      'all are in one call, and hear the speaker',
      async () => {
        for (const caller of all)
          if ((await caller.enterAgainIfClosed()) && caller === speaker) await speaker.bot.talk()
        const areIn = all.every(
          (caller) => String(caller.members.toSorted()) === String(ids) && !caller.isClosed,
        )
        return areIn && (await isHeard())
      },
      RECOVERED_MS,
    )
    for (const { player } of all) await player.close()
  }

  test('[VOI-10] kill -9 of the node of the call: its members are in one call on the other node, and hear each other', async (t) => {
    const call = await openCall()
    const killedAt = performance.now()
    await cluster.kill('a')
    for (const caller of call.onA) {
      await caller.player.connect(cluster.nodes.b)
      await caller.enter()
    }
    await recover(call)
    t.diagnostic(`heard again after ${Math.round(performance.now() - killedAt)} ms`)
    await cluster.restart('a')
  })

  test('[VOI-10] a frozen node: its relay server stops forwarding, and there is one call when the node is awake again', async () => {
    const call = await openCall()
    const { speaker, onA } = call
    const [formerSpeaker, formerBots] = [speaker.bot, onA.map(({ bot }) => bot)]
    cluster.freeze('a')
    await comesTrue('the other node takes over', () => speaker.isClosed, RECOVERED_MS)
    // The former connection of the speaker goes on sending.
    await speaker.enterAgainIfClosed()
    await speaker.bot.talk()
    for (const bot of formerBots)
      await comesTrue('nothing is forwarded by the frozen node', () => isCutOff(formerSpeaker, bot))
    cluster.wake('a')
    await recover(call)
  })

  test('[VOI-10] kill -9 of the other node: the call goes on, and its members there join again', async () => {
    const call = await openCall()
    await cluster.kill('b')
    await call.speaker.player.connect(cluster.nodes.a)
    await call.speaker.enter()
    await call.speaker.bot.talk()
    await recover(call)
    assert.ok(call.onA.every((caller) => caller.bots.length === 1))
    await cluster.restart('b')
  })

  test('[VOI-10] Redis loses everything: all are in one call afterwards', async () => {
    const call = await openCall()
    await cluster.flushRedis()
    // The node that does not own the channel has forgotten who does.
    await comesTrue('a node notices', () => call.all.some(({ isClosed }) => isClosed), RECOVERED_MS)
    await recover(call)
  })
})

test('[VOI-10] a program that is frozen for longer than the leases of its calls: all hear each other again, and chat goes on', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-voice-frozen-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const server = await startServer({ SVC_DATA_DIR: folder, SVC_RATE_LIMITS: 'off' })
  t.after(() => server.signal('SIGKILL'))
  const bots = startVoiceBots()
  t.after(bots.stop)
  const game = await newGameServer(server, { features: { realtimeChannels: true, voice: true } })
  const body = { voice: { mode: 'sfu' }, maxMembers: 20 }
  await callerOf(server)('PUT', '/v1/realtime/channels/@frozen', { key: game.secretKey, body })
  const enter = async () => {
    const player = new ReconnectingPlayer(game, await game.newPlayer())
    await player.connect(server)
    const caller = new VoiceCaller(bots, player, '@frozen')
    await caller.enter()
    return caller
  }
  const [speaker, listener] = [await enter(), await enter()]
  await speaker.bot.talk()
  await comesTrue('the speaker is heard', async () => (await listener.bot.heard()) > 25)

  server.signal('SIGSTOP')
  await comesTrue('the relay server stops forwarding', () => isCutOff(speaker.bot, listener.bot))
  server.signal('SIGCONT')
  for (const caller of [speaker, listener]) {
    await comesTrue('the caller is told', () => caller.isClosed || !caller.player.isConnected)
    if (!caller.player.isConnected) await caller.player.connect(server)
    await caller.enter()
  }
  await speaker.bot.talk()
  await comesTrue('the speaker is heard again', async () => (await listener.bot.heard()) > 25)
  await listener.player.must({ t: 'channelSend', channel: '@frozen', type: 'x', data: 1 })
  for (const { player } of [speaker, listener]) await player.close()
})
