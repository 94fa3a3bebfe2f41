import assert from 'node:assert/strict'

import { FRAME_PARTS } from '@svc/contract/common/frames'

import { type Guest, newGuest } from './guests.ts'
import { comesTrue } from './in-time.ts'
import { misfit } from './schema-check.ts'
import type { Service } from './service.ts'
import { connect, type Received } from './sockets.ts'

const contract = new Map(
  FRAME_PARTS.flatMap(({ events }) => events.map(({ t, fields }) => [t, fields] as const)),
)

export type Game = Awaited<ReturnType<typeof newGame>>
export type GamePlayer = Awaited<ReturnType<typeof connectPlayer>>

type ModeDocument = { key: string; [field: string]: unknown }

/**
 * An environment with multiplayer on, and players who connect to it. Their received frames are checked against the contract at the
 * end.
 */
export async function newGame(service: Service, modes: ModeDocument[] = []) {
  const project = await service.newProject()
  const side = project.development
  const sockets: GamePlayer[] = []
  const configure = async (document: object) =>
    assert.equal((await side.server('PUT', '/v1/config', document)).status, 200)
  await configure({ features: { multiplayer: true }, multiplayer: { modes } })

  /** A connection of a player, to this node or another one. */
  async function enter(guest: Guest, node: Service = service) {
    const socket = await connectPlayer(node, side, guest)
    sockets.push(socket)
    return socket
  }
  const player = async (node: Service = service) =>
    enter(await newGuest({ public: node.withKey(side.publishableKey) }), node)

  return {
    project,
    side,
    configure,
    enter,
    player,
    players: (count: number, node: Service = service) =>
      Promise.all(Array.from({ length: count }, () => player(node))),

    /** The players join one after the other, the first is the host; events of the joins are already read. */
    async room(players: readonly GamePlayer[], fields: object = {}) {
      const [host, ...others] = players
      assert.ok(host)
      const { room } = await host.request({ t: 'create', ...fields })
      for (const other of others) await other.request({ t: 'join', roomId: room.id })
      for (const each of players) await each.news()
      return { id: room.id as string, code: room.code as string }
    },

    async list(mode?: string) {
      const { body } = await side.public('GET', `/v1/rooms${mode === undefined ? '' : `?mode=${mode}`}`)
      return body.rooms
    },

    /** Waits until no room or queue exists, for which there is no event. */
    async nobodyIn(place: 'rooms' | 'queues') {
      await until(async () => {
        const { body } = await side.server('GET', '/v1/admin/realtime')
        const there = { rooms: body.rooms.flatMap(connectedIn), queues: body.queues }
        return there[place].length === 0
      })
    },

    async end() {
      await Promise.all(sockets.map((socket) => socket.close()))
      for (const { received } of sockets) received.forEach(assertInContract)
    },
  }
}

async function connectPlayer(node: Service, side: { publishableKey: string }, guest: Guest) {
  const socket = await connect(node, side, guest)
  let read = socket.received.length

  return Object.assign(socket, {
    guest,
    /** The events since the last call, without replies. The reply of the room arrives after all earlier events. */
    async news(): Promise<Received[]> {
      await socket.refusal({ t: 'signal', to: 'nobody', kind: 'restart' })
      const receivedEvents = socket.received.slice(read)
      read = socket.received.length
      return receivedEvents.filter(({ t }) => t !== 'reply')
    },
  })
}

const connectedIn = ({ players }: { players: { connected: boolean }[] }) =>
  players.filter(({ connected }) => connected)

/** Polls until the condition is true, for changes without an event. */
export const until = (isSo: () => Promise<boolean>) => comesTrue(String(isSo), isSo)

function assertInContract({ t, ...fields }: Received) {
  const event = contract.get(t)
  assert.ok(event, `the contract knows no event ${t}`)
  const problem = misfit(event, fields)
  assert.ok(problem === undefined, `${t} ${JSON.stringify(fields)}\n${problem}`)
}
