import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { type Platform, SvcError } from '../src/index.ts'
import { sharedStorage, startFixtures, type Fixtures } from './fixtures.ts'

let fixtures: Fixtures
before(async () => void (fixtures = await startFixtures()))
after(() => fixtures.stop())

const code = (expected: string) => (error: SvcError) => error.code === expected

test('a missing save is null, and a written one is returned unchanged', async () => {
  const svc = await fixtures.client()
  assert.equal(await svc.saves.get('best'), null)
  const data = { score: 1, list: [1, 'two', null], deep: { ä: true } }

  const written = await svc.saves.put('best', data)

  const save = await svc.saves.get<typeof data>('best')
  assert.deepEqual(save, { ...written, data })
  assert.deepEqual(await svc.saves.list(), [written])
  assert.deepEqual([await svc.saves.delete('best'), await svc.saves.delete('best')], [true, false])
  assert.equal(await svc.saves.get('best'), null)
})

/** Which requests are sent, and what came back: `GET /v1/saves/best 200`. */
function recorded() {
  const sent: string[] = []
  const fetch: Platform['fetch'] = async (address, request) => {
    const answer = await globalThis.fetch(address, request)
    if (address.includes('/saves'))
      sent.push(`${request?.method} ${new URL(address).pathname} ${answer.status}`)
    return answer
  }
  return { sent, platform: { fetch } }
}

test('a missing save costs one request, which browsers do not show as an error', async () => {
  const { sent, platform } = recorded()
  const svc = await fixtures.client({ platform })
  assert.equal(await svc.saves.get('best'), null)
  assert.equal(await svc.saves.get('best'), null)
  await svc.saves.put('other', 1)
  assert.equal(await svc.saves.get('best'), null)
  assert.deepEqual(
    sent.filter((line) => line.startsWith('GET')),
    ['GET /v1/saves 200', 'GET /v1/saves 200', 'GET /v1/saves 200'],
  )
})

test('a save that this device has read costs one request, after a reload, too', async () => {
  const storage = sharedStorage()
  const first = await fixtures.client({ storage })
  await first.saves.put('best', { score: 1 })
  const { sent, platform } = recorded()
  const again = await fixtures.client({ storage, platform })
  assert.deepEqual((await again.saves.get('best'))?.data, { score: 1 })
  assert.deepEqual((await again.saves.get('best'))?.data, { score: 1 })
  assert.deepEqual(sent, ['GET /v1/saves/best 200', 'GET /v1/saves/best 200'])

  await first.saves.delete('best')
  assert.equal(await again.saves.get('best'), null)
  assert.equal(await again.saves.get('best'), null)
  assert.deepEqual(sent.slice(2), ['GET /v1/saves 200', 'GET /v1/saves 200'])
})

test('a save written on another device, or by another player on this one, is found', async () => {
  const account = { email: 'two-devices@example.com', password: 'correct horse' }
  const here = await fixtures.client()
  await here.auth.signUpWithEmail(account)
  await here.saves.put('best', 1)
  const { sent, platform } = recorded()
  const there = await fixtures.client({ platform })
  await there.saves.put('best', 2)
  await there.auth.signInWithEmail(account)
  assert.equal((await there.saves.get('best'))?.data, 1)
  assert.deepEqual(sent.slice(1), ['GET /v1/saves 200', 'GET /v1/saves/best 200'])
})

test('put uses the known version: a conflict contains the current save, and the merged save succeeds', async () => {
  const storage = sharedStorage()
  const [here, there] = [await fixtures.client({ storage }), await fixtures.client({ storage })]
  await here.saves.put('slot', { coins: 1 })
  await there.saves.get('slot')
  await there.saves.put('slot', { coins: 5 })

  const conflict = await here.saves.put('slot', { coins: 2 }).catch((error: unknown) => error)

  assert.ok(conflict instanceof SvcError && conflict.code === 'version_conflict')
  assert.deepEqual(conflict.current?.data, { coins: 5 })
  assert.equal((await here.saves.put('slot', { coins: 7 })).version, 3)
})

test('two clients that both found no save: the second put is a conflict', async () => {
  const storage = sharedStorage()
  const [here, there] = [await fixtures.client({ storage }), await fixtures.client({ storage })]
  await Promise.all([here.saves.get('new'), there.saves.get('new')])
  await here.saves.put('new', 'mine')
  await assert.rejects(there.saves.put('new', 'theirs'), code('version_conflict'))
})

test('after a deletion in the meantime current is null, and the next put creates the save again', async () => {
  const storage = sharedStorage()
  const [here, there] = [await fixtures.client({ storage }), await fixtures.client({ storage })]
  await here.saves.put('slot', 1)
  await there.saves.delete('slot')
  const conflict = await here.saves.put('slot', 2).catch((error: unknown) => error)
  assert.ok(conflict instanceof SvcError)
  assert.equal(conflict.current, null)
  assert.ok((await here.saves.put('slot', 2)).version > 1)
})

test('[SAV-17] concurrent puts are sent one after the other, without those that a newer one replaces', async () => {
  const svc = await fixtures.client()
  const summaries = await Promise.all([1, 2, 3, 4, 5].map((data) => svc.saves.put('fast', data)))
  assert.deepEqual(
    summaries.map(({ version }) => version),
    [1, 2, 2, 2, 2],
  )
  assert.equal((await svc.saves.get('fast'))?.data, 5)
})

test('a rejected put does not block the next', async () => {
  const svc = await fixtures.client()
  const refused = svc.saves.put('a', 'x'.repeat(2_000_000))
  const accepted = svc.saves.put('a', 'small')
  await assert.rejects(refused)
  assert.equal((await accepted).version, 1)
})

test('a put whose response was lost is repeated, and counts once', async () => {
  let lost = 0
  const fetch: Platform['fetch'] = async (address, request) => {
    const answer = await globalThis.fetch(address, request)
    if (request?.method !== 'PUT' || lost > 0) return answer
    lost++
    throw new TypeError('fetch failed')
  }
  const svc = await fixtures.client({ platform: { fetch } })
  await svc.saves.get('slot')
  assert.equal((await svc.saves.put('slot', { n: 1 })).version, 1)
  assert.equal(lost, 1)
  assert.equal((await svc.saves.put('slot', { n: 2 })).version, 2)
})

test('versions can be given or ignored', async () => {
  const svc = await fixtures.client()
  await svc.saves.put('slot', 1)
  await assert.rejects(svc.saves.put('slot', 2, { ifVersion: 0 }), code('version_conflict'))
  assert.equal((await svc.saves.put('slot', 3, { ifVersion: null })).version, 2)
  await assert.rejects(svc.saves.delete('slot', { ifVersion: 1 }), code('version_conflict'))
  assert.equal(await svc.saves.delete('slot', { ifVersion: 2 }), true)
})

test('missing data, and keys that would change the path, are rejected before anything is sent', async () => {
  const svc = await fixtures.client()
  await assert.rejects(svc.saves.put('a', undefined), code('invalid_request'))
  for (const key of ['', '.', '..']) await assert.rejects(svc.saves.put(key, 1), code('invalid_request'))
  await assert.rejects(svc.saves.put('a/b', 1), code('invalid_request'))
  for (const key of ['', '.', '..', 'a/b', 'x'.repeat(65)])
    await assert.rejects(svc.saves.get(key), code('invalid_request'), key)
  assert.deepEqual(await svc.saves.list(), [])
})

test('[STA-04] submit warns once about each key that the config lacks and each value that is no number', async (t) => {
  const svc = await fixtures.client()
  const warn = t.mock.method(console, 'warn', () => {})
  for (let times = 0; times < 2; times++) await svc.stats.submit({ points: 'many' as never, typo: 1 })
  await svc.stats.submit({ points: 501 })
  const said = warn.mock.calls
    .map(({ arguments: [text] }) => String(text))
    .filter((text) => /"(?:typo|points)"/.test(text))
  assert.equal(said.length, 2, 'a value above the limit does not count as a mistake in the code')
  assert.ok(said.some((text) => text.includes('"typo" was rejected: unknown_stat')))
  assert.ok(said.some((text) => text.includes('"points" was rejected: invalid_value')))
})

test('stats are submitted and read; rejected values are returned with a reason', async () => {
  const svc = await fixtures.client()
  const submitted = await svc.stats.submit({ points: 40, nonsense: 1 })
  assert.equal(submitted.stats['points']?.allTime, 40)
  assert.deepEqual(submitted.rejected, [{ key: 'nonsense', value: 1, reason: 'unknown_stat' }])
  const tooMuch = await svc.stats.submit({ points: 501 })
  assert.equal(tooMuch.rejected[0]?.reason, 'above_max_per_submit')
  assert.deepEqual(await svc.stats.get(), { points: 40 })
})

test('the public part of the config: stats, modes, providers', async () => {
  const svc = await fixtures.client()
  const config = await svc.config.get()
  assert.deepEqual(
    config.modes.map(({ key }) => key),
    ['duel', 'party', 'mesh'],
  )
  assert.deepEqual([config.features['saves'], config.auth.email], [true, true])
  assert.equal((await svc.stats.definitions())[0]?.key, 'points')
})
