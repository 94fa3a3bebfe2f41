import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

import { connect, type Node, type TestSocket } from '../../src/testing/sockets.ts'

type Side = { publishableKey: string }
type Player = { accessToken: string }
export type GoodPlayers = Awaited<ReturnType<typeof connectGoodPlayers>>

const PLAYERS = 3
/** A member may send 20 messages per second to a channel. */
const PAUSE_MS = 60

/** Players who use a room and a channel while other clients attack. The attacks must not affect them. */
export async function connectGoodPlayers(
  node: Node,
  side: Side,
  newPlayer: () => Promise<Player>,
  channel: string,
) {
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
  // The results are checked at the end, whatever happens before.
  const talks = Promise.allSettled(speakers.map(talk))
  async function talk({ socket, inRoom, inChannel }: (typeof speakers)[number]) {
    for (let n = 0; !talking.signal.aborted; n++) {
      if (await isAccepted(socket, { t: 'send', type: 'n', data: n })) inRoom.push(n)
      if (await isAccepted(socket, { t: 'channelSend', channel, type: 'n', data: n })) inChannel.push(n)
      await pause(PAUSE_MS)
    }
  }

  return {
    room: room as { id: string; code: string },
    ids: sockets.map(({ id }) => id),

    /** Checks that every message reached all other players in order; in the channel also its sender. */
    async check(): Promise<number> {
      talking.abort()
      for (const talked of await talks) if (talked.status === 'rejected') throw talked.reason
      let messages = 0
      for (const { socket: listener } of speakers) {
        await listener.settled()
        for (const { socket: speaker, inRoom, inChannel } of speakers) {
          const receivedBy = (t: string) =>
            listener.received
              .filter((frame) => frame.t === t && frame['from'] === speaker.id)
              .map(({ data }) => data)
          assert.deepEqual(
            receivedBy('channel_message'),
            inChannel,
            'messages of a good player in the channel',
          )
          messages += inChannel.length
          if (listener === speaker) continue
          assert.deepEqual(receivedBy('message'), inRoom, 'messages of a good player in the room')
          messages += inRoom.length
        }
      }
      await Promise.all(sockets.map((socket) => socket.close()))
      return messages
    },
  }
}

/** On a busy machine a node may lose Redis for a moment: it then answers service_unavailable and does not deliver the message. */
async function isAccepted(socket: TestSocket, frame: object): Promise<boolean> {
  const reply = await socket.request(frame).catch((error: Error) => error)
  if (!(reply instanceof Error)) return true
  if (!reply.message.includes('"service_unavailable"')) throw reply
  return false
}
