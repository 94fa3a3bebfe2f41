import datachannel, { type PeerConnection, type Track } from 'node-datachannel'

import { type BotCall, type BotReply, toneFrames } from './voice-bots.ts'

/** The process of the bots: see voice-bots.ts. */
type Bot = {
  connection: PeerConnection
  /** Undefined: it only listens. */
  microphone: Track | undefined
  slots: Track[]
  source: number
  sequence: number
  timestamp: number
  /** Packets received, by slot. */
  received: Map<string, number>
  lastReceivedAtMs: number
  talking: NodeJS.Timeout | undefined
}

const [, , address = ''] = process.argv
const PACKET_MS = 20
const SAMPLES = 960
const PAYLOAD_TYPE = 111

const tone = toneFrames()
const bots = new Map<number, Bot>()

/** A bot with a microphone. */
function create(id: number): Promise<string> {
  const bot = openBot(id)
  const audio = new datachannel.Audio('mic', 'SendOnly')
  audio.addOpusCodec(PAYLOAD_TYPE)
  audio.addSSRC(bot.source, 'bot', 'bot', 'bot')
  audio.parseSdpLine('a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level')
  bot.microphone = bot.connection.addTrack(audio)
  return described(bot.connection, 'offer')
}

/** A bot without one, whose relay server makes the offer. */
function listen(id: number, offer: string): Promise<string> {
  const { connection } = openBot(id)
  connection.setRemoteDescription(offer, 'offer')
  return described(connection, 'answer')
}

function openBot(id: number): Bot {
  const connection = new datachannel.PeerConnection(`bot ${id}`, {
    iceServers: [],
    bindAddress: address,
    disableAutoNegotiation: true,
    forceMediaTransport: true,
  })
  const received = new Map<string, number>()
  const bot: Bot = {
    connection,
    microphone: undefined,
    slots: [],
    source: 0x70000000 + id,
    sequence: 0,
    timestamp: 0,
    received,
    lastReceivedAtMs: 0,
    talking: undefined,
  }
  bots.set(id, bot)
  connection.onTrack((track) => {
    bot.slots.push(track)
    const slot = track.mid()
    track.onMessage((bytes) => {
      if (isRtcp(bytes)) return
      received.set(slot, (received.get(slot) ?? 0) + 1)
      bot.lastReceivedAtMs = Date.now()
    })
  })
  return bot
}

/** Reports of a relay server, which come with the packets (RFC 5761). */
const isRtcp = (bytes: Buffer) => (bytes[1] ?? 0) >= 192 && (bytes[1] ?? 0) <= 223

/** The description before its candidates: otherwise libdatachannel, as offerer, can finish DTLS before it knows the fingerprint. */
function accept({ connection }: Bot, answer: string) {
  connection.setRemoteDescription(withoutCandidates(answer), 'answer')
  for (const line of answer.split('\r\n'))
    if (/^a=candidate.* UDP /i.test(line)) connection.addRemoteCandidate(line, 'mic')
}

function takeSlots({ connection }: Bot, offer: string): Promise<string> {
  connection.setRemoteDescription(withoutCandidates(offer), 'offer')
  return described(connection, 'answer')
}

async function described(connection: PeerConnection, type: 'offer' | 'answer'): Promise<string> {
  const gathered = new Promise<void>((resolve) => {
    if (connection.gatheringState() === 'complete') setImmediate(resolve)
    else connection.onGatheringStateChange((state) => state === 'complete' && resolve())
  })
  connection.setLocalDescription(type)
  await gathered
  return connection.localDescription()?.sdp ?? ''
}

const withoutCandidates = (sdp: string) => sdp.replace(/^a=(candidate|end-of-candidates).*\r\n/gm, '')

function talk(bot: Bot, levelDb: number) {
  clearInterval(bot.talking)
  const startedAt = performance.now()
  let ticks = 0
  bot.talking = setInterval(() => {
    for (; performance.now() - startedAt > ticks * PACKET_MS; ticks++) sendPacket(bot, levelDb)
  }, PACKET_MS / 2)
}

function sendPacket(bot: Bot, levelDb: number) {
  const payload = tone[bot.sequence % tone.length] ?? Buffer.alloc(3)
  bot.sequence++
  bot.timestamp = (bot.timestamp + SAMPLES) >>> 0
  const bytes = Buffer.alloc(20 + payload.length)
  bytes[0] = 0x90
  bytes[1] = PAYLOAD_TYPE
  bytes.writeUInt16BE(bot.sequence & 0xffff, 2)
  bytes.writeUInt32BE(bot.timestamp, 4)
  bytes.writeUInt32BE(bot.source, 8)
  bytes.writeUInt16BE(0xbede, 12)
  bytes.writeUInt16BE(1, 14)
  bytes[16] = 0x10
  bytes[17] = levelDb
  payload.copy(bytes, 20)
  if (bot.microphone?.isOpen()) bot.microphone.sendMessageBinary(bytes)
}

function close(id: number) {
  const bot = bots.get(id)
  if (!bot) return
  bots.delete(id)
  clearInterval(bot.talking)
  for (const track of bot.slots) track.close()
  bot.microphone?.close()
  bot.connection.close()
}

async function answerTo(call: BotCall): Promise<unknown> {
  if (call.do === 'create') return create(call.bot)
  if (call.do === 'listen') return listen(call.bot, call.sdp)
  if (call.do === 'close') return close(call.bot)
  const bot = bots.get(call.bot)
  if (!bot) throw new Error('there is no such bot')
  switch (call.do) {
    case 'accept':
      return accept(bot, call.sdp)
    case 'takeSlots':
      return takeSlots(bot, call.sdp)
    case 'talk':
      return talk(bot, call.levelDb)
    case 'stopTalking':
      return clearInterval(bot.talking)
    case 'burst':
      for (let packet = 0; packet < call.packets; packet++) sendPacket(bot, 20)
      return undefined
    case 'noise':
      // Their source is the one that was announced: the engine drops others.
      for (const packet of call.packets) {
        const bytes = Buffer.from(packet, 'base64')
        bytes.writeUInt32BE(bot.source, 8)
        try {
          if (bot.microphone?.isOpen()) bot.microphone.sendMessageBinary(bytes)
        } catch {
          // Some are so broken that they cannot be encrypted.
        }
      }
      return undefined
    case 'figures':
      return {
        state: bot.connection.state(),
        sent: bot.sequence,
        heard: Object.fromEntries(bot.received),
        lastHeardAtMs: bot.lastReceivedAtMs,
      }
  }
}

const send = (reply: BotReply) => process.send?.(reply, undefined, undefined, () => {})

process.on('message', ({ id, ...call }: BotCall & { id: number }) => {
  answerTo(call).then(
    (value) => send({ id, value: value ?? null }),
    (error: unknown) => send({ id, error: String(error) }),
  )
})
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
