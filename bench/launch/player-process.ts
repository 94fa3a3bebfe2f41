import type * as sdk from '../../packages/sdk/src/index.ts'
import { runWorkerLoop } from '../worker-loop.ts'

/** One player with the SDK, in a process of its own: in one process, players would wait for one lock, as tabs of one browser do. */
export type PlayerTask =
  | { type: 'enter'; sdk: string; url: string; realtimeUrl: string; key: string; room?: string }
  /** Whether the player is still connected to the channel and the room. */
  | { type: 'look' }
export type PlayerResult = { room: string; isInChannel: boolean; isInRoom: boolean; closed: string[] }

let channel: Awaited<ReturnType<sdk.Svc['channels']['join']>>
let isInChannel = true
let room: Awaited<ReturnType<sdk.Svc['rooms']['create']>>
const closed: string[] = []

runWorkerLoop(async (task: PlayerTask): Promise<PlayerResult> => {
  if (task.type === 'enter') await enter(task)
  return { room: room.id, isInChannel, isInRoom: room.isConnected, closed }
})

async function enter({ sdk: path, url, realtimeUrl, key, room: id }: PlayerTask & { type: 'enter' }) {
  const { connect } = (await import(path)) as typeof sdk
  const svc = await connect({ url, realtimeUrl, key })
  room = id === undefined ? await svc.rooms.create({ mode: 'party' }) : await svc.rooms.join({ id })
  channel = await svc.channels.join('lobby')
  room.on('closed', (reason) => closed.push(`room: ${reason}`))
  channel.on('reconnecting', () => (isInChannel = false))
  channel.on('reconnected', () => (isInChannel = true))
  channel.on('closed', (reason) => closed.push(`channel: ${reason}`))
}
