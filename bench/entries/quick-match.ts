import { lazy } from '../../packages/server/src/platform/memory/lazy.ts'
import type { Entry, Line } from '../harness.ts'
import { type Metrics, percentile } from '../metrics.ts'
import { cpuMs } from '../process-stats.ts'
import { openSocket, type Socket } from '../realtime/websocket.ts'
import { newGuest } from '../targets/guests.ts'
import { call, newProject, startService } from '../targets/service.ts'

const ONE = 'beside 1 open room'
const MANY = 'beside 1,000 open rooms'
const ROOMS_MANY = 1_000
const MATCHES = 400
/** A client that sends nothing for a minute is disconnected. */
const HEARTBEAT_MS = 20_000
const CONNECTIONS_AT_ONCE = 16

type Reply = { t: string; rid?: number; ok?: boolean }
type Player = { ask(frame: object): Promise<Reply>; send(frame: object): void; close(): Promise<void> }

export async function quickMatchEntries(opened: AsyncDisposableStack): Promise<Entry[]> {
  const { port, pid, end } = await startService()
  opened.defer(end)
  const { publishable, secret } = await newProject(port, 'Matches')
  const modes = [ONE, MANY].map((_, at) => ({ key: `mode_${at}`, minPlayers: 1, maxPlayers: 64 }))
  const config = { features: { multiplayer: true }, multiplayer: { modes } }
  await call(port, 'PUT', '/v1/config', { 'x-svc-key': secret }, config)
  const connect = () => connectPlayer(port, publishable)

  const line = (name: string, mode: string, rooms: number): Line => {
    const open = lazy(() => openRooms(opened, connect, mode, rooms))
    return {
      name,
      measure: async () => {
        await open()
        return measureMatches(pid, connect, mode)
      },
      goals: [{ number: 10, metric: 'cpuMicros', atMost: 1_000 }],
    }
  }
  return [
    {
      name: 'quick match',
      about:
        'A player asks for a match and gets a seat in a started one; the other players of that room are notified. One request after the other, each by a new player.',
      comparedMetric: 'cpuMicros',
      baselines: [ONE],
      lines: [line(ONE, 'mode_0', 1), line(MANY, 'mode_1', ROOMS_MANY)],
    },
  ]
}

/** A locked room is not filled, so the next player starts another one. */
async function openRooms(
  opened: AsyncDisposableStack,
  connect: () => Promise<Player>,
  mode: string,
  rooms: number,
): Promise<Player[]> {
  const hosts = await connectMany(connect, rooms)
  const heartbeat = setInterval(() => {
    for (const host of hosts) host.send({ t: 'cancelMatch' })
  }, HEARTBEAT_MS)
  opened.defer(async () => {
    clearInterval(heartbeat)
    await Promise.all(hosts.map((host) => host.close()))
  })
  for (const host of hosts) {
    await host.ask({ t: 'quickMatch', mode })
    await host.ask({ t: 'lock', locked: true })
  }
  for (const host of hosts) await host.ask({ t: 'lock', locked: false })
  return hosts
}

async function measureMatches(pid: number, connect: () => Promise<Player>, mode: string): Promise<Metrics> {
  const players = await connectMany(connect, MATCHES)
  const tookMs: number[] = []
  const before = cpuMs(pid)
  for (const player of players) {
    const startedAt = performance.now()
    await player.ask({ t: 'quickMatch', mode })
    tookMs.push(performance.now() - startedAt)
  }
  const cpuMicros = ((cpuMs(pid) - before) * 1_000) / MATCHES
  // A player who leaves frees the seat for the next round; a lost connection would keep it.
  for (const player of players) await player.ask({ t: 'leave' })
  await Promise.all(players.map((player) => player.close()))
  tookMs.sort((a, b) => a - b)
  return { cpuMicros, p50Ms: percentile(tookMs, 0.5), p99Ms: percentile(tookMs, 0.99) }
}

async function connectMany(connect: () => Promise<Player>, count: number): Promise<Player[]> {
  const players: Player[] = []
  while (players.length < count) {
    const group = Array.from({ length: Math.min(CONNECTIONS_AT_ONCE, count - players.length) }, connect)
    players.push(...(await Promise.all(group)))
  }
  return players
}

async function connectPlayer(port: number, key: string): Promise<Player> {
  const token = await newGuest(port, key)
  const waiting = new Map<number | 'welcome', (reply: Reply) => void>()
  let rid = 0
  const receive = (payload: Buffer) => {
    const reply = JSON.parse(payload.toString()) as Reply
    const key = reply.t === 'welcome' ? 'welcome' : reply.t === 'reply' ? reply.rid : undefined
    if (key === undefined) return
    waiting.get(key)?.(reply)
    waiting.delete(key)
  }
  const socket: Socket = await openSocket(port, '/v1/realtime', receive)
  const welcomed = new Promise<Reply>((resolve) => waiting.set('welcome', resolve))
  const send = (frame: object) => socket.send(JSON.stringify(frame))
  send({ t: 'auth', key, token })
  await welcomed
  return {
    send,
    close: () => socket.close(),
    async ask(frame) {
      const reply = await new Promise<Reply>((resolve) => {
        waiting.set(++rid, resolve)
        send({ ...frame, rid })
      })
      if (reply.ok !== true) throw new Error(`${JSON.stringify(frame)}: ${JSON.stringify(reply)}`)
      return reply
    },
  }
}
