import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { createClient } from 'redis'

import type { ClusterTimings } from '../../engines/cluster/cluster.ts'
import { openCluster } from '../../engines/cluster/open.ts'
import { testRedisUrl } from '../../testing/redis.ts'
import { ApiError } from '../api-error.ts'
import { createStoppedClock } from '../clock.ts'
import { createTimers } from '../timers.ts'
import { type ActorKind, nameOf, type ActorContext } from './actor.ts'
import { createActors } from './actors.ts'

type Message =
  | { do: 'join'; ref: string }
  | { do: 'leave'; ref: string }
  | { do: 'add'; text: string; slowly?: boolean }
  | { do: 'shout'; except?: string }
  | { do: 'read' | 'refuse' | 'end' | 'boom' }
  | { do: 'later'; ms: number }
  | { do: 'end slowly' }

/** A list that grows: enough of an actor to see order, snapshots, members and ends. */
const list: ActorKind<Message, string[]> = {
  kind: 'list',
  open: (context, snapshot) => createList(context, snapshot ?? []),
  survey: (actors, question) => [...actors].map((actor) => [question, actor.snapshot()]),
}

function createList(context: ActorContext, texts: string[]) {
  const add = (text: string) => {
    texts.push(text)
    context.changed()
    return [...texts]
  }
  const addSlowly = async (text: string) => {
    await pause(20)
    context.assertStillOwner()
    return add(text)
  }
  return {
    receive(message: Message): unknown {
      switch (message.do) {
        case 'join':
          context.members.add(message.ref)
          context.members.send({ t: 'joined', ref: message.ref })
          return context.members.size
        case 'leave':
          return context.members.remove(message.ref)
        case 'add':
          return message.slowly ? addSlowly(message.text) : add(message.text)
        case 'shout':
          return context.members.send({ t: 'shout' }, message.except)
        case 'later':
          return void context.after(message.ms, () => add('later'))
        case 'read':
          return [...texts]
        case 'refuse':
          throw new ApiError('room_full', { why: 'test' })
        case 'boom':
          throw new TypeError('a bug')
        case 'end':
          return context.end()
        case 'end slowly':
          return pause(20).then(() => context.end())
      }
    },
    memberDisconnected: (ref: string) => void add(`gone ${ref.split('/')[1]}`),
    snapshot: () => [...texts],
  }
}

const ENVIRONMENT = 'env_1'
const listAt = (key: string, environmentId = ENVIRONMENT) => nameOf({ kind: 'list', environmentId, key })
const name = listAt('a:b')

/** What a node needs of its connections; what arrives is kept as text. */
function createLines(nodeId: string) {
  const lines = new Map<string, ReturnType<typeof line>>()
  const line = (ref: string) => ({
    ref,
    memberships: new Map<string, string>(),
    heard: [] as string[],
    rejoined: [] as string[],
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
  const actors = createActors({
    cluster,
    connections: lines,
    timers: createTimers(clock),
    report: (error) => void reported.push(error),
  })
  actors.define(list, async (connection, actor) => {
    await actors.ask(nameOf(actor), { do: 'join', ref: connection.ref }, 'any')
    connection.rejoined.push(actor.key)
  })
  let isOpen = true
  const stop = async () => {
    if (!isOpen) return
    isOpen = false
    await actors.stop()
    await cluster.close()
  }
  t.after(stop)
  const ask = async (message: Message, how?: 'existing' | 'any') => actors.ask(name, message, how)
  return { actors, lines, clock, reported, ask, stop, cluster }
}

async function twoNodes(t: TestContext) {
  const redis = { prefix: `test-${randomUUID()}:` }
  const [one, two] = [await node(t, redis), await node(t, redis)]
  await until(() => one.cluster.nodes().length === 2 && two.cluster.nodes().length === 2)
  return { one, two, redis }
}

async function until(isSo: () => boolean) {
  for (const deadline = Date.now() + 10_000; !isSo();) {
    if (Date.now() > deadline) assert.fail(`did not become true: ${String(isSo)}`)
    await pause(10)
  }
}

test('what nobody has made is nobody; any makes it, and it answers at once on its own node', async (t) => {
  const { actors, ask } = await node(t)
  assert.equal(await ask({ do: 'read' }), undefined)
  assert.deepEqual(await ask({ do: 'add', text: 'a' }, 'any'), ['a'])
  assert.deepEqual(actors.ask(name, { do: 'read' }), ['a'])
})

test('messages are worked on one at a time, in the order they came', async (t) => {
  const { ask } = await node(t)
  const answers = await Promise.all([
    ask({ do: 'add', text: 'slow', slowly: true }, 'any'),
    ask({ do: 'add', text: 'fast' }, 'any'),
    ask({ do: 'add', text: 'slow again', slowly: true }, 'any'),
    ask({ do: 'add', text: 'last' }, 'any'),
  ])
  assert.deepEqual(answers.at(-1), ['slow', 'fast', 'slow again', 'last'])
})

test('a refusal goes to whoever asked, and the actor goes on', async (t) => {
  const { ask } = await node(t)
  await ask({ do: 'add', text: 'a' }, 'any')
  await assert.rejects(ask({ do: 'refuse' }), { code: 'room_full', details: { why: 'test' } })
  assert.deepEqual(await ask({ do: 'read' }), ['a'])
})

test('what waits for an actor that ends meanwhile is asked of the next one, or finds nobody', async (t) => {
  const { ask } = await node(t)
  await ask({ do: 'add', text: 'of the first' }, 'any')
  const [, nobody] = await Promise.all([ask({ do: 'end slowly' }), ask({ do: 'read' })])
  assert.equal(nobody, undefined)

  await ask({ do: 'add', text: 'of the second' }, 'any')
  const [, next] = await Promise.all([
    ask({ do: 'end slowly' }),
    ask({ do: 'add', text: 'of the third' }, 'any'),
  ])
  assert.deepEqual(next, ['of the third'])
})

test('timers follow the injected clock and end with the actor', async (t) => {
  const { ask, clock } = await node(t)
  await ask({ do: 'later', ms: 1_000 }, 'any')
  clock.advance(1_000)
  assert.deepEqual(await ask({ do: 'read' }), ['later'])
  await ask({ do: 'later', ms: 1_000 })
  await ask({ do: 'end' })
  clock.advance(1_000)
  assert.equal(await ask({ do: 'read' }), undefined)
})

test('members hear, all or all but one; the end dismisses them', async (t) => {
  const { ask, lines } = await node(t)
  const [a, b] = [lines.open(1), lines.open(2)]
  await ask({ do: 'join', ref: a.ref }, 'any')
  await ask({ do: 'join', ref: b.ref })
  await ask({ do: 'shout', except: a.ref })
  assert.deepEqual([a.heard.length, b.heard.length], [2, 2])
  assert.deepEqual([...a.memberships.keys()], ['list:env_1:a:b'])
  await ask({ do: 'end' })
  assert.deepEqual([a.memberships.size, b.memberships.size], [0, 0])
})

test('a connection that closes is gone for the actor, once; one that closed before it was added as well', async (t) => {
  const { actors, ask, lines } = await node(t)
  const a = lines.open(1)
  await ask({ do: 'join', ref: a.ref }, 'any')
  lines.drop(a.ref)
  actors.connectionClosed(a)
  actors.connectionClosed(a)
  await pause(0)
  assert.deepEqual(await ask({ do: 'read' }), ['gone 1'])

  const b = lines.open(2)
  lines.drop(b.ref)
  await ask({ do: 'join', ref: b.ref })
  await pause(0)
  assert.deepEqual(await ask({ do: 'read' }), ['gone 1', 'gone 2'])
})

test('on two nodes there is one of each name; asking, refusing, hearing and closing work across', async (t) => {
  const { one, two } = await twoNodes(t)
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      (index % 2 ? one : two).ask({ do: 'add', text: String(index) }, 'any'),
    ),
  )
  assert.equal((answers as string[][]).find(({ length }) => length === 50)?.length, 50)
  await assert.rejects(one.ask({ do: 'refuse' }), { code: 'room_full' })
  await assert.rejects(two.ask({ do: 'refuse' }), { code: 'room_full', details: { why: 'test' } })

  const [a, b] = [one.lines.open(1), two.lines.open(1)]
  assert.equal(await two.ask({ do: 'join', ref: a.ref }), 1)
  assert.equal(await one.ask({ do: 'join', ref: b.ref }), 2)
  await one.ask({ do: 'shout', except: a.ref })
  await until(() => b.heard.some((text) => text.includes('shout')))
  assert.equal(
    a.heard.some((text) => text.includes('shout')),
    false,
  )
  await until(() => a.memberships.size === 1 && b.memberships.size === 1)

  two.actors.close(a.ref, 4004, 'replaced')
  await until(() => a.closedWith === '4004 replaced')
})

test('what arrives before an answer was said before it, also across nodes', async (t) => {
  const { one, two } = await twoNodes(t)
  await one.ask({ do: 'add', text: 'here' }, 'any')
  for (let round = 1; round <= 100; round++) {
    const line = two.lines.open(round)
    await two.ask({ do: 'join', ref: line.ref })
    assert.equal(line.heard.length, 1, `round ${round}`)
    assert.equal(line.memberships.size, 1)
  }
})

test('a node that stops leaves its actors to the others, whose members are there again', async (t) => {
  const { one, two } = await twoNodes(t)
  const line = two.lines.open(1)
  await one.ask({ do: 'add', text: 'kept' }, 'any')
  await two.ask({ do: 'join', ref: line.ref })

  await one.stop()

  await until(() => line.rejoined.length === 1)
  assert.deepEqual(await two.ask({ do: 'read' }), ['kept'])
  assert.deepEqual([...line.memberships.values()], [two.cluster.nodeId])
})

test('an actor that is given up while it waits does nothing more, and the next owner is asked instead', async (t) => {
  const { actors, ask } = await node(t)
  await ask({ do: 'add', text: 'before' }, 'any')
  const added = ask({ do: 'add', text: 'slowly', slowly: true })
  await actors.stop()
  assert.deepEqual(await added, ['before', 'slowly'])
  assert.deepEqual(await ask({ do: 'read' }), ['before', 'slowly'])
})

test('a former owner takes nobody out of what is the next one’s', async (t) => {
  const { one, two } = await twoNodes(t)
  const line = one.lines.open(1)
  await two.ask({ do: 'add', text: 'a' }, 'any')
  await two.ask({ do: 'join', ref: line.ref })
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

test('the connections of a node that is lost are gone for actors elsewhere', async (t) => {
  const { one, two } = await twoNodes(t)
  const line = two.lines.open(7)
  await one.ask({ do: 'add', text: 'a' }, 'any')
  await two.ask({ do: 'join', ref: line.ref })
  await two.stop()
  await until(() => (one.actors.ask(name, { do: 'read' }) as string[]).includes('gone 7'))
})

test('what a Redis has forgotten stays with its owner', async (t) => {
  const prefix = `test-${randomUUID()}:`
  // Slow ones: the owner hears that its snapshot cannot be kept before it hears that nobody knows it any more.
  const timings = { heartbeatEveryMs: 3_000, lostAfterMs: 9_000, marginMs: 3_000 }
  const { ask } = await node(t, { prefix, timings })
  const redis = createClient({ url: testRedisUrl() })
  t.after(() => redis.destroy())
  await redis.connect()
  const snapshot = `${prefix}cluster:snapshot:list:env_1:a:b`
  await ask({ do: 'add', text: 'before' }, 'any')

  await redis.del(await redis.keys(`${prefix}*`))
  await ask({ do: 'add', text: 'after' })

  for (const deadline = Date.now() + 10_000; !(await redis.exists(snapshot));) {
    assert.ok(Date.now() < deadline, 'it was not kept again')
    await pause(10)
  }
  assert.deepEqual(await ask({ do: 'read' }), ['before', 'after'])
})

test('what cannot be opened is nobody’s, and can be claimed again', async (t) => {
  const { actors, cluster } = await node(t)
  const broken = nameOf({ kind: 'broken', environmentId: ENVIRONMENT, key: 'a' })
  const open = () => {
    throw new ApiError('service_unavailable')
  }
  actors.define<Message, string[]>({ kind: 'broken', open }, async () => {})
  await assert.rejects(async () => actors.ask(broken, { do: 'read' }, 'any'), { code: 'service_unavailable' })
  assert.deepEqual(await cluster.claim(broken, 'existing'), { owner: 'nobody' })
})

test('what a node opens while it is cut off is claimed anew once it is back', async (t) => {
  const prefix = `test-${randomUUID()}:`
  const { actors, cluster } = await node(t, { prefix })
  const redis = createClient({ url: testRedisUrl() })
  t.after(() => redis.destroy())
  await redis.connect()
  const opening = Promise.withResolvers<void>()
  const found = Promise.withResolvers<void>()
  async function open(context: ActorContext, snapshot: string[] | undefined) {
    opening.resolve()
    await found.promise
    return createList(context, snapshot ?? [])
  }
  actors.define<Message, string[]>({ kind: 'slow', open }, async () => {})
  const slow = nameOf({ kind: 'slow', environmentId: ENVIRONMENT, key: 'a' })
  const add = async (text: string) => actors.ask(slow, { do: 'add', text }, 'any')

  const first = add('first')
  await opening.promise
  const returned = new Promise<void>((resolve) => cluster.onReconnected(resolve))
  await redis.hDel(`${prefix}cluster:nodes`, cluster.nodeId)
  await returned
  found.resolve()

  assert.deepEqual(await first, ['first'])
  assert.deepEqual(await add('second'), ['first', 'second'])
})

test('a survey hears every node', async (t) => {
  const { one, two } = await twoNodes(t)
  await one.actors.ask(listAt('one'), { do: 'add', text: '1' }, 'any')
  await two.actors.ask(listAt('two'), { do: 'add', text: '2' }, 'any')
  await two.actors.ask(listAt('a:b', 'env_2'), { do: 'add', text: 'foreign' }, 'any')
  const answers = (await one.actors.survey('list', ENVIRONMENT, 'q')) as unknown[][]
  assert.deepEqual(
    answers.flat().toSorted((a, b) => String(a).localeCompare(String(b))),
    [
      ['q', ['1']],
      ['q', ['2']],
    ],
  )
})

test('a bug in an actor is told to its own node, and to whoever asked as an internal error', async (t) => {
  const { one, two } = await twoNodes(t)
  await one.ask({ do: 'add', text: 'a' }, 'any')
  await assert.rejects(two.ask({ do: 'boom' }), { code: 'internal_error' })
  assert.match(String(one.reported[0]), /a bug/)
})
