import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

import { WebSocket } from 'ws'

import { HOSTILE_FRAMES } from './rooms.ts'

/** An environment whose rooms run hostile code. */
export type RoomTarget = { name: string; publishableKey: string }

const FRAMES_MAX = 40
const VISIT_MS_MAX = 3_000

/** Players of hostile rooms who send hostile frames, and leave in several ways. */
export function startRoomVisitors(
  port: number,
  targets: readonly RoomTarget[],
  { visitors, number }: { visitors: number; number: (below: number) => number },
) {
  let frames = 0
  let isStopped = false

  async function visit(target: RoomTarget) {
    const headers = { 'x-svc-key': target.publishableKey, 'content-type': 'application/json' }
    const guest = await fetch(`http://127.0.0.1:${port}/v1/auth/guest`, {
      method: 'POST',
      headers,
      body: '{}',
    })
    const { accessToken: token } = (await guest.json()) as { accessToken: string }
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/realtime`)
    socket.on('error', () => {})
    const closed = once(socket, 'close').catch(() => {})
    await Promise.race([once(socket, 'open').catch(() => {}), closed])
    const send = (frame: string | Uint8Array) => {
      frames++
      socket.send(frame, () => {})
    }
    if (socket.readyState === WebSocket.OPEN) {
      send(JSON.stringify({ t: 'auth', key: target.publishableKey, token }))
      send(JSON.stringify({ t: 'quickJoin', mode: 'default', rid: 'join' }))
      send(JSON.stringify({ t: 'create', mode: 'default', rid: 'create' }))
    }
    for (let left = number(FRAMES_MAX); left > 0 && socket.readyState === WebSocket.OPEN; left--) {
      send(HOSTILE_FRAMES[number(HOSTILE_FRAMES.length)] ?? '')
      await pause(number(50))
    }
    await Promise.race([pause(number(VISIT_MS_MAX)), closed])
    if (number(2) === 0) socket.close()
    else socket.terminate()
    await closed
  }

  async function visitAll() {
    while (!isStopped) {
      const target = targets[number(targets.length)]
      if (!target) return
      await visit(target).catch(() => {})
      await pause(number(200))
    }
  }
  const ended = Promise.all(Array.from({ length: visitors }, visitAll))

  return {
    frames: () => frames,
    async stop() {
      isStopped = true
      await ended
    },
  }
}
