import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createStoppedClock, MINUTE_MS } from '../../platform/clock.ts'
import { newGuest } from '../../testing/guests.ts'
import { until } from '../../testing/rooms.ts'
import { engines, startService, type TestEnvironment } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'
import { createRequestRing } from './ring.ts'

type Entry = { id: string; method: string; route: string; status: number; code: string | null }

suite('the request log', { features: { saves: true } }, ({ service, project }) => {
  const listOf = async (side: TestEnvironment, query = '') =>
    (await project.developer.call('GET', `${side.path}/requests${query}`)).body
  const lines = ({ requests }: { requests: Entry[] }) =>
    requests.map(({ method, route, status, code }) => `${method} ${route} ${status} ${code ?? ''}`.trim())

  test('[DSH-11] requests with a key are listed newest first, with route patterns, never with URLs or bodies', async () => {
    const { development, production, developer } = project
    const guest = await newGuest(development)
    await guest.call('PUT', '/v1/saves/secret-slot', { data: 'secret text' })
    const refused = await guest.call('GET', '/v1/saves/other')
    await development.public('GET', '/v1/stats', undefined, { authorization: 'Bearer nonsense' })
    await production.public('GET', '/v1/rooms')
    await developer.call('GET', `${development.path}/players`)
    await service.call('GET', '/v1/config', undefined, { 'x-svc-key': 'sk_dev_wrong' })

    const listed = await listOf(development, '?limit=4')
    assert.deepEqual(lines(listed), [
      'GET /v1/stats 401 invalid_token',
      'GET /v1/saves/:key 404 save_not_found',
      'PUT /v1/saves/:key 200',
      'POST /v1/auth/guest 200',
    ])
    assert.doesNotMatch(JSON.stringify(listed), /secret/)
    const [, read] = listed.requests
    const key = project.keys.find((one) => one.key === development.publishableKey)
    assert.deepEqual(
      [read.id, read.at, read.keyId, read.playerId],
      [refused.headers['x-request-id'], service.clock.now().toISOString(), key?.id, guest.id],
    )
    assert.deepEqual(lines(await listOf(production)), ['GET /v1/rooms 403 feature_disabled'])

    const one = await developer.call('GET', `${development.path}/requests/${read.id}`)
    assert.deepEqual(one.body.request, read)
    for (const path of [`${production.path}/requests/${read.id}`, `${development.path}/requests/req_nothing`])
      assert.equal((await developer.call('GET', path)).body.error.code, 'not_found')
  })

  test('[DSH-11] a request shows the name that its player has now, or null after the player was deleted', async () => {
    const { development, developer } = project
    const guest = await newGuest(development)
    await guest.call('PATCH', '/v1/players/me', { displayName: 'Mira' })
    const nameIn = async () => {
      const [listed] = (await listOf(development, `?playerId=${guest.id}&limit=1`)).requests
      const read = await developer.call('GET', `${development.path}/requests/${listed.id}`)
      assert.equal(read.body.request.playerName, listed.playerName)
      return listed.playerName
    }
    assert.equal(await nameIn(), 'Mira')

    assert.equal(
      (await guest.call('DELETE', '/v1/players/me', { refreshToken: guest.refreshToken })).status,
      200,
    )
    assert.equal(await nameIn(), null)
  })

  test('[DSH-11] the list can be limited by status, route, key and player, and is read page by page', async () => {
    const { development } = project
    const [ann, bob] = [await newGuest(development), await newGuest(development)]
    for (const { call } of [ann, bob, ann]) await call('GET', '/v1/saves/none')
    await ann.call('GET', '/v1/saves')
    await ann.call('HEAD', '/v1/saves')
    const list = async (query: string) => lines(await listOf(development, query))

    assert.equal((await list(`?playerId=${ann.id}`)).length, 4)
    const successes = ['HEAD /v1/saves 200', 'GET /v1/saves 200']
    assert.deepEqual(await list(`?playerId=${ann.id}&status=2xx`), successes)
    assert.deepEqual(await list(`?playerId=${bob.id}&status=404`), ['GET /v1/saves/:key 404 save_not_found'])
    assert.equal((await list(`?playerId=${ann.id}&route=${encodeURIComponent('/v1/saves/:key')}`)).length, 2)
    assert.deepEqual(await list('?keyId=key_nothing'), [])
    for (const query of ['?status=6xx', '?status=4x', '?cursor=x', '?limit=201'])
      assert.equal((await listOf(development, query)).error.code, 'invalid_request', query)

    const all = (await listOf(development, '?limit=200')).requests.map(({ id }: Entry) => id)
    const paged: string[] = []
    for (let cursor = ''; ;) {
      const page = await listOf(development, `?limit=3${cursor}`)
      paged.push(...page.requests.map(({ id }: Entry) => id))
      if (page.nextCursor === null) break
      cursor = `&cursor=${page.nextCursor}`
    }
    assert.deepEqual(paged, all, 'each request is on exactly one page')
  })

  test('[DSH-11] the series counts the stored requests per minute', async () => {
    const side = (await service.newProject(project.developer)).development
    const series = async (query = '') =>
      (await project.developer.call('GET', `${side.path}/requests/series${query}`)).body
    assert.equal((await series()).since, null)
    service.clock.advance(MINUTE_MS)
    const since = service.clock.now().toISOString()
    await side.public('POST', '/v1/auth/guest', {})
    service.clock.advance(MINUTE_MS)
    await side.public('GET', '/v1/saves')
    await side.server('GET', '/v1/config')

    const { since: oldest, minutes } = await series('?minutes=3')
    assert.equal(oldest, since)
    assert.deepEqual(
      minutes.map(({ requests, refused, failed }: Record<string, number>) => [requests, refused, failed]),
      [
        [0, 0, 0],
        [1, 0, 0],
        [2, 1, 0],
      ],
    )
    assert.equal(minutes[0].p50Ms, null)
    assert.ok(minutes[2].p95Ms >= minutes[2].p50Ms)
    assert.equal((await series()).minutes.length, 60)
    for (const query of ['?minutes=0', '?minutes=1441'])
      assert.equal((await series(query)).error.code, 'invalid_request')
  })
})

for (const engine of engines.filter((one) => one === 'postgres'))
  test('[DSH-11] the log contains the requests of all nodes', async (t) => {
    const first = await startService(engine)
    const second = await startService(engine, { clusterOf: first })
    t.after(async () => {
      await second.stop()
      await first.stop()
    })
    const { developer, development } = await first.newProject()
    await development.public('POST', '/v1/auth/guest', {})
    await second.withKey(development.publishableKey)('GET', '/v1/rooms')
    const list = async () => (await developer.call('GET', `${development.path}/requests`)).body.requests
    // The first node notices the second at a heartbeat.
    await until(async () => (await list()).length === 2)
    const requests = await list()
    assert.deepEqual(requests.map(({ route }: Entry) => route).toSorted(), ['/v1/auth/guest', '/v1/rooms'])
    const id = requests.find(({ route }: Entry) => route === '/v1/rooms').id
    assert.equal((await developer.call('GET', `${development.path}/requests/${id}`)).status, 200)
  })

test('[DSH-11] a node keeps the last requests and reuses their objects', () => {
  const ring = createRequestRing(createStoppedClock(), 3)
  const add = (n: number) => ring.add('env', `req_${n}`, 'GET', '/', 200, null, 1, 'key', null)
  const ids = () => [...ring.newest('env')].map(({ id }) => id)
  assert.deepEqual(ids(), [])
  add(1)
  add(2)
  assert.deepEqual(ids(), ['req_2', 'req_1'])
  add(3)
  const objects = new Set(ring.newest('env'))
  add(4)
  assert.deepEqual(ids(), ['req_4', 'req_3', 'req_2'])
  assert.ok([...ring.newest('env')].every((record) => objects.has(record)))
  assert.deepEqual([...ring.newest('other')], [])
})
