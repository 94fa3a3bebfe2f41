import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

import { connect, type Node, type TestSocket } from '../../src/testing/sockets.ts'

type Side = { publishableKey: string }
type Player = { accessToken: string }
export type GoodPlayers = Awaited<ReturnType<typeof gather>>

const PLAYERS = 3
/** A member may send 20 messages a second to a channel. */
const PAUSE_MS = 60

/** Some who play in a room and talk in a channel while others misbehave, and are to notice nothing of it. */
export async function gather(node: Node, side: Side, newPlayer: () => Promise<Player>, channel: string) {
  const sockets = await Promise.all(
    Array.from({ length: PLAYERS }, async () => connect(node, side, await newPlayer())),
  )
  const [host, ...others] = sockets
  assert.ok(host)
  const { room } = await host.request({ t: 'create', maxPlayers: PLAYERS })
  for (const socket of others) await socket.request({ t: 'join', roomId: room.id })
  for (const socket of sockets) await socket.request({ t: 'channelJoin', channel })

  const talking = new AbortController()
  const speakers = sockets.map((socket) => ({ socket, inRoom: [] as number[], inChannel: [] as number[] }))
  // Looked at in the end, whatever happens before.
  const talks = Promise.allSettled(speakers.map(talk))
  async function talk({ socket, inRoom, inChannel }: (typeof speakers)[number]) {
    for (let n = 0; !talking.signal.aborted; n++) {
      if (await isSaid(socket, { t: 'send', type: 'n', data: n })) inRoom.push(n)
      if (await isSaid(socket, { t: 'channelSend', channel, type: 'n', data: n })) inChannel.push(n)
      await pause(PAUSE_MS)
    }
  }

  return {
    room: room as { id: string; code: string },
    ids: sockets.map(({ id }) => id),

    /** Everything that each has said has reached all others, in its order; in the channel oneself as well. */
    async check(): Promise<number> {
      talking.abort()
      for (const talked of await talks) if (talked.status === 'rejected') throw talked.reason
      let messages = 0
      for (const { socket: listener } of speakers) {
        await listener.settled()
        for (const { socket: speaker, inRoom, inChannel } of speakers) {
          const heard = (t: string) =>
            listener.received
              .filter((one) => one.t === t && one['from'] === speaker.id)
              .map(({ data }) => data)
          assert.deepEqual(heard('channel_message'), inChannel, 'messages of a good player in the channel')
          messages += inChannel.length
          if (listener === speaker) continue
          assert.deepEqual(heard('message'), inRoom, 'messages of a good player in the room')
          messages += inRoom.length
        }
      }
      await Promise.all(sockets.map((socket) => socket.close()))
      return messages
    },
  }
}

/** A machine that is busy with something else may keep a node from its Redis for a moment: then it says so, and says nothing on. */
async function isSaid(socket: TestSocket, frame: object): Promise<boolean> {
  const said = await socket.request(frame).catch((error: Error) => error)
  if (!(said instanceof Error)) return true
  if (!said.message.includes('"service_unavailable"')) throw said
  return false
}
