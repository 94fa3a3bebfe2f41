import { setTimeout as pause } from 'node:timers/promises'

import { comesTrue } from '../../packages/server/src/testing/in-time.ts'
import { connect } from '../../packages/server/src/testing/sockets.ts'
import { startVoiceBots, type VoiceBot } from '../../packages/server/src/testing/voice-bots.ts'
import { callAsBot } from '../../packages/server/src/testing/voice.ts'
import { type Metrics, percentile } from '../metrics.ts'
import { runWorkerLoop } from '../worker-loop.ts'
import { call } from './service.ts'

/**
 * Players of a service. `open`: some are in a chat channel, others (or no player) in a voice call. `talk`: so many members of the call talk.
 * `chat`: messages from one player to another. `mute`: the server mutes the speaker.
 */
export type VoiceChannelTask =
  | { what: 'open'; port: number; publishable: string; secret: string; callers: number }
  | { what: 'talk'; speakers: number }
  | { what: 'chat'; ms: number }
  | { what: 'mute'; times: number }

type Player = Awaited<ReturnType<typeof connect>>

const CALL = '@call'
const CHAT = '@chat'
const CHATTERS = 10
const MESSAGE_EVERY_MS = 20
/** Longer than any packet takes to arrive. */
const SILENCE_MS = 250
const CALL_PATH = `/v1/realtime/channels/${encodeURIComponent(CALL)}`

const callers: { player: Player; bot: VoiceBot }[] = []
const chatters: Player[] = []
let server: { port: number; headers: Record<string, string> }
let talking = 0
let sent = 0

runWorkerLoop(async (task: VoiceChannelTask): Promise<Metrics> => {
  switch (task.what) {
    case 'open':
      await open(task)
      return {}
    case 'talk':
      await talk(task.speakers)
      return {}
    case 'chat':
      return chat(task.ms)
    case 'mute':
      return mute(task.times)
  }
})

async function open({ port, publishable, secret, callers: count }: VoiceChannelTask & { what: 'open' }) {
  server = { port, headers: { 'x-svc-key': secret } }
  await call(port, 'PUT', '/v1/config', server.headers, { features: { realtimeChannels: true, voice: true } })
  await call(port, 'PUT', CALL_PATH, server.headers, { voice: { mode: 'sfu' }, maxMembers: 100 })
  const enter = async (channel: string) => {
    const key = { 'x-svc-key': publishable }
    const guest = await call<{ accessToken: string }>(port, 'POST', '/v1/auth/guest', key, {})
    const player = await connect({ port }, { publishableKey: publishable }, guest)
    await player.request({ t: 'channelJoin', channel })
    return player
  }
  await call(port, 'PUT', `/v1/realtime/channels/${encodeURIComponent(CHAT)}`, server.headers, {})
  for (let i = 0; i < CHATTERS; i++) chatters.push(await enter(CHAT))
  if (count === 0) return
  const bots = startVoiceBots()
  for (let i = 0; i < count; i++) {
    const player = await enter(CALL)
    callers.push({ player, bot: await callAsBot(bots, player, CALL) })
  }
}

/** An overloaded machine loses connections. */
function requireWholeCall() {
  const reasons = callers.flatMap(({ player }) =>
    player.received.filter(({ t }) => t === 'voice_closed').map(({ reason }) => String(reason)),
  )
  if (reasons.length > 0)
    throw new Error(`${reasons.length} of ${callers.length} people have lost the call: ${reasons[0]}`)
}

async function talk(speakers: number) {
  requireWholeCall()
  for (const { bot } of callers.slice(speakers, talking)) await bot.stopTalking()
  for (const { bot } of callers.slice(talking, speakers)) await bot.talk()
  talking = speakers
}

/** From the sender to another member, message by message. */
async function chat(ms: number): Promise<Metrics> {
  const tookMs: number[] = []
  for (const end = performance.now() + ms; performance.now() < end; await pause(MESSAGE_EVERY_MS)) {
    const sender = chatters[sent % CHATTERS]
    const receiver = chatters[(sent + 1) % CHATTERS]
    const number = ++sent
    const startedAt = performance.now()
    sender?.send({ t: 'channelSend', channel: CHAT, type: 'text', data: number })
    await receiver?.until(({ t, data }) => t === 'channel_message' && data === number, 'the message')
    tookMs.push(performance.now() - startedAt)
  }
  return latencies(tookMs)
}

/** From the request to the last packet that another member hears. */
async function mute(times: number): Promise<Metrics> {
  await talk(1)
  const [speaker, listener] = callers
  if (!speaker || !listener) throw new Error('nobody is in the call')
  const moderate = (op: 'mute' | 'unmute') =>
    call(server.port, 'POST', `${CALL_PATH}/moderate`, server.headers, { op, playerId: speaker.player.id })
  const tookMs: number[] = []
  for (let muted = 0; muted < times; muted++) {
    const before = await listener.bot.heard()
    await comesTrue('the speaker is heard', async () => (await listener.bot.heard()) > before)
    const mutedAtMs = Date.now()
    await moderate('mute')
    await pause(SILENCE_MS)
    tookMs.push(Math.max(0, (await listener.bot.lastHeardAtMs()) - mutedAtMs))
    await moderate('unmute')
  }
  await talk(0)
  return latencies(tookMs)
}

function latencies(tookMs: number[]): Metrics {
  const ascending = tookMs.toSorted((a, b) => a - b)
  return { p50Ms: percentile(ascending, 0.5), p99Ms: percentile(ascending, 0.99) }
}
