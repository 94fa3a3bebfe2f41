import { signal } from '@preact/signals'
import type { SessionView } from '@svc/contract/players'
import { realtimeUrlOf } from '@svc/sdk/realtime/realtime-url'

import { mergePatch } from '../../json-patch.ts'
import { nowMs } from '../../platform.ts'
import { createPlayerNetwork, type Simulate } from './player-network.ts'

const FRAMES_KEPT_MAX = 200
const REPLY_TIMEOUT_MS = 10_000
const MEASURE_EVERY_MS = 2_000
/** A room with code can send 60 frames a second; the page is drawn less often. */
const DRAW_EVERY_MS = 200

/** One frame as it was sent or received, as text. */
type LoggedFrame = { id: number; atMs: number; isSent: boolean; type: string; text: string }
type RoomView = {
  id: string
  code: string
  mode: string
  state?: unknown
  own?: unknown
  server?: { tickRate: number; tick: number }
}
type Frame = {
  t: string
  rid?: number
  ok?: boolean
  data?: unknown
  error?: { code: string; message: string }
  room?: RoomView | null
  patch?: unknown
  own?: unknown
  tick?: number
}
/** What a player sees of the room: the shared state, and in rooms with code its own. */
type Seen = { state: unknown; own: unknown; tick: number | null }

export type ConsolePlayer = ReturnType<typeof createConsolePlayer>

/** A player without the app: a real session on a real connection, with a network that the service simulates. */
export function createConsolePlayer(key: string, session: SessionView, simulate: Simulate) {
  const playerId = session.player.id
  const state = signal<'offline' | 'connecting' | 'online'>('offline')
  const room = signal<RoomView | null>(null)
  const roundTripMs = signal<number | null>(null)
  const network = createPlayerNetwork((conditions) => simulate(playerId, conditions))
  const frames = signal<readonly LoggedFrame[]>([])
  const seen = signal<Seen | null>(null)
  const waiting = new Map<number, (reply: Frame) => void>()
  let socket: WebSocket | undefined
  let lastRid = 0
  let lastFrame = 0
  /** The room to go back to after a lost connection. */
  let lastRoomId: string | undefined
  let newFrames: LoggedFrame[] = []
  let nowSeen: Seen | null = null
  let drawing: ReturnType<typeof setTimeout> | undefined
  let measuring: ReturnType<typeof setTimeout> | undefined

  const draw = () => {
    drawing = undefined
    frames.value = [...frames.value, ...newFrames].slice(-FRAMES_KEPT_MAX)
    newFrames = []
    seen.value = nowSeen
  }
  const drawSoon = () => void (drawing ??= setTimeout(draw, DRAW_EVERY_MS))

  const log = (isSent: boolean, text: string, { t = '?' }: { t?: string }) => {
    // The key and the token of the first frame are not shown.
    const shown = t === 'auth' ? '{"t":"auth", …}' : text
    newFrames.push({ id: ++lastFrame, atMs: nowMs(), isSent, type: t, text: shown })
    if (newFrames.length > FRAMES_KEPT_MAX) newFrames.shift()
    drawSoon()
  }
  const write = (frame: { t: string; [field: string]: unknown }, isLogged = true) => {
    const text = JSON.stringify(frame)
    if (isLogged) log(true, text, frame)
    socket?.send(text)
  }

  function receive(text: string) {
    const frame = JSON.parse(text) as Frame
    const answer = frame.t === 'reply' && frame.rid !== undefined ? waiting.get(frame.rid) : undefined
    if (frame.rid !== undefined) waiting.delete(frame.rid)
    // Replies to measurements would hide the others.
    if (answer !== measured) log(false, text, frame)
    answer?.(frame)
    if (frame.t === 'welcome') {
      state.value = 'online'
      room.value = null
      lastRoomId ??= frame.room?.id
      measure()
    }
    if (frame.t === 'room_joined' && frame.room) {
      const { id, state: shared = {}, own = null, server } = frame.room
      room.value = frame.room
      lastRoomId = id
      nowSeen = { state: shared, own, tick: server?.tick ?? null }
    }
    if (nowSeen && frame.t === 'state')
      nowSeen = { ...nowSeen, state: { ...(nowSeen.state as object), ...(frame.patch as object) } }
    if (nowSeen && frame.t === 'sync')
      nowSeen = {
        state: frame.patch === undefined ? nowSeen.state : mergePatch(nowSeen.state, frame.patch),
        own: frame.own === undefined ? nowSeen.own : mergePatch(nowSeen.own, frame.own),
        tick: frame.tick ?? null,
      }
    if (frame.t === 'room_closed') leftRoom()
  }

  function leftRoom() {
    room.value = null
    lastRoomId = undefined
    nowSeen = null
    drawSoon()
  }

  let measureStartedMs = 0
  const measured = () => {
    roundTripMs.value = Math.round(performance.now() - measureStartedMs)
    measuring = setTimeout(measure, MEASURE_EVERY_MS)
  }
  /** Any request has a reply, also one of an unknown type. The next begins after the reply: a paused network answers late. */
  function measure() {
    clearTimeout(measuring)
    if (state.value !== 'online') return
    measureStartedMs = performance.now()
    const rid = ++lastRid
    waiting.set(rid, measured)
    write({ t: 'ping', rid }, false)
  }

  return {
    id: playerId,
    name: session.player.displayName,
    state,
    room,
    roundTripMs,
    network,
    frames,
    seen,

    connect() {
      if (socket) return
      state.value = 'connecting'
      void network.repeat()
      const opened = new WebSocket(realtimeUrlOf(location.origin))
      socket = opened
      opened.onopen = () => write({ t: 'auth', key, token: session.accessToken })
      opened.onmessage = ({ data }) => receive(String(data))
      opened.onclose = () => {
        if (socket === opened) socket = undefined
        clearTimeout(measuring)
        state.value = 'offline'
        room.value = null
        roundTripMs.value = null
        nowSeen = null
        drawSoon()
      }
    },

    /** Sends a request and waits for its reply; rejects with the message of the service. */
    async ask(type: string, fields: object = {}): Promise<unknown> {
      if (state.value !== 'online') throw new Error('This player is not connected.')
      const rid = ++lastRid
      const reply = await new Promise<Frame>((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(rid)
          reject(new Error('The service did not reply.'))
        }, REPLY_TIMEOUT_MS)
        waiting.set(rid, (answer) => {
          clearTimeout(timer)
          resolve(answer)
        })
        write({ t: type, rid, ...fields })
      })
      if (reply.error) throw new Error(reply.error.message)
      if (type === 'leave') leftRoom()
      return reply.data
    },

    canResume: () => state.value === 'online' && room.value === null && lastRoomId !== undefined,
    resume(): Promise<unknown> {
      return this.ask('resume', { roomId: lastRoomId })
    },

    /** Ends the connection as a lost network does: the seat stays for 30 seconds. */
    drop: () => socket?.close(),
  }
}
