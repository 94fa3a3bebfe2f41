import { signal } from '@preact/signals'
import type { SessionView } from '@svc/contract/players'
import { realtimeUrlOf } from '@svc/sdk/realtime/realtime-url'

import { nowMs } from '../../platform.ts'

const FRAMES_KEPT_MAX = 200
const REPLY_TIMEOUT_MS = 10_000

/** One frame as it was sent or received, as text. */
type LoggedFrame = { id: number; atMs: number; isSent: boolean; type: string; text: string }
type RoomView = { id: string; code: string; mode: string }
type Reply = {
  t: string
  rid?: number
  ok?: boolean
  data?: unknown
  error?: { code: string; message: string }
}
export type SimulatedPlayer = ReturnType<typeof createSimulatedPlayer>

/** A player of the playground: a real session on a real connection. */
export function createSimulatedPlayer(key: string, session: SessionView) {
  const state = signal<'offline' | 'connecting' | 'online'>('offline')
  const room = signal<RoomView | null>(null)
  const latencyMs = signal<number | null>(null)
  const frames = signal<readonly LoggedFrame[]>([])
  const waiting = new Map<number, (reply: Reply) => void>()
  let socket: WebSocket | undefined
  let lastRid = 0
  let lastFrame = 0
  /** The room to go back to after a lost connection. */
  let lastRoomId: string | undefined

  const log = (isSent: boolean, text: string) => {
    const { t = '?' } = JSON.parse(text) as { t?: string }
    // The key and the token of the first frame are not shown.
    const shown = t === 'auth' ? '{"t":"auth", …}' : text
    frames.value = [...frames.value, { id: ++lastFrame, atMs: nowMs(), isSent, type: t, text: shown }].slice(
      -FRAMES_KEPT_MAX,
    )
  }
  const write = (frame: object) => {
    const text = JSON.stringify(frame)
    log(true, text)
    socket?.send(text)
  }

  function receive(text: string) {
    log(false, text)
    const frame = JSON.parse(text) as Reply & { room?: RoomView | null; playerId?: string }
    if (frame.t === 'welcome') {
      state.value = 'online'
      room.value = frame.room ?? null
    }
    if (frame.t === 'room_joined') {
      room.value = frame.room ?? null
      lastRoomId = frame.room?.id
    }
    if (frame.t === 'room_closed') room.value = null
    if (frame.t === 'reply' && frame.rid !== undefined) {
      waiting.get(frame.rid)?.(frame)
      waiting.delete(frame.rid)
    }
  }

  return {
    id: session.player.id,
    name: session.player.displayName,
    state,
    room,
    latencyMs,
    frames,

    connect() {
      if (socket) return
      state.value = 'connecting'
      const opened = new WebSocket(realtimeUrlOf(location.origin))
      socket = opened
      opened.onopen = () => write({ t: 'auth', key, token: session.accessToken })
      opened.onmessage = ({ data }) => receive(String(data))
      opened.onclose = () => {
        if (socket === opened) socket = undefined
        state.value = 'offline'
        room.value = null
      }
    },

    /** Sends a request and waits for its reply; rejects with the message of the service. */
    async ask(type: string, fields: object = {}): Promise<unknown> {
      if (state.value !== 'online') throw new Error('This player is not connected.')
      const rid = ++lastRid
      const started = performance.now()
      const reply = await new Promise<Reply>((resolve, reject) => {
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
      latencyMs.value = Math.round((performance.now() - started) * 10) / 10
      if (reply.error) throw new Error(reply.error.message)
      if (type === 'leave') {
        room.value = null
        lastRoomId = undefined
      }
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
