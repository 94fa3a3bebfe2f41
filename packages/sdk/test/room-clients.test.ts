import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import fc from 'fast-check'

import { runs } from '../../server/src/testing/runs.ts'
import { readAnswer } from '../src/room/read-answer.ts'
import { Room, type RoomPlayer } from '../src/room/room.ts'
import { Client, infoOf, startProcess } from './room-fixtures.ts'

type Change = { at: number; key: string; value: unknown }
const SECRET = 'secret-of-'

/** Does what the messages say, now or after an `await`, and keeps what a client must have. */
class Anything extends Room<Record<string, unknown>> {
  static override tickRate = 10
  static last: Anything | undefined
  override onCreate() {
    Anything.last = this
  }
  override async onJoin(player: RoomPlayer) {
    if (player.id.endsWith('2')) await Promise.resolve()
    this.state[player.id] = { joined: this.random() }
    this.own(player)['name'] = SECRET + player.id
  }
  override onLeave({ id }: RoomPlayer) {
    delete this.state[id]
  }
  override onTick() {
    this.state['time'] = this.now
  }
  override messages = {
    now: (player: RoomPlayer, change: Change) => this.change(player, change),
    later: async (player: RoomPlayer, change: Change) => {
      for (let turn = 0; turn <= change.at; turn++) await Promise.resolve()
      this.change(player, change)
      return change.key
    },
    fails: (player: RoomPlayer, change: Change) => {
      this.change(player, change)
      throw new Error('a bug')
    },
  }
  change(player: RoomPlayer, { key, value }: Change) {
    if (this.state[player.id]) (this.state[player.id] as Record<string, unknown>)[key] = value
    else this.state[key] = value
    this.own(player)[key] = `${SECRET}${player.id}${JSON.stringify(value)}`
  }
}

const IDS = ['p1', 'p2', 'p3', 'p4']
const id = fc.constantFrom(...IDS)
const change = fc.record({
  at: fc.nat(3),
  key: fc.constantFrom('x', 'y', 'hp'),
  value: fc.oneof(
    fc.integer(),
    fc.constant(null),
    fc.array(fc.nat(3), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b'), fc.nat(3)),
  ),
})
const event = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom('in', 'ask'), id, fc.constantFrom('now', 'later', 'fails'), change),
  },
  fc.tuple(fc.constantFrom('join', 'leave', 'view'), id, fc.constant(''), change),
  fc.tuple(fc.constant('tick'), id, fc.constant(''), change),
)
type Step = [kind: string, playerId: string, type: string, change: Change]
const plays = fc.array(fc.array(event as fc.Arbitrary<Step>, { maxLength: 6 }), { maxLength: 12 })

/** Plays a game, and returns all texts of the process. */
async function play(
  game: readonly (readonly Step[])[],
  check: (clients: readonly Client[]) => void,
): Promise<string[]> {
  const texts: string[] = []
  const clients = IDS.map((playerId) => new Client(playerId))
  const seated = new Set<string>()
  const take = (text: string) => {
    texts.push(text)
    for (const { effects } of readAnswer(text)) for (const client of clients) client.receive(effects)
  }
  const process = startProcess({ classes: { Anything }, send: take })
  take(process.handle(['r1', [['open', 'Anything', null, infoOf('r1'), 'same']]]))
  let count = 0
  for (const turn of game) {
    const events: unknown[] = []
    for (const [kind, playerId, type, data] of turn) {
      count++
      if (kind === 'tick') events.push(['tick', count])
      else if (kind === 'join' && !seated.has(playerId)) {
        seated.add(playerId)
        events.push(['join', { id: playerId, displayName: null }])
      } else if (!seated.has(playerId)) continue
      else if (kind === 'leave') {
        seated.delete(playerId)
        const client = clients.find((one) => one.id === playerId)
        if (client) client.isIn = false
        events.push(['leave', playerId, 'left'])
      } else if (kind === 'view') events.push(['view', playerId])
      else if (kind === 'in') events.push(['in', playerId, count, type, data])
      else if (kind === 'ask') events.push(['ask', count, playerId, count, type, data])
    }
    process.advance(100)
    take(process.handle(['r1', events]))
    await new Promise((resolve) => setImmediate(resolve))
    // Those who left in this turn are still receivers of what was sent before.
    for (const client of clients) if (!seated.has(client.id)) client.isIn = false
    check(clients.filter(({ isIn }) => isIn))
  }
  return texts
}

describe('the clients of a room with code', () => {
  test('[RWC-08] after random joins, leaves and messages every client has the state of the room and its own', async () => {
    await fc.assert(
      fc.asyncProperty(plays, async (game) => {
        await play(game, (clients) => {
          const room = Anything.last ?? assert.fail()
          for (const { id: playerId, state, own } of clients) {
            assert.deepEqual(state, withoutNull(room.state))
            assert.deepEqual(own, withoutNull(room.own(playerId)))
          }
        })
      }),
      { numRuns: runs(100, 2_000) },
    )
  })

  test('[RWC-08] an own state is in no line that other players get', async () => {
    await fc.assert(
      fc.asyncProperty(plays, async (game) => {
        const texts = await play(game, () => {})
        for (const text of texts)
          for (const { effects } of readAnswer(text))
            for (const { kind, target, payload } of effects)
              for (const found of JSON.stringify(payload).matchAll(/secret-of-(p\d)/g))
                assert.ok(
                  ['own', 'joined', 'view'].includes(kind) && target === found[1],
                  `${kind} to ${String(target)}`,
                )
      }),
      { numRuns: runs(50, 1_000) },
    )
  })

  test('[RWC-09] the same events at the same times give the same texts, byte by byte', async () => {
    await fc.assert(
      fc.asyncProperty(plays, async (game) => {
        assert.deepEqual(await play(game, () => {}), await play(game, () => {}))
      }),
      { numRuns: runs(50, 1_000) },
    )
  })
})

function withoutNull(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, member: unknown) => (member === null ? undefined : member)))
}
