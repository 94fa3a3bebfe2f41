import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import type { VoiceBot, VoiceBots } from '../../packages/server/src/testing/voice-bots.ts'
import { findOrInstall } from '../../scripts/programs.ts'
import { freePort, freshFolder } from '../processes.ts'

const ROOM = 1
/** One connection takes up to a second. */
const JOINING_TOGETHER = 10
const CONNECT_MS_MAX = 20_000
const REPLY_MS_MAX = 20_000
/** A session ends after a minute without one. */
const KEEP_ALIVE_MS = 20_000

/** Plugins and transports that are not needed are not loaded. The port of WebSockets is the only one besides those of media. */
const UNUSED = {
  plugins: 'audiobridge duktape echotest lua nosip recordplay sip streaming textroom videocall voicemail',
  transports: 'http mqtt nanomsg pfunix rabbitmq',
}
const disabled = (names: string) =>
  names
    .split(' ')
    .map((name) => `libjanus_${name}.so`)
    .join(',')

type Description = { type: 'offer' | 'answer'; sdp: string }
type Message = {
  janus: string
  transaction?: string
  data?: { id: number }
  plugindata?: { data: { id?: number; error?: string } }
  jsep?: Description
  error?: { reason: string }
}

/**
 * Janus of Debian with its plugin `videoroom`, which forwards packets as the relay server of the service does. `eventLoops`: threads for
 * all connections; 0, the default of Janus, is one for each connection.
 */
export async function startJanus({ eventLoops }: { eventLoops: number }) {
  const [program] = findOrInstall('janus')
  const [port, folder] = [await freePort(), freshFolder()]
  const loops = eventLoops > 0 ? `event_loops = ${eventLoops}` : ''
  writeFileSync(
    join(folder, 'janus.jcfg'),
    `general: { debug_level = 2 ${loops} }
nat: { ice_enforce_list = "${ownAddress()}" ice_lite = true }
plugins: { disable = "${disabled(UNUSED.plugins)}" }
transports: { disable = "${disabled(UNUSED.transports)}" }
`,
  )
  writeFileSync(
    join(folder, 'janus.transport.websockets.jcfg'),
    `general: { ws = true ws_ip = "127.0.0.1" ws_port = ${port} wss = false }
admin: { admin_ws = false }
`,
  )
  const args = ['--pdeathsig', 'KILL', program, '-F', folder, '-C', join(folder, 'janus.jcfg')]
  const child = spawn('setpriv', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  child.on('error', (error) => console.error(error.message))
  const socket = await connected(`ws://127.0.0.1:${port}`)
  return { pid: child.pid ?? 0, ...(await openRoom(socket)) }
}

/** Janus does not use loopback addresses. Packets from one own address to another do not leave the machine either. */
export function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses)
  const found = all.find(({ family, internal }) => family === 'IPv4' && !internal)
  if (!found) throw new Error('Janus needs an IPv4 address besides 127.0.0.1')
  return found.address
}

async function connected(url: string): Promise<WebSocket> {
  for (const until = performance.now() + CONNECT_MS_MAX; performance.now() < until; await pause(100)) {
    const socket = new WebSocket(url, 'janus-protocol')
    const [event] = await Promise.race([once(socket, 'open'), once(socket, 'error'), once(socket, 'close')])
    if (event.type === 'open') return socket
  }
  throw new Error('Janus does not answer')
}

async function openRoom(socket: WebSocket) {
  const waiting = new Map<string, (message: Message) => void>()
  let transactions = 0
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message
    // An `ack` is followed by the reply.
    if (message.janus !== 'ack' && message.transaction) waiting.get(message.transaction)?.(message)
  })

  async function ask(request: object): Promise<Message> {
    const transaction = String(++transactions)
    const replied = Promise.withResolvers<Message>()
    waiting.set(transaction, replied.resolve)
    const timer = setTimeout(() => replied.reject(new Error('Janus does not reply')), REPLY_MS_MAX)
    socket.send(JSON.stringify({ ...request, transaction }))
    const message = await replied.promise.finally(() => (clearTimeout(timer), waiting.delete(transaction)))
    const problem = message.error?.reason ?? message.plugindata?.data.error
    if (problem !== undefined) throw new Error(`Janus: ${problem}`)
    return message
  }

  const { data: session } = await ask({ janus: 'create' })
  const inSession = { session_id: session?.id }
  setInterval(() => void ask({ janus: 'keepalive', ...inSession }).catch(() => {}), KEEP_ALIVE_MS)

  /** A connection of a member: each has one to send and one to receive. */
  async function attach() {
    const { data } = await ask({ janus: 'attach', plugin: 'janus.plugin.videoroom', ...inSession })
    return (body: object, jsep?: Description) =>
      ask({ janus: 'message', ...inSession, handle_id: data?.id, body, ...(jsep && { jsep }) })
  }
  await (
    await attach()
  )({ request: 'create', room: ROOM, publishers: 100, audiocodec: 'opus' })

  async function publish(bots: VoiceBots) {
    const send = await attach()
    let feed = 0
    const bot = await bots.publish(async (sdp) => {
      const body = { request: 'joinandconfigure', ptype: 'publisher', room: ROOM, video: false }
      const { plugindata, jsep } = await send(body, { type: 'offer', sdp })
      feed = plugindata?.data.id ?? 0
      return jsep?.sdp ?? ''
    })
    return { bot, feed }
  }

  async function listen(bots: VoiceBots, feeds: number[]) {
    const send = await attach()
    const streams = feeds.map((feed) => ({ feed }))
    const { jsep } = await send({ request: 'join', ptype: 'subscriber', room: ROOM, streams })
    return bots.listen(jsep?.sdp ?? '', (sdp) => send({ request: 'start' }, { type: 'answer', sdp }))
  }

  return {
    /** Each speaker sends, and everybody receives the other speakers. Those who do not speak have no connection to send. */
    async call(bots: VoiceBots, people: number, speakers: number) {
      const talking: Awaited<ReturnType<typeof publish>>[] = []
      for (let index = 0; index < speakers; index++) talking.push(await publish(bots))
      const listening: VoiceBot[] = []
      for (let first = 0; first < people; first += JOINING_TOGETHER) {
        const joining = Array.from({ length: Math.min(JOINING_TOGETHER, people - first) }, (_, index) => {
          const others = talking.filter((_, speaker) => speaker !== first + index)
          return listen(
            bots,
            others.map(({ feed }) => feed),
          )
        })
        listening.push(...(await Promise.all(joining)))
      }
      return { talking: talking.map(({ bot }) => bot), listening }
    },
  }
}
