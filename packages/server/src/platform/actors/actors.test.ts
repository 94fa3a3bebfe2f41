import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { createClient } from '@redis/client'

import type { ClusterTimings } from '../../engines/cluster/cluster.ts'
import { openCluster } from '../../engines/cluster/open.ts'
import { comesTrue, WAIT_MAX_MS } from '../../testing/in-time.ts'
import { testRedisUrl } from '../../testing/redis.ts'
import { ApiError } from '../api-error.ts'
import { createStoppedClock } from '../clock.ts'
import { createTimers } from '../time/timers.ts'
import { type ActorContext, DetachedAnswer, type Handlers, idOf, type MessageOf, nameOf } from './actor.ts'
import { createActors } from './actors.ts'
import { createNodes } from './nodes.ts'
import { createQueries } from './queries.ts'

type Nothing = object
type ListProtocol = {
  join: { message: { ref: string }; answer: number }
  leave: { message: { ref: string }; answer: void }
  add: { message: { text: string; slowly?: boolean }; answer: string[] }
  shout: { message: { except?: string }; answer: void }
  read: { message: Nothing; answer: string[] }
  /** The test answers it: the answer waits for the next promise of `detached`. */
  addDetached: { message: { text: string; slowly?: boolean }; answer: string[] }
  refuse: { message: Nothing; answer: never }
  fail: { message: Nothing; answer: never }
  later: { message: { ms: number }; answer: void }
  end: { message: { slowly?: boolean }; answer: void }
}
type Message = { [Type in keyof ListProtocol]: MessageOf<ListProtocol, Type> }[keyof ListProtocol]
type List = ReturnType<typeof createList>

/** A list that grows: an actor that shows order, snapshots, members and ends. */
const handlers: Handlers<ListProtocol, List> = {
  join: ({ context }, { ref }) => {
    context.members.add(ref)
    context.members.send({ t: 'joined', ref })
    return context.members.size
  },
  leave: ({ context }, { ref }) => context.members.remove(ref),
  add: ({ add, addSlowly }, { text, slowly }) => (slowly ? addSlowly(text) : add(text)),
  addDetached: ({ addWhenTold }, { text, slowly }) =>
    slowly
      ? pause(5).then(() => new DetachedAnswer(addWhenTold(text)))
      : new DetachedAnswer(addWhenTold(text)),
  shout: ({ context }, { except }) => context.members.send({ t: 'shout' }, except),
  later: ({ context, add }, { ms }) => void context.after(ms, () => add('later')),
  read: ({ texts }) => [...texts],
  refuse: () => {
    throw new ApiError('room_full', { why: 'test' })
  },
  fail: () => {
    throw new TypeError('a bug')
  },
  end: ({ context }, { slowly }) => (slowly ? pause(20).then(() => context.end()) : context.end()),
}

/** `closed` counts the calls of `close`; a detached answer waits for the next promise of `detached`. */
function createList(
  context: ActorContext,
  texts: string[],
  { closed, detached }: { closed: string[]; detached: Promise<unknown>[] },
) {
  const add = (text: string) => {
    texts.push(text)
    context.changed()
    return [...texts]
  }
  return {
    context,
    texts,
    add,
    async addSlowly(text: string) {
      await pause(20)
      context.assertStillOwner()
      return add(text)
    },
    async addWhenTold(text: string) {
      await detached.shift()
      context.assertStillOwner()
      return add(text)
    },
    memberDisconnected: (ref: string) => void add(`gone ${ref.split('/')[1]}`),
    snapshot: () => [...texts],
    close: () => void closed.push(context.id.key),
  }
}

const ENVIRONMENT = 'env_1'
const WITHOUT_MEMBERS = { rejoin: async () => {}, membershipLost: async () => {} }
const listAt = (key: string, environmentId = ENVIRONMENT) =>
  nameOf<ListProtocol>({ kind: 'list', environmentId, key })
const name = listAt('a:b')
/** What an owner sends to the nodes of its members. */
const REJOIN = { type: 'rejoin', names: [name], reason: 'reclaimed' }

/** The connections of a node; they record as text what they receive. */
function createLines(nodeId: string) {
  const lines = new Map<string, ReturnType<typeof line>>()
  const line = (ref: string) => ({
    ref,
    memberships: new Map<string, string>(),
    heard: [] as string[],
    rejoined: [] as string[],
    lost: [] as string[],
    closedWith: undefined as string | undefined,
    send(frame: Buffer) {
      this.heard.push(frame.toString())
    },
    close(code: number, reason: string) {
      this.closedWith = `${code} ${reason}`
    },
    queueBehind: () => {},
  })
  return {
    find: (ref: string) => lines.get(ref),
    all: () => lines.values(),
    frame: (text: string) => Buffer.from(text),
    open(number: number) {
      const made = line(`${nodeId}/${number}`)
      lines.set(made.ref, made)
      return made
    },
    drop: (ref: string) => lines.delete(ref),
  }
}

async function node(t: TestContext, redis?: { prefix: string; timings?: Partial<ClusterTimings> }) {
  const cluster = await openCluster(redis && testRedisUrl(), redis ?? {})
  const clock = createStoppedClock()
  const reported: unknown[] = []
  const lines = createLines(cluster.nodeId)
  const nodes = createNodes(cluster, (error) => void reported.push(error))
  const queries = createQueries(nodes)
  const closed: string[] = []
  const detached: Promise<unknown>[] = []
  const actors = createActors({
    cluster,
    nodes,
    connections: lines,
    timers: createTimers(clock),
    report: (error) => void reported.push(error),
  })
  const open = (context: ActorContext, snapshot: string[] | undefined) =>
    createList(context, snapshot ?? [], { closed, detached })
  const rejoinErrors: Error[] = []
  const here = actors.define(
    { kind: 'list', open, handlers },
    {
      async rejoin(connection, actor) {
        const error = rejoinErrors.shift()
        if (error) throw error
        await actors.ask(actor, { type: 'join', ref: connection.ref }, 'any')
        connection.rejoined.push(idOf(actor).key)
      },
      async membershipLost(connection, actor) {
        connection.lost.push(idOf(actor).key)
      },
    },
  )
  let isOpen = true
  const stop = async () => {
    if (!isOpen) return
    isOpen = false
    await actors.release()
    await cluster.close()
  }
  t.after(stop)
  const ask = async (message: Message, mode?: 'existing' | 'any') => actors.ask(name, message, mode)
  return {
    actors,
    queries,
    here,
    open,
    lines,
    clock,
    reported,
    closed,
    detached,
    ask,
    stop,
    cluster,
    rejoinErrors,
  }
}

async function twoNodes(t: TestContext) {
  const redis = { prefix: `test-${randomUUID()}:` }
  const [one, two] = [await node(t, redis), await node(t, redis)]
  await until(() => one.cluster.nodes().length === 2 && two.cluster.nodes().length === 2)
  return { one, two, redis }
}

async function until(isSo: () => boolean) {
  for (const deadline = Date.now() + WAIT_MAX_MS; !isSo();) {
    if (Date.now() > deadline) assert.fail(`did not become true: ${String(isSo)}`)
    await pause(10)
  }
}

test('`ask` on an unknown actor returns undefined with `existing` and creates it with `any`; on the owner node it answers synchronously', async (t) => {
  const { actors, ask } = await node(t)
  assert.equal(await ask({ type: 'read' }), undefined)
  assert.deepEqual(await ask({ type: 'add', text: 'a' }, 'any'), ['a'])
  assert.deepEqual(actors.ask(name, { type: 'read' }), ['a'])
})

test('messages are handled one at a time, in the order they arrived', async (t) => {
  const { ask } = await node(t)
  const answers = await Promise.all([
    ask({ type: 'add', text: 'slow', slowly: true }, 'any'),
    ask({ type: 'add', text: 'fast' }, 'any'),
    ask({ type: 'add', text: 'slow again', slowly: true }, 'any'),
    ask({ type: 'add', text: 'last' }, 'any'),
  ])
  assert.deepEqual(answers.at(-1), ['slow', 'fast', 'slow again', 'last'])
})

test('an error goes to the caller, and the actor continues', async (t) => {
  const { ask } = await node(t)
  await ask({ type: 'add', text: 'a' }, 'any')
  await assert.rejects(ask({ type: 'refuse' }), { code: 'room_full', details: { why: 'test' } })
  assert.deepEqual(await ask({ type: 'read' }), ['a'])
})

test('messages queued for an actor that ends are retried on its successor, or return undefined', async (t) => {
  const { ask } = await node(t)
  await ask({ type: 'add', text: 'of the first' }, 'any')
  const [, nobody] = await Promise.all([ask({ type: 'end', slowly: true }), ask({ type: 'read' })])
  assert.equal(nobody, undefined)

  await ask({ type: 'add', text: 'of the second' }, 'any')
  const [, next] = await Promise.all([
    ask({ type: 'end', slowly: true }),
    ask({ type: 'add', text: 'of the third' }, 'any'),
  ])
  assert.deepEqual(next, ['of the third'])
})

test('timers follow the injected clock and end with the actor', async (t) => {
  const { ask, clock } = await node(t)
  await ask({ type: 'later', ms: 1_000 }, 'any')
  clock.advance(1_000)
  assert.deepEqual(await ask({ type: 'read' }), ['later'])
  await ask({ type: 'later', ms: 1_000 })
  await ask({ type: 'end' })
  clock.advance(1_000)
  assert.equal(await ask({ type: 'read' }), undefined)
})

test('events reach all members, or all but one; the end of the actor removes them', async (t) => {
  const { ask, lines } = await node(t)
  const [a, b] = [lines.open(1), lines.open(2)]
  await ask({ type: 'join', ref: a.ref }, 'any')
  await ask({ type: 'join', ref: b.ref })
  await ask({ type: 'shout', except: a.ref })
  assert.deepEqual([a.heard.length, b.heard.length], [2, 2])
  assert.deepEqual([...a.memberships.keys()], ['list:env_1:a:b'])
  await ask({ type: 'end' })
  assert.deepEqual([a.memberships.size, b.memberships.size], [0, 0])
})

test('the actor is notified once of a closed connection, also if it closed before it was added', async (t) => {
  const { actors, ask, lines } = await node(t)
  const a = lines.open(1)
  await ask({ type: 'join', ref: a.ref }, 'any')
  lines.drop(a.ref)
  actors.connectionClosed(a, false)
  actors.connectionClosed(a, false)
  await pause(0)
  assert.deepEqual(await ask({ type: 'read' }), ['gone 1'])

  const b = lines.open(2)
  lines.drop(b.ref)
  await ask({ type: 'join', ref: b.ref })
  await pause(0)
  assert.deepEqual(await ask({ type: 'read' }), ['gone 1', 'gone 2'])
})

test('two nodes have one actor per name; requests, errors, events and closing work across nodes', async (t) => {
  const { one, two } = await twoNodes(t)
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      (index % 2 ? one : two).ask({ type: 'add', text: String(index) }, 'any'),
    ),
  )
  assert.equal((answers as string[][]).find(({ length }) => length === 50)?.length, 50)
  await assert.rejects(one.ask({ type: 'refuse' }), { code: 'room_full' })
  await assert.rejects(two.ask({ type: 'refuse' }), { code: 'room_full', details: { why: 'test' } })

  const [a, b] = [one.lines.open(1), two.lines.open(1)]
  assert.equal(await two.ask({ type: 'join', ref: a.ref }), 1)
  assert.equal(await one.ask({ type: 'join', ref: b.ref }), 2)
  await one.ask({ type: 'shout', except: a.ref })
  await until(() => b.heard.some((text) => text.includes('shout')))
  assert.equal(
    a.heard.some((text) => text.includes('shout')),
    false,
  )
  await until(() => a.memberships.size === 1 && b.memberships.size === 1)

  two.actors.close(a.ref, 4004, 'replaced')
  await until(() => a.closedWith === '4004 replaced')
})

test('events sent before a reply arrive before it, also across nodes', async (t) => {
  const { one, two } = await twoNodes(t)
  await one.ask({ type: 'add', text: 'here' }, 'any')
  for (let round = 1; round <= 100; round++) {
    const line = two.lines.open(round)
    await two.ask({ type: 'join', ref: line.ref })
    assert.equal(line.heard.length, 1, `round ${round}`)
    assert.equal(line.memberships.size, 1)
  }
})

test('a node that stops releases its actors to the others, whose members rejoin', async (t) => {
  const { one, two } = await twoNodes(t)
  const line = two.lines.open(1)
  await one.ask({ type: 'add', text: 'kept' }, 'any')
  await two.ask({ type: 'join', ref: line.ref })

  await one.stop()

  await until(() => line.rejoined.length === 1)
  assert.deepEqual(await two.ask({ type: 'read' }), ['kept'])
  assert.deepEqual([...line.memberships.values()], [two.cluster.nodeId])
})

test('a rejoin is tried again while the owner is unreachable', async (t) => {
  const { one, two } = await twoNodes(t)
  const line = two.lines.open(1)
  await one.ask({ type: 'add', text: 'kept' }, 'any')
  await two.ask({ type: 'join', ref: line.ref })
  two.rejoinErrors.push(new ApiError('service_unavailable'), new ApiError('service_unavailable'))

  one.cluster.send(two.cluster.nodeId, JSON.stringify(REJOIN))

  await until(() => line.rejoined.length === 1)
  assert.deepEqual([two.rejoinErrors, line.lost, two.reported], [[], [], []])
})

test('a lost membership is known to the client and to the former owner', async (t) => {
  const { one, two } = await twoNodes(t)
  await one.ask({ type: 'add', text: 'kept' }, 'any')
  const [refused, broken, closed] = [two.lines.open(1), two.lines.open(2), two.lines.open(3)]
  for (const { ref } of [refused, broken, closed]) await two.ask({ type: 'join', ref })
  two.rejoinErrors.push(
    new ApiError('room_not_found'),
    new TypeError('broken'),
    new ApiError('service_unavailable'),
  )
  closed.queueBehind = () => two.lines.drop(closed.ref)

  one.cluster.send(two.cluster.nodeId, JSON.stringify(REJOIN))

  const [list] = one.here(ENVIRONMENT)
  await until(() => list?.texts.length === 4)
  assert.deepEqual(list?.texts, ['kept', 'gone 1', 'gone 2', 'gone 3'])
  for (const line of [refused, broken, closed]) assert.deepEqual([line.rejoined, line.lost], [[], ['a:b']])
  assert.match(String(two.reported), /^TypeError: broken$/)
})

test('an actor that loses ownership during an await stops, and the request goes to the new owner', async (t) => {
  const { actors, ask } = await node(t)
  await ask({ type: 'add', text: 'before' }, 'any')
  const added = ask({ type: 'add', text: 'slowly', slowly: true })
  await actors.release()
  assert.deepEqual(await added, ['before', 'slowly'])
  assert.deepEqual(await ask({ type: 'read' }), ['before', 'slowly'])
})

test('a late `left` from a former owner does not remove members of the new owner', async (t) => {
  const { one, two } = await twoNodes(t)
  const line = one.lines.open(1)
  await two.ask({ type: 'add', text: 'a' }, 'any')
  await two.ask({ type: 'join', ref: line.ref })
  await until(() => line.memberships.get(name) === two.cluster.nodeId)
  const { cluster } = one
  for (const late of [
    { type: 'left', name },
    { type: 'close', code: 1000, reason: 'heard' },
  ])
    cluster.send(cluster.nodeId, JSON.stringify({ ref: line.ref, ...late }))
  await until(() => line.closedWith === '1000 heard')
  assert.equal(line.memberships.get(name), two.cluster.nodeId)
})

test('actors on other nodes are notified of the connections of a dead node', async (t) => {
  const { one, two } = await twoNodes(t)
  const line = two.lines.open(7)
  await one.ask({ type: 'add', text: 'a' }, 'any')
  await two.ask({ type: 'join', ref: line.ref })
  await two.stop()
  await until(() => (one.actors.ask(name, { type: 'read' }) as string[]).includes('gone 7'))
})

test('an owner keeps its actor when Redis loses its data', async (t) => {
  const prefix = `test-${randomUUID()}:`
  // Long timings: the owner learns that its snapshot cannot be saved before it learns that Redis does not know it any more.
  const timings = { heartbeatEveryMs: 3_000, lostAfterMs: 9_000, marginMs: 3_000 }
  const { ask } = await node(t, { prefix, timings })
  const redis = createClient({ url: testRedisUrl() })
  t.after(() => redis.destroy())
  await redis.connect()
  const snapshot = `${prefix}cluster:snapshot:list:env_1:a:b`
  await ask({ type: 'add', text: 'before' }, 'any')

  await redis.del(await redis.keys(`${prefix}*`))
  await ask({ type: 'add', text: 'after' })

  await comesTrue('the snapshot is saved again', async () => (await redis.exists(snapshot)) === 1)
  assert.deepEqual(await ask({ type: 'read' }), ['before', 'after'])
})

test('an actor whose `open` fails is released and can be claimed again', async (t) => {
  const { actors, cluster } = await node(t)
  const broken = nameOf<ListProtocol>({ kind: 'broken', environmentId: ENVIRONMENT, key: 'a' })
  const open = () => {
    throw new ApiError('service_unavailable')
  }
  actors.define<ListProtocol, List, string[]>({ kind: 'broken', open, handlers }, WITHOUT_MEMBERS)
  await assert.rejects(async () => actors.ask(broken, { type: 'read' }, 'any'), {
    code: 'service_unavailable',
  })
  assert.deepEqual(await cluster.claim(broken, 'existing'), { owner: 'nobody' })
})

test('actors opened while a node is disconnected are claimed again once it is back', async (t) => {
  const prefix = `test-${randomUUID()}:`
  const { actors, cluster, open: openList } = await node(t, { prefix })
  const redis = createClient({ url: testRedisUrl() })
  t.after(() => redis.destroy())
  await redis.connect()
  const opening = Promise.withResolvers<void>()
  const found = Promise.withResolvers<void>()
  async function open(context: ActorContext, snapshot: string[] | undefined) {
    opening.resolve()
    await found.promise
    return openList(context, snapshot)
  }
  actors.define({ kind: 'slow', open, handlers }, WITHOUT_MEMBERS)
  const slow = nameOf<ListProtocol>({ kind: 'slow', environmentId: ENVIRONMENT, key: 'a' })
  const add = async (text: string) => actors.ask(slow, { type: 'add', text }, 'any')

  const first = add('first')
  await opening.promise
  const returned = new Promise<void>((resolve) => cluster.onReconnected(resolve))
  await redis.hDel(`${prefix}cluster:nodes`, cluster.nodeId)
  await returned
  found.resolve()

  assert.deepEqual(await first, ['first'])
  assert.deepEqual(await add('second'), ['first', 'second'])
})

test('a query returns the answers of all nodes', async (t) => {
  const { one, two } = await twoNodes(t)
  await one.actors.ask(listAt('one'), { type: 'add', text: '1' }, 'any')
  await two.actors.ask(listAt('two'), { type: 'add', text: '2' }, 'any')
  await two.actors.ask(listAt('a:b', 'env_2'), { type: 'add', text: 'foreign' }, 'any')
  const [query] = [one, two].map(({ queries, here }) =>
    queries.define('lists', (environmentId: string) => here(environmentId).flatMap(({ texts }) => texts)),
  )

  const answers = await query?.(ENVIRONMENT)

  assert.deepEqual(answers?.flat().toSorted(), ['1', '2'])
})

test('a node that does not know a query is left out', async (t) => {
  const { one } = await twoNodes(t)
  const query = one.queries.define('only here', () => 'here')
  assert.deepEqual(await query(null), ['here'])
})

test('a bug in an actor is reported on its node, and the caller gets an internal error', async (t) => {
  const { one, two } = await twoNodes(t)
  await one.ask({ type: 'add', text: 'a' }, 'any')
  await assert.rejects(two.ask({ type: 'fail' }), { code: 'internal_error' })
  assert.match(String(one.reported[0]), /a bug/)
})

test('an actor is closed once: when it ends, when its node stops, and when another node owns it', async (t) => {
  const { one, two } = await twoNodes(t)
  await one.actors.ask(listAt('ends'), { type: 'read' }, 'any')
  await one.actors.ask(listAt('ends'), { type: 'end' })
  assert.deepEqual(one.closed, ['ends'])

  // Another owner in Redis: the next save of the snapshot finds that the actor has moved.
  const redis = createClient({ url: testRedisUrl() })
  t.after(() => redis.destroy())
  await redis.connect()
  await one.actors.ask(listAt('moves'), { type: 'add', text: 'a' }, 'any')
  const [owner] = await redis.keys('*cluster:owner:list:env_1:moves')
  await redis.set(owner ?? '', `${two.cluster.nodeId}:1:${Number.MAX_SAFE_INTEGER}`)
  await until(() => one.closed.length === 2)

  await one.actors.ask(listAt('stops'), { type: 'read' }, 'any')
  await one.stop()
  assert.deepEqual(one.closed, ['ends', 'moves', 'stops'])
  assert.deepEqual(two.closed, [])
})

test('an actor that was opened too late to be owned is closed', async (t) => {
  const prefix = `test-${randomUUID()}:`
  const { actors, cluster, open, closed } = await node(t, { prefix })
  const redis = createClient({ url: testRedisUrl() })
  t.after(() => redis.destroy())
  await redis.connect()
  let isFirst = true
  async function openLate(context: ActorContext, snapshot: string[] | undefined) {
    if (isFirst) {
      isFirst = false
      const returned = new Promise<void>((resolve) => cluster.onReconnected(resolve))
      await redis.hDel(`${prefix}cluster:nodes`, cluster.nodeId)
      await returned
    }
    return open(context, snapshot)
  }
  actors.define({ kind: 'late', open: openLate, handlers }, WITHOUT_MEMBERS)
  const late = nameOf<ListProtocol>({ kind: 'late', environmentId: ENVIRONMENT, key: 'late' })

  assert.deepEqual(await actors.ask(late, { type: 'add', text: 'a' }, 'any'), ['a'])

  assert.deepEqual(closed, ['late'])
})

test('an error in close is reported and does not stop the release', async (t) => {
  const { actors, open, reported } = await node(t)
  const close = () => {
    throw new TypeError('close')
  }
  actors.define(
    {
      kind: 'faulty',
      open: (context, snapshot?: string[]) => ({ ...open(context, snapshot), close }),
      handlers,
    },
    WITHOUT_MEMBERS,
  )
  const faulty = nameOf<ListProtocol>({ kind: 'faulty', environmentId: ENVIRONMENT, key: 'a' })
  await actors.ask(faulty, { type: 'read' }, 'any')
  await actors.ask(faulty, { type: 'end' })
  assert.equal(await actors.ask(faulty, { type: 'read' }), undefined)
  assert.match(String(reported), /close/)
})

for (const where of ['on its node', 'on another node'] as const)
  for (const slowly of [false, true])
    for (const isBehind of [false, true])
      test(`the caller waits for a detached answer, the mailbox does not; asked ${where}, ${slowly ? 'after a wait' : 'immediately'}, ${isBehind ? 'behind another message' : 'first'}`, async (t) => {
        const { one, two } = await twoNodes(t)
        await one.ask({ type: 'add', text: 'first' }, 'any')
        const received = Promise.withResolvers<void>()
        one.detached.push(received.promise)
        const from = where === 'on its node' ? one : two
        const before = isBehind ? from.ask({ type: 'add', text: 'slow', slowly: true }) : undefined

        const detached = from.ask({ type: 'addDetached', text: 'detached', slowly })
        const chat = await from.ask({ type: 'add', text: 'meanwhile' })

        const expected = isBehind ? ['first', 'slow', 'meanwhile'] : ['first', 'meanwhile']
        assert.deepEqual(chat, expected)
        received.resolve()
        assert.deepEqual(await detached, [...expected, 'detached'])
        await before
      })

test('the request of a detached answer goes to the new owner if the actor has moved in the meantime', async (t) => {
  const { actors, ask, detached } = await node(t)
  await ask({ type: 'add', text: 'before' }, 'any')
  const received = Promise.withResolvers<void>()
  detached.push(received.promise)
  const added = ask({ type: 'addDetached', text: 'detached' })
  await actors.release()
  received.resolve()
  assert.deepEqual(await added, ['before', 'detached'])
})

test('a detached answer that fails is an error for the caller only', async (t) => {
  const { ask, detached } = await node(t)
  detached.push(Promise.reject(new ApiError('room_full')))
  await assert.rejects(ask({ type: 'addDetached', text: 'a' }, 'any'), { code: 'room_full' })
  assert.deepEqual(await ask({ type: 'read' }), [])
})

test('members on other nodes stay with an owner that has reclaimed its actor', async (t) => {
  const { one, two } = await twoNodes(t)
  const line = two.lines.open(1)
  await one.ask({ type: 'add', text: 'a' }, 'any')
  await two.ask({ type: 'join', ref: line.ref })
  const claims: string[] = []
  const { claim } = two.cluster
  two.cluster.claim = (claimed, mode) => {
    claims.push(claimed)
    return claim(claimed, mode)
  }

  one.cluster.send(two.cluster.nodeId, JSON.stringify(REJOIN))

  await until(() => line.rejoined.length === 1)
  assert.equal(line.memberships.get(name), one.cluster.nodeId)
  assert.deepEqual(claims, [])
})
