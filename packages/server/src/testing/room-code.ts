import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

import type { RoomProcess, RoomProcessEnd } from '../platform/ports/room-process.ts'

const SDK = new URL('../../../sdk/src/room/room.ts', import.meta.url)

/** The modules of functions whose main module imports `Room` from `./room.js`. */
export const modulesWithRooms = (code: string) => [
  { name: 'index.js', content: code },
  { name: 'room.js', content: stripTypeScriptTypes(readFileSync(SDK, 'utf8')) },
]

type Start = (events: {
  onMessage(bytes: Buffer): void
  onEnd(end: RoomProcessEnd): void
}) => Promise<RoomProcess>

/** A process with one room of this class, asked by messages of the server. `start` is called with what it reports. */
export async function openTestRoom(className: string, start: Start) {
  const arrived = new Map<string, string>()
  const waiting = new Map<string, (payload: string) => void>()
  const ended = Promise.withResolvers<RoomProcessEnd>()
  let asked = 0
  let turn = 0

  function onMessage(bytes: Buffer) {
    const [head = '', ...payloads] = bytes.toString().split('\n')
    for (const [, , outputs] of JSON.parse(head) as [string, number, [string, unknown][]][])
      for (const [kind, target] of outputs) {
        const payload = payloads.shift() ?? ''
        const key = kind === 'reply' || kind === 'error' ? `answer ${String(target)}` : kind
        arrived.set(key, kind === 'error' ? `error ${payload}` : payload)
        waiting.get(key)?.(payload)
      }
  }
  async function arrival(key: string): Promise<string> {
    const late = ended.promise.then((end) => assert.fail(`the process has ended: ${end}`))
    if (!arrived.has(key))
      await Promise.race([new Promise<unknown>((resolve) => waiting.set(key, resolve)), late])
    return arrived.get(key) ?? ''
  }

  const process = await start({ onMessage, onEnd: (end) => ended.resolve(end) })
  const send = (...event: unknown[]) => process.send(JSON.stringify([['rom_1', ++turn, 0, [event]]]))
  const info = {
    id: 'rom_1',
    code: 'ABCDEFGH',
    mode: 'arena',
    maxPlayers: 8,
    private: false,
    metadata: null,
    createdAt: 0,
    tickRate: 0,
  }
  send('open', className, null, info, 1)
  await arrival('opened')

  return {
    process,
    ended: ended.promise,
    /** What `onServerMessage` returns. Fails if it throws. */
    // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects, and fails where it is not so
    async ask(type: string, data: unknown = null): Promise<any> {
      const id = `ask-${++asked}`
      send('msg', id, type, data)
      const answer = await arrival(`answer ${id}`)
      assert.ok(!answer.startsWith('error'), answer)
      return answer === '' ? undefined : JSON.parse(answer)
    },
  }
}

/** A room as its code learns of it. */
export const ROOM_INFO = {
  id: 'rom_1',
  code: 'ABCDEFGH',
  mode: 'default',
  transport: 'server',
  private: false,
  maxPlayers: 4,
  metadata: 'null',
  hostOnlyState: false,
  createdAt: '2026-01-01T00:00:00.000Z',
} as const
