import assert from 'node:assert/strict'

import * as fc from 'fast-check'

import { until } from '../../src/testing/rooms.ts'
import { callerOf } from '../server-process.ts'
import { ReconnectingPlayer } from './reconnecting-player.ts'
import type { NodeName, TwoNodes } from './two-nodes.ts'

const OPS = ['mute', 'unmute', 'kick', 'ban', 'unban'] as const
type Step =
  | { do: 'connect'; player: number; node: NodeName }
  | { do: 'join' | 'leave' | 'send' | 'drop'; player: number }
  | { do: 'moderate'; player: number; op: (typeof OPS)[number]; node: NodeName }
  | { do: 'kill'; node: NodeName }

const PLAYERS = 4
const playerIndex = fc.nat({ max: PLAYERS - 1 })
const node = fc.constantFrom<NodeName>('a', 'b')
const act = fc.constantFrom(
  'join' as const,
  'join' as const,
  'send' as const,
  'send' as const,
  'leave' as const,
  'drop' as const,
)
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('connect' as const), player: playerIndex, node }) },
  { weight: 6, arbitrary: fc.record({ do: act, player: playerIndex }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('moderate' as const),
      player: playerIndex,
      op: fc.constantFrom(...OPS),
      node,
    }),
  },
)
const kill = fc.record({ do: fc.constant('kill' as const), node })

/** Steps with a kill -9 between them, `kills` times. */
export const channelSteps = (kills: number): fc.Arbitrary<Step[]> =>
  fc
    .array(fc.tuple(fc.array(step, { minLength: 5, maxLength: 12 }), kill), {
      minLength: kills,
      maxLength: kills,
    })
    .chain((parts) =>
      fc.array(step, { minLength: 4, maxLength: 10 }).map((rest) => [...parts.flat(2), ...rest]),
    )

let channels = 0

/** A channel that a server created and moderates, on two server programs, one of which is killed at times. */
export class ChannelRun {
  readonly #cluster: TwoNodes
  readonly #channel = `@model${++channels}`
  readonly #players: ReconnectingPlayer[] = []
  readonly #nodeOf = new Map<ReconnectingPlayer, NodeName>()
  readonly #members = new Set<ReconnectingPlayer>()
  readonly #muted = new Set<ReconnectingPlayer>()
  readonly #banned = new Set<ReconnectingPlayer>()

  constructor(cluster: TwoNodes) {
    this.#cluster = cluster
  }

  async run(steps: readonly Step[]) {
    assert.equal((await this.#server('a', 'PUT', '', {})).status, 200)
    for (let i = 0; i < PLAYERS; i++) {
      const session = await this.#cluster.game.newPlayer(this.#cluster.nodes.a)
      this.#players.push(new ReconnectingPlayer(this.#cluster.game, session))
      await this.#connect(this.#player(i), i % 2 ? 'b' : 'a')
    }
    for (const action of steps) {
      await this.#step(action)
      await this.#compare(JSON.stringify(action))
    }
    for (const player of this.#nodeOf.keys()) await player.close()
  }

  async #step(action: Step) {
    if (action.do === 'kill') return this.#kill(action.node)
    const player = this.#player(action.player)
    if (action.do === 'moderate') return this.#moderate(action.op, player, action.node)
    if (action.do === 'connect') return this.#connect(player, action.node)
    if (!this.#nodeOf.has(player)) return
    if (action.do === 'send') return this.#send(player)
    if (action.do === 'drop') {
      this.#nodeOf.delete(player)
      this.#members.delete(player)
      return void (await player.close())
    }
    const isRefused = action.do === 'join' && this.#banned.has(player) && !this.#members.has(player)
    const t = action.do === 'join' ? 'channelJoin' : 'channelLeave'
    const answer = await player.ask({ t, channel: this.#channel })
    assert.equal(
      typeof answer === 'string' ? answer : 'ok',
      isRefused ? 'channel_banned' : 'ok',
      JSON.stringify(action),
    )
    if (action.do === 'leave') this.#members.delete(player)
    else if (!isRefused) this.#members.add(player)
  }

  async #connect(player: ReconnectingPlayer, at: NodeName) {
    const older = this.#nodeOf.has(player) ? player.socket : undefined
    await player.connect(this.#cluster.nodes[at])
    this.#nodeOf.set(player, at)
    this.#members.delete(player)
    if (older) assert.equal((await older.closed).code, 4004)
  }

  /** Every member receives the message once and no other player does. A rejected message is delivered to no player. */
  async #send(player: ReconnectingPlayer) {
    const refusal = !this.#members.has(player)
      ? 'not_in_channel'
      : this.#muted.has(player)
        ? 'muted'
        : undefined
    const frameOf = (data: string) => ({ t: 'channelSend', channel: this.#channel, type: 'x', data })
    if (refusal) return assert.equal(await player.ask(frameOf('refused')), refusal)
    const data = await player.sendUnique(frameOf)
    const copiesReceived = (member: ReconnectingPlayer) =>
      member.receivedEvents.filter((event) => event['data'] === data).length
    await until(async () => [...this.#members].every((member) => copiesReceived(member) > 0))
    for (const member of this.#nodeOf.keys()) await member.drained()
    for (const member of this.#players)
      assert.equal(copiesReceived(member), this.#members.has(member) ? 1 : 0)
  }

  async #moderate(op: (typeof OPS)[number], player: ReconnectingPlayer, at: NodeName) {
    const { status, body } = await this.#server(at, 'POST', '/moderate', { op, playerId: player.id })
    assert.equal(status, 200, JSON.stringify(body))
    if (op === 'mute') this.#muted.add(player)
    if (op === 'unmute') this.#muted.delete(player)
    if (op === 'ban') this.#banned.add(player)
    if (op === 'unban') this.#banned.delete(player)
    if (op === 'ban' || op === 'kick') this.#members.delete(player)
  }

  async #kill(name: NodeName) {
    await this.#cluster.kill(name)
    for (const [player, at] of this.#nodeOf) {
      if (at !== name) continue
      this.#nodeOf.delete(player)
      this.#members.delete(player)
    }
    // The remaining members get replies again as soon as there is a new owner.
    for (const player of this.#members) await player.must({ t: 'channelJoin', channel: this.#channel })
    await this.#cluster.restart(name)
  }

  async #compare(after: string) {
    const expected = [...this.#members].map(({ id }) => id).toSorted()
    let received: unknown
    const agree = async () => {
      const { status, body } = await this.#server('a', 'GET', '')
      received = status === 200 ? body.members.map(({ id }: { id: string }) => id).toSorted() : body
      return JSON.stringify(received) === JSON.stringify(expected)
    }
    await until(agree).catch(() => assert.deepEqual(received, expected, `after ${after}`))
  }

  #server(at: NodeName, method: string, suffix: string, body?: object) {
    const path = `/v1/realtime/channels/${encodeURIComponent(this.#channel)}${suffix}`
    return callerOf(this.#cluster.nodes[at])(method, path, {
      key: this.#cluster.game.secretKey,
      ...(body && { body }),
    })
  }

  #player(index: number): ReconnectingPlayer {
    const player = this.#players[index]
    assert.ok(player)
    return player
  }
}
