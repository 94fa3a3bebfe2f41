import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'

import { LIMITS } from '@svc/contract/common/limits'

import { createStoppedClock, DAY_MS } from '../../platform/clock.ts'
import { newAgent } from '../../testing/agents.ts'
import { follow } from '../../testing/event-streams.ts'
import { newGuest } from '../../testing/guests.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { engines, type Service, startService } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'
import { EventStream } from './event-stream.ts'
import { createEvents } from './events.ts'

const MAX = LIMITS.eventStreamsPerSessionMax
const PASSWORD = 'correct horse'

async function newSession(service: Service, email: string): Promise<string> {
  const { status, body } = await service.call('POST', '/v1/developers/login', { email, password: PASSWORD })
  assert.equal(status, 200)
  return body.token
}

suite('event streams', { features: { emailLogin: true } }, ({ service, project }) => {
  /** Looks until it has arrived: looks of the service itself run meanwhile. */
  const arrives = (what: string, isThere: () => boolean) =>
    comesTrue(what, async () => {
      await service.everySecond()
      return isThere()
    })

  test('[DSH-09] changes of an environment arrive as hints, changes of another one do not', async () => {
    const { development, production, developer } = project
    const stream = await follow(service, development.path, developer.token)
    assert.equal(stream.status, 200)
    assert.equal(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    assert.equal(stream.headers.get('cache-control'), 'no-store')
    await comesTrue('the stream opens', () => stream.text.startsWith(': open\n\n'))

    const pushed = await production.server('PUT', '/v1/config', { features: { stats: true } })
    assert.equal(pushed.status, 200)
    const { id } = await newGuest(development)
    await arrives('the new player', () => stream.hints().some(({ topic }) => topic === 'player'))
    const ban = await development.server('POST', `/v1/admin/players/${id}/ban`, { reason: 'x' })
    assert.equal(ban.status, 200)
    const key = await developer.call('POST', `${development.path}/keys`, { type: 'secret' })
    assert.equal(key.status, 200)
    await arrives('the new key', () => stream.hints().some(({ topic }) => topic === 'key'))
    assert.deepEqual(
      stream.hints().filter((hint) => hint.topic === 'player'),
      [{ topic: 'player' }, { topic: 'player', id }],
    )
    assert.ok(stream.hints().every((hint) => hint.topic !== 'config'))
    const known = stream.hints().length
    const mail = { email: 'ada@example.com', password: PASSWORD }
    const signedUp = await development.public('POST', '/v1/auth/email/signup', mail)
    assert.equal(signedUp.status, 200)
    await arrives('the mail', () => {
      const more = stream.hints().slice(known)
      return more.some(({ topic }) => topic === 'mails')
    })
    stream.leave()
    await stream.ended
  })

  test('[DSH-09] a call of an agent that waits for an approval arrives as a hint', async () => {
    const { development, developer } = project
    const stream = await follow(service, development.path, developer.token)
    await comesTrue('the stream opens', () => stream.text.startsWith(': open\n\n'))
    const agent = await newAgent(service, project, development, { tools: ['delete_player'] })
    await arrives('the agent', () => stream.hints().some(({ topic }) => topic === 'agent'))
    const { id } = await newGuest(development)
    const asked = await agent.call('POST', `${development.path}/players/${id}/delete`)
    assert.equal(asked.body.error.code, 'approval_required')
    await arrives('the approval', () => stream.hints().some(({ topic }) => topic === 'approval'))
    stream.leave()
    await stream.ended
  })

  test('[DSH-09] more changes than a stream names arrive as one hint', async () => {
    const { development, developer } = await service.newProject(project.developer)
    const stream = await follow(service, development.path, developer.token)
    const { id } = await newGuest(development)
    // The mail to the developer may be delivered at any time.
    const hints = () => stream.hints().filter(({ topic }) => topic !== 'mails')
    await arrives('the new player', () => hints().length === 1)
    await service.db.transaction(async (transaction) => {
      for (let count = 0; count < 101; count++)
        await service.audit.record(transaction, {
          projectId: development.path.split('/')[3] ?? '',
          env: 'development',
          actor: { type: 'developer', id, label: '' },
          action: 'config.push',
          target: null,
          details: {},
        })
    })
    await arrives('the hint', () => hints().length > 1)
    assert.deepEqual(hints().slice(1), [{ topic: 'all' }])
    stream.leave()
    await stream.ended
  })

  test('[DSH-09] nobody else follows: no session, a key, another developer, an unknown environment, HEAD', async () => {
    const { development, id, developer } = project
    const other = await service.newDeveloper()
    const events = `${development.path}/events`
    const codes = [
      await service.call('GET', events),
      await service.withToken('kds_wrong')('GET', events),
      await development.server('GET', events),
      await other.call('GET', events),
      await developer.call('GET', `/v1/projects/${id}/environments/staging/events`),
      await developer.call('GET', `/v1/projects/prj_0/environments/development/events`),
    ].map(({ status, body }) => `${status} ${body.error.code}`)
    assert.deepEqual(codes, [
      '401 unauthorized',
      '401 unauthorized',
      '403 developer_session_required',
      '404 project_not_found',
      '404 environment_not_found',
      '404 project_not_found',
    ])
    assert.equal((await developer.call('HEAD', events)).status, 405)
  })

  test('[DSH-09] a session has four streams, also if it asks for eight together; one that leaves makes room', async () => {
    const { development, developer } = project
    const token = await newSession(service, developer.email)
    const asked = await Promise.all(Array.from({ length: 8 }, () => follow(service, development.path, token)))
    const open = asked.filter(({ status }) => status === 200)
    assert.ok(open.length <= MAX, `${open.length} streams`)
    assert.ok(asked.every(({ status, code }) => status === 200 || code === 'too_many_event_streams'))
    while (open.length < MAX) open.push(await follow(service, development.path, token))
    assert.deepEqual([...new Set(open.map(({ status }) => status))], [200])
    assert.equal((await follow(service, development.path, token)).code, 'too_many_event_streams')

    open[0]?.leave()
    await comesTrue('room for another', async () => {
      const next = await follow(service, development.path, token)
      if (next.status === 200) open.push(next)
      return next.status === 200
    })
    const others = await follow(service, development.path, developer.token)
    assert.equal(others.status, 200, 'another session of the same developer has its own four')
    for (const stream of [...open, others]) stream.leave()
    await Promise.all([...open, others].map(({ ended }) => ended))
  })

  test('[DSH-09] a stream ends with its session: signed out, ended elsewhere, expired', async () => {
    const { development, developer } = project
    const [leaving, ended, expired] = await Promise.all(
      Array.from({ length: 3 }, () => newSession(service, developer.email)),
    )
    const streams = await Promise.all(
      [leaving, ended, expired].map((token) => follow(service, development.path, token ?? '')),
    )
    const [first, second, third] = streams
    assert.deepEqual(
      streams.map(({ status }) => status),
      [200, 200, 200],
    )
    assert.equal((await service.withToken(leaving ?? '')('POST', '/v1/developers/logout')).status, 200)
    await first?.ended
    assert.deepEqual([second?.hasEnded, third?.hasEnded], [false, false])

    const { body } = await service.withToken(ended ?? '')('GET', '/v1/developers/me/sessions')
    const { id } = body.sessions.find(({ current }: { current: boolean }) => current)
    assert.equal((await developer.call('DELETE', `/v1/developers/me/sessions/${id}`)).status, 200)
    await second?.ended
    assert.equal(third?.hasEnded, false)

    service.clock.advance(31 * DAY_MS)
    await arrives('the end of the expired session', () => third?.hasEnded === true)
  })

  test('[DSH-09] a stream ends with the access to the project, and shows every 15 seconds that it is alive', async () => {
    const owner = await service.newDeveloper()
    const { development, id } = await service.newProject(owner)
    const stream = await follow(service, development.path, owner.token)
    service.clock.advance(LIMITS.eventBeatMs - 1)
    await service.everySecond()
    assert.doesNotMatch(stream.text, /beat/)
    service.clock.advance(1)
    await arrives('the beat', () => stream.text.includes(': beat\n\n'))

    const { body } = await owner.call('GET', `/v1/projects/${id}`)
    const removed = await owner.call('DELETE', `/v1/projects/${id}`, { slug: body.project.slug })
    assert.equal(removed.status, 200)
    service.clock.advance(LIMITS.eventBeatMs)
    await arrives('the end', () => stream.hasEnded)
  })
})

for (const engine of engines.filter((one) => one === 'postgres'))
  test('[DSH-09] with two nodes: a change, the end of a session and the limit apply to both; a node that stops ends its streams', async (t) => {
    const first = await startService(engine)
    const second = await startService(engine, { clusterOf: first })
    t.after(async () => {
      await second.stop()
      await first.stop()
    })
    const { developer, development } = await first.newProject(await first.newOperator())
    // The first node learns of the second with a heartbeat, and the other way round.
    for (const node of [first, second])
      await comesTrue('both nodes know each other', async () => {
        const { body } = await node.withToken(developer.token)('GET', '/v1/operator/system')
        return body.nodes.length === 2
      })
    const here = await follow(first, development.path, developer.token)
    const there = await follow(second, development.path, developer.token)
    assert.deepEqual([here.status, there.status], [200, 200])

    const pushed = await second.withKey(development.secretKey)('PUT', '/v1/config', { features: {} })
    assert.equal(pushed.status, 200)
    const isTold = ({ hints }: typeof here) => hints().some(({ topic }) => topic === 'config')
    await comesTrue('the hint on both nodes', () => isTold(here) && isTold(there))

    const more = [
      await follow(first, development.path, developer.token),
      await follow(second, development.path, developer.token),
    ]
    assert.deepEqual(
      more.map(({ status }) => status),
      [200, 200],
    )
    for (const node of [first, second])
      assert.equal((await follow(node, development.path, developer.token)).code, 'too_many_event_streams')

    const other = await first.withToken(developer.token)('POST', '/v1/developers/login', {
      email: developer.email,
      password: PASSWORD,
    })
    assert.equal((await second.withToken(developer.token)('POST', '/v1/developers/logout')).status, 200)
    await Promise.all([here, there, ...more].map(({ ended }) => ended))

    const last = await follow(second, development.path, other.body.token)
    assert.equal(last.status, 200)
    await second.close()
    await last.ended
  })

test('[DSH-09] a node has a maximum of streams', async () => {
  const environment = { id: 'env_1', projectId: 'prj_1', name: 'development', slug: 'game' } as const
  const events = createEvents({
    clock: createStoppedClock(),
    queries: { define: (_, answer) => async (question) => [answer(question) as never] },
    changesOf: async () => ({ seen: { sequence: 0, marks: {} }, hints: [] }),
    roleOf: async () => 'owner',
    report: assert.fail,
  })
  const bodies = await Promise.all(
    Array.from({ length: LIMITS.eventStreamsPerNodeMax }, (_, n) =>
      events.follow(`kds_${n}`, { ...environment, id: `env_${n % 7}` }, 'owner'),
    ),
  )
  await assert.rejects(events.follow('kds_more', environment, 'owner'), { code: 'service_unavailable' })
  bodies[0]?.destroy()
  await once(bodies[0] ?? assert.fail(), 'close')
  await events.follow('kds_more', environment, 'owner')
  events.stop()
  await assert.rejects(events.follow('kds_late', environment, 'owner'), { code: 'service_unavailable' })
})

test('[DSH-09] a client that does not read is cut', async (t) => {
  const unread = new EventStream('kds_1', '1', 'owner')
  unread.beat()
  assert.equal(unread.body.destroyed, true, 'it has not even read the beginning')

  const stream = new EventStream('kds_2', '2', 'owner')
  const server = createServer((_, response) => void stream.body.pipe(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  client.on('error', () => {})
  t.after(() => client.destroy())
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(server, 'request')
  const hints = Array.from({ length: 100 }, () => ({ topic: 'player', id: 'x'.repeat(60) }))
  // The buffers of the sockets on the way take some megabytes before anything waits here.
  await comesTrue('the cut', () => {
    for (let count = 0; count < 100 && stream.body.readableLength === 0; count++) stream.send(hints)
    stream.send(hints)
    return stream.body.destroyed
  })
})
