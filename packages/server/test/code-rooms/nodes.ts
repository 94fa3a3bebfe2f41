import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

import { findOrInstall } from '../../../../scripts/programs.ts'
import { merged } from '../../src/testing/code-rooms.ts'
import { deploymentOf } from '../../src/testing/deployed-functions.ts'
import { modulesWithRooms } from '../../src/testing/room-code.ts'
import { until } from '../../src/testing/rooms.ts'
import type { Received } from '../../src/testing/sockets.ts'
import { ReconnectingPlayer } from '../realtime/reconnecting-player.ts'
import { type NodeName, otherThan, startTwoNodes } from '../realtime/two-nodes.ts'
import { callerOf } from '../server-process.ts'

export type CodeNodes = Awaited<ReturnType<typeof startCodeNodes>>
export type CodeFixture = Awaited<ReturnType<CodeNodes['openRoom']>>

const CONFIG = {
  features: { multiplayer: true },
  multiplayer: { modes: [{ key: 'default', maxPlayers: 8, room: { class: 'Arena' } }] },
}

/** Counts its ticks and messages. `all` shows what each player must have; `store` writes into the database of the functions. */
const CODE = `
import { Room } from './room.js'
export class Arena extends Room {
  static tickRate = 20
  state = { ticks: 0, count: 0, stored: 0, players: {}, list: [] }
  onCreate() { console.log('created') }
  onJoin(player) { this.state.players[player.id] = { adds: 0 }; this.own(player).hand = 'hand of ' + player.id }
  onLeave(player) { delete this.state.players[player.id] }
  onTick() { this.state.ticks++ }
  save() { return { secret: this.secret ?? 0 } }
  onRestore({ secret }) { this.secret = secret; console.log('restored') }
  add(player) {
    this.secret = (this.secret ?? 0) + 1
    this.state.players[player.id].adds++
    this.own(player).adds = this.state.players[player.id].adds
    this.state.list = [...this.state.list, this.secret].slice(-5)
    return ++this.state.count
  }
  messages = {
    add: (player) => this.add(player),
    all: (player) => ({ state: this.state, own: this.own(player), secret: this.secret ?? 0 }),
    store: async () => {
      await this.env.DB.prepare('INSERT INTO stored VALUES (1)').run()
      this.state.stored++
    },
  }
}
export default { fetch: () => new Response('ok') }
`

/** Two server programs with functions, on one PostgreSQL and one Redis, and the class `Arena`. */
export async function startCodeNodes() {
  findOrInstall('bubblewrap')
  const cluster = await startTwoNodes({
    config: CONFIG,
    settings(port, folder) {
      // The account of the sandbox must be able to enter it.
      chmodSync(folder, 0o711)
      return {
        SVC_DATA_DIR: folder,
        FUNCTIONS_DIR: join(folder, 'functions'),
        SVC_NODE_URL: `http://127.0.0.1:${port}`,
        SVC_BILLING: 'off',
      }
    },
  })
  const { game, nodes } = cluster
  const admin = async (node: NodeName, method: string, path: string, body?: object) => {
    const answer = await callerOf(nodes[node])(method, `/v1/admin/functions${path}`, {
      key: game.secretKey,
      body,
    })
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return answer.body
  }
  await admin('a', 'POST', '/enable', {})
  const bindings = [{ type: 'db', name: 'DB', id: 'main' }]
  await admin('a', 'POST', '/deployments', deploymentOf(modulesWithRooms(CODE), { bindings }))
  await admin('a', 'POST', '/db/DB/query', { sql: 'CREATE TABLE stored (i INTEGER)' })

  const newPlayer = async (node: NodeName) => {
    const player = new ReconnectingPlayer(game, await game.newPlayer(nodes[node]))
    await player.connect(nodes[node])
    return player
  }

  return {
    ...cluster,
    admin,
    newPlayer,

    /** A room that runs on `owner`, with two players on each node. */
    async openRoom(owner: NodeName) {
      const onOwner = [await newPlayer(owner), await newPlayer(owner)]
      const elsewhere = [await newPlayer(otherThan(owner)), await newPlayer(otherThan(owner))]
      const all = [...onOwner, ...elsewhere]
      const [host, ...others] = all as [ReconnectingPlayer, ...ReconnectingPlayer[]]
      const { room } = await host.must({ t: 'create' })
      for (const player of others) await player.must({ t: 'join', roomId: room.id })
      return { owner, roomId: String(room.id), all, onOwner, elsewhere }
    },
  }
}

/** Within the 60 messages a second of a connection. */
const SEND_MS = 20

/** The players send `add` until `stop`, each over the connection that it has. */
export function startAdding(t: Pick<TestContext, 'after'>, players: readonly ReconnectingPlayer[]) {
  const timer = setInterval(() => {
    for (const player of players) if (player.isConnected) player.socket.send({ t: 'send', type: 'add' })
  }, SEND_MS)
  const stop = () => clearInterval(timer)
  t.after(stop)
  return { stop }
}

/** The number of the last turn that this player was shown. */
export function lastTick(received: readonly Received[]): number {
  const ticks = received.flatMap(({ t, tick, room }) =>
    t === 'sync' ? Number(tick) : t === 'room_joined' ? Number(room.server.tick) : [],
  )
  return ticks.at(-1) ?? 0
}

/** Between two whole views, no turn is shown twice and none of an older owner. */
export function assertTicksGrow({ id, receivedEvents }: ReconnectingPlayer) {
  let last = -1
  for (const { t, tick, room, patch } of receivedEvents) {
    if (t === 'room_joined') last = room.server.tick
    if (t !== 'sync' || patch?.ticks === undefined) continue
    assert.ok(tick > last, `${id} was shown tick ${tick} after ${last}`)
    last = tick
  }
}

/** What each player has merged when the room answers equals the state of the room at that moment. No other own state has arrived. */
export async function assertSameState(players: readonly ReconnectingPlayer[]) {
  let secret = 0
  for (const player of players) {
    const { data } = await player.must({ t: 'send', type: 'all' })
    const at = player.receivedEvents.findLastIndex(
      (event) => event.t === 'reply' && event['data']?.data?.secret !== undefined,
    )
    const { state, own } = merged({ received: player.receivedEvents.slice(0, at) as never })
    // The tick of the same turn comes after the answer of the handler.
    const ticks = (state as { ticks: number }).ticks - data.state.ticks
    assert.ok(ticks === 0 || ticks === 1, `${ticks} ticks`)
    assert.deepEqual(
      { state: { ...(state as object), ticks: 0 }, own },
      { state: { ...data.state, ticks: 0 }, own: data.own },
    )
    const bytes = JSON.stringify(player.receivedEvents)
    for (const other of players)
      if (other !== player)
        assert.ok(!bytes.includes(`hand of ${other.id}`), 'an own state of another player')
    secret = data.secret
  }
  return { secret }
}

export const viewsOf = ({ receivedEvents }: ReconnectingPlayer) =>
  receivedEvents.filter(({ t }) => t === 'room_joined')

/** Resolves when each player has got another whole view since there were so many. */
export const viewedAgain = (players: readonly ReconnectingPlayer[], before: ReadonlyMap<unknown, number>) =>
  until(async () => {
    for (const { receivedEvents } of players)
      assert.deepEqual(
        receivedEvents.filter(({ t }) => t === 'room_closed'),
        [],
      )
    return players.every((player) => viewsOf(player).length > (before.get(player) ?? 0))
  })

export const viewCounts = (players: readonly ReconnectingPlayer[]) =>
  new Map<unknown, number>(players.map((player) => [player, viewsOf(player).length]))
