import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import fc from 'fast-check'

import {
  createChannelModel,
  EVERY_OUTCOME,
  EVERYBODY,
  type Settings,
  settings,
  type Step,
  steps,
  type PlayerIndex,
} from '../../testing/channel-model.ts'
import { type ChannelApp, newChannelApp, type ChannelClient } from '../../testing/channels.ts'
import { until } from '../../testing/cluster.ts'
import { type Guest, newGuest } from '../../testing/guests.ts'
import { runs } from '../../testing/runs.ts'
import { type Engine, engines, type Service, startService } from '../../testing/service.ts'
import { connect } from '../../testing/sockets.ts'

type World = { app: ChannelApp; nodes: Service[]; guests: Guest[] }

/** Connects the four players, in turn to each node. */
async function enter({ app, nodes, guests }: World) {
  const talkers = new Map<PlayerIndex, ChannelClient>()
  const come = async (one: PlayerIndex) =>
    void talkers.set(one, await connect(nodes[one % nodes.length] as Service, app.side, guests[one]))
  for (const one of EVERYBODY) await come(one)
  const talker = (one: PlayerIndex) => talkers.get(one) ?? assert.fail()

  return {
    talker,
    idOf: (one: PlayerIndex) => guests[one]?.id ?? '',
    async comeAnew(one: PlayerIndex) {
      await talker(one).close()
      await come(one)
    },
    /** `ok`, or the error code. */
    async ask(one: PlayerIndex, frame: object): Promise<string> {
      const rid = `m${talker(one).received.length}`
      talker(one).send({ ...frame, rid })
      const reply = await talker(one).until((event) => event['rid'] === rid, JSON.stringify(frame))
      return reply['ok'] ? 'ok' : String(reply['error'].code)
    },
    leave: () => Promise.all([...talkers.values()].map((each) => each.close())),
  }
}

/** Runs the steps in the service and in the model, and compares their results after each step. */
async function play(world: World, channel: string, taken: Step[], made: Settings): Promise<string[]> {
  const { app, nodes } = world
  const players = await enter(world)
  const model = createChannelModel(made)
  const outcomes: string[] = []
  const heard = new Map<PlayerIndex, string[]>(EVERYBODY.map((one) => [one, []]))
  assert.equal(await players.ask(0, { t: 'channelCreate', channel, ...made }), 'ok')

  async function take(next: Step): Promise<string> {
    switch (next.act) {
      case 'join':
        return players.ask(next.who, { t: 'channelJoin', channel })
      case 'leave':
        return players.ask(next.who, { t: 'channelLeave', channel })
      case 'send':
        return players.ask(next.who, { t: 'channelSend', channel, type: String(outcomes.length) })
      case 'drop':
        await players.comeAnew(next.who)
        heard.set(next.who, [])
        return 'ok'
      case 'moderate': {
        const { by, op, seconds } = next
        const moderation = { op, playerId: players.idOf(next.who), ...(seconds && { seconds }) }
        if (by !== 'server') return players.ask(by, { t: 'channelModerate', channel, ...moderation })
        const { status, body } = await app.server.moderate(channel, moderation)
        return status === 200 ? 'ok' : body.error.code
      }
      case 'put': {
        const lists = { allow: next.allow.map(players.idOf), speakers: next.speakers.map(players.idOf) }
        return (await app.server.put(channel, { ...next.settings, ...lists })).status === 200
          ? 'ok'
          : 'failed'
      }
      case 'wait':
        nodes[0]?.clock.advance(next.seconds * 1_000)
        return 'ok'
    }
  }

  for (const next of taken) {
    const isGoing = next.act === 'leave' || next.act === 'drop' || next.act === 'moderate'
    if (isGoing && model.endsWith(next.who)) continue
    const receivedEvents = await take(next)
    assert.equal(receivedEvents, model.take(next), JSON.stringify(next))
    if (next.act === 'send' && receivedEvents === 'ok')
      for (const one of model.members) heard.get(one)?.push(`${players.idOf(next.who)} ${outcomes.length}`)
    outcomes.push(receivedEvents)

    const wanted = model.members.map(players.idOf).toSorted()
    const members = async (): Promise<string[]> =>
      (await app.server.read(channel)).body.members.map(({ id }: { id: string }) => id).toSorted()
    // Another node is notified of a lost connection a moment later.
    if (next.act === 'drop') await until(members, (ids) => ids.length === wanted.length)
    assert.deepEqual(await members(), wanted, JSON.stringify(next))
  }

  for (const [one, wanted] of heard) {
    const messages = () =>
      players
        .talker(one)
        .received.filter(({ t }) => t === 'channel_message')
        .map(({ from, type }) => `${from} ${type}`)
    await until(messages, ({ length }) => length >= wanted.length)
    assert.deepEqual(messages(), wanted)
  }
  await app.server.remove(channel)
  await players.leave()
  return outcomes
}

async function check(engine: Engine, { nodeCount, numRuns }: { nodeCount: number; numRuns: number }) {
  const nodes: Service[] = []
  try {
    const options = { settings: { SVC_RATE_LIMITS: 'off' } }
    const first = await startService(engine, options)
    nodes.push(first)
    while (nodes.length < nodeCount) nodes.push(await startService(engine, { ...options, clusterOf: first }))
    const app = await newChannelApp(first)
    const newGuests = () => Promise.all(EVERYBODY.map(() => newGuest(app.side)))
    let guests = await newGuests()
    const seen = new Set<string>()
    let run = 0
    await fc.assert(
      fc.asyncProperty(steps, settings, async (taken, made) => {
        if (++run % 10 === 0) {
          // So that no run reaches the limit of changes by a server, or the end of an access token.
          first.clock.advance(60_000)
          guests = await newGuests()
        }
        const outcomes = await play({ app, nodes, guests }, `@model-${run}`, taken, made)
        outcomes.forEach((outcome) => seen.add(outcome))
      }),
      { numRuns, seed: 20260101 },
    )
    assert.deepEqual([...seen].toSorted(), EVERY_OUTCOME)
  } finally {
    for (const node of nodes.toReversed()) await node.stop()
  }
}

describe('a channel compared with a simple model', () => {
  const name =
    '[CHN-02] [CHN-10] [CHN-13] [CHN-15] [CHN-17] after any steps in any order, the service and the model agree'
  const forms = {
    sqlite: { nodeCount: 1, numRuns: runs(60, 300) },
    postgres: { nodeCount: 2, numRuns: runs(40, 200) },
  }
  for (const engine of engines)
    test(`${name}, on ${engine} with nodes: ${forms[engine].nodeCount}`, () => check(engine, forms[engine]))
})
