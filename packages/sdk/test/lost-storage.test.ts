import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import type { KeyValueStorage, Platform, SvcError } from '../src/index.ts'
import { eventually, next, sharedStorage, startFixtures, type Fixtures } from './fixtures.ts'

/** What other scripts, browsers and full disks do to the storage of a session. */

const MINUTE_MS = 60_000
const code = (expected: string) => (error: SvcError) => error.code === expected

let fixtures: Fixtures
let key: string
before(async () => {
  fixtures = await startFixtures()
  key = `svc.session.${fixtures.key}`
})
after(() => fixtures.stop())

/** The service's clock, which only moves when it is moved. */
const inStep = (): Partial<Platform> => ({ now: () => fixtures.service.clock.now().getTime() })
type Client = Awaited<ReturnType<Fixtures['client']>>
const record = (storage: ReturnType<typeof sharedStorage>) => JSON.parse(storage.values.get(key) ?? '{}')

/** A window of which a test uses only these parts. */
function newPage(localStorage: KeyValueStorage | undefined) {
  const parts = { name: '', location: { hash: '', search: '' }, document: new EventTarget(), localStorage }
  return Object.assign(new EventTarget(), parts) as unknown as Window
}
function eventsOf(svc: Client) {
  const heard: string[] = []
  svc.on('player', ({ id }) => heard.push(`player ${id}`))
  svc.on('signed_out', (reason) => heard.push(`signed_out ${reason}`))
  return heard
}

test('[AUT-25] localStorage.clear() does not end the session: it is written back, with its tokens, at the next call', async () => {
  const storage = sharedStorage()
  const svc = await fixtures.client({ storage, platform: inStep() })
  const heard = eventsOf(svc)
  const before = record(storage)
  for (let times = 0; times < 2; times++) {
    storage.values.clear()
    assert.equal((await svc.saves.put('slot', times)).version, times + 1)
    assert.deepEqual(record(storage), before)
  }
  storage.values.clear()
  fixtures.service.clock.advance(20 * MINUTE_MS)
  assert.equal((await svc.saves.get('slot'))?.data, 1)
  svc.close()
  const visit = await fixtures.client({ storage, platform: inStep() })
  assert.deepEqual([visit.player.id, heard], [before.player.id, []])
})

test('[AUT-25] a page that clears the storage and goes away at once leaves the session behind', async () => {
  const storage = sharedStorage()
  for (const event of ['pagehide', 'visibilitychange']) {
    const page = newPage(storage)
    const { player } = await fixtures.client({ platform: { page } })
    storage.values.clear()
    page.dispatchEvent(new Event(event))
    assert.equal(record(storage).player?.id, player.id, event)
  }
})

test('[AUT-25] of several tabs the one with the newest tokens writes them back, also over the copy of an older one', async () => {
  const storage = sharedStorage()
  const asleep = await fixtures.client({ storage, platform: inStep() })
  const old = storage.values.get(key) ?? ''
  const awake = await fixtures.client({ storage, platform: inStep() })
  for (let refreshes = 0; refreshes < 2; refreshes++) {
    fixtures.service.clock.advance(20 * MINUTE_MS)
    const { accessToken } = awake.auth
    await accessToken()
  }
  const newest = storage.values.get(key)
  storage.values.clear()
  storage.values.set(key, old)
  await awake.saves.list()
  assert.equal(storage.values.get(key), newest)
  fixtures.service.clock.advance(20 * MINUTE_MS)
  assert.deepEqual(await asleep.saves.list(), [])
  assert.deepEqual(await awake.saves.list(), [])
  assert.deepEqual([asleep.player.id, awake.auth.signedIn], [awake.player.id, true])
})

test('[AUT-25] a sign-out in another tab is one, also if the storage is cleared after it and the copy of a third tab comes back', async () => {
  const storage = sharedStorage()
  const [here, there] = [await fixtures.client({ storage }), await fixtures.client({ storage })]
  const copy = storage.values.get(key) ?? ''
  const left = next<[string]>(there, 'signed_out')
  await here.auth.signOut()
  assert.deepEqual(await left, ['logout'])
  storage.values.clear()
  storage.values.set(key, copy)
  await assert.rejects(here.saves.list(), code('signed_out'))
  await assert.rejects(there.saves.list(), code('signed_out'))
  assert.equal(storage.values.has(key), false)
  const visit = await fixtures.client({ storage })
  assert.notEqual(visit.player.id, here.player.id)
})

test('[AUT-25] the next player of the device is the player in all tabs, also of a storage that was cleared', async () => {
  const storage = sharedStorage()
  const [here, there] = [await fixtures.client({ storage }), await fixtures.client({ storage })]
  storage.values.clear()
  const player = await here.auth.guest()
  await eventually(() => there.player.id === player.id, 'the other tab following')
  storage.values.clear()
  await there.saves.list()
  assert.equal(record(storage).player.id, player.id)
})

test('[AUT-25] a record without a number, of a page with an older SDK, counts as the newest', async () => {
  const [storage, otherStorage] = [sharedStorage(), sharedStorage()]
  const svc = await fixtures.client({ storage })
  const other = await fixtures.client({ storage: otherStorage })
  const { savedAt, ...older } = record(otherStorage)
  assert.equal(typeof savedAt, 'number')
  storage.values.set(key, JSON.stringify(older))
  await svc.saves.list()
  assert.equal(svc.player.id, other.player.id)
})

test('[AUT-25] a deleted account does not come back from the memory of another tab', async () => {
  const storage = sharedStorage()
  const [here, there] = [await fixtures.client({ storage }), await fixtures.client({ storage })]
  const left = next<[string]>(there, 'signed_out')
  await here.auth.deleteAccount()
  assert.deepEqual(await left, ['deleted'])
  await assert.rejects(there.saves.list(), code('signed_out'))
  assert.equal(storage.values.has(key), false)
})

test('[AUT-25] a tab that opens after the storage was cleared gets the session of the tab that has it', async () => {
  const storage = sharedStorage()
  const open = await fixtures.client({ storage })
  storage.values.clear()
  const opened = await fixtures.client({ storage })
  assert.equal(opened.player.id, open.player.id)
})

for (const text of [
  '{}',
  '[]',
  '1',
  'null',
  '"text"',
  '{"player":null}',
  '{"player":{"id":"x"}}',
  '{"player":{"id":"x"},"accessToken":"","refreshToken":""}',
  '{"player":{"id":1},"accessToken":"a","refreshToken":"b"}',
  '{"player":{"id":"x"},"accessToken":{},"refreshToken":[]}',
  '{"player":{"id":"x"},"accessToken":"a","refreshToken":"b"}',
  `{"player":{"id":"x"},"accessToken":"a","refreshToken":"${'b'.repeat(300)}","expiresAt":9e15}`,
])
  test(`[AUT-26] a storage with ${text.slice(0, 70)} does not lock the game out`, async () => {
    const storage = sharedStorage()
    storage.values.set(key, text)
    storage.values.set(`${key}.guests`, text)
    const first = await fixtures.client({ storage })
    // Tokens that are only wrong end as an expired session does.
    await first.saves.list().catch(() => {})
    first.close()
    const svc = await fixtures.client({ storage })
    assert.deepEqual(await svc.saves.list(), [])
    assert.match(svc.player.id, /^ply_/)
  })

test('[AUT-26] an answer that is not of the service is no session and no success', async () => {
  const storage = sharedStorage()
  let body: string | undefined = '{}'
  const fetch: Platform['fetch'] = async (url, request) =>
    body === undefined ? globalThis.fetch(url, request) : new Response(body)
  await assert.rejects(fixtures.client({ storage, platform: { fetch } }), code('unexpected_answer'))
  assert.equal(storage.values.has(key), false)
  body = undefined
  const svc = await fixtures.client({ storage, platform: { fetch } })
  for (const portal of ['{}', '{"version":1,"key":"slot"}', '<html>']) {
    body = portal
    await assert.rejects(svc.saves.put('slot', 1), code('unexpected_answer'))
  }
  body = undefined
  assert.equal(await svc.saves.get('slot'), null)
  assert.equal(svc.auth.signedIn, true)
})

test('[AUT-26] an answer of the service that lacks the tokens is refused', async () => {
  const storage = sharedStorage()
  const fetch: Platform['fetch'] = async () =>
    Response.json({ player: { id: 'x' } }, { headers: { 'X-Request-Id': 'req_1' } })
  await assert.rejects(fixtures.client({ storage, platform: { fetch } }), code('unexpected_answer'))
  assert.equal(storage.values.has(key), false)
})

/** A storage of so many characters. */
function limitedStorage(charactersMax: { count: number }) {
  const storage = sharedStorage()
  const setItem = (name: string, value: string) => {
    const others = [...storage.values].filter(([other]) => other !== name)
    const used = others.reduce((sum, [other, text]) => sum + other.length + text.length, 0)
    if (used + name.length + value.length > charactersMax.count)
      throw new DOMException('full', 'QuotaExceededError')
    storage.values.set(name, value)
  }
  return { ...storage, setItem }
}

test('[AUT-27] a record that has grown in a full storage is kept without the player, who is the same in the next visit and in other tabs', async () => {
  const room = { count: 10_000 }
  const storage = limitedStorage(room)
  const svc = await fixtures.client({ storage, platform: inStep() })
  const other = await fixtures.client({ storage, platform: inStep() })
  const [heard, heardThere] = [eventsOf(svc), eventsOf(other)]
  room.count = [...storage.values].reduce((sum, [name, text]) => sum + name.length + text.length, 0)
  const longer = 'x'.repeat(32)
  await svc.auth.rename(longer)
  assert.deepEqual(record(storage).player, { id: svc.player.id })
  assert.deepEqual([svc.player.displayName, svc.auth.isKept], [longer, true])
  fixtures.service.clock.advance(20 * MINUTE_MS)
  assert.deepEqual([await other.saves.list(), await svc.saves.list()], [[], []])
  assert.deepEqual([other.player.displayName, heardThere.includes('signed_out logout')], [longer, false])
  assert.ok(heard.every((event) => event === `player ${svc.player.id}`))

  const visit = await fixtures.client({ storage, platform: inStep() })
  assert.deepEqual([visit.player.id, visit.player.displayName], [svc.player.id, longer])
})

test('[AUT-27] svc.auth.isKept: false where nothing is stored, and after the sign-out', async () => {
  assert.equal((await fixtures.client()).auth.isKept, false)
  const room = { count: 0 }
  const svc = await fixtures.client({ storage: limitedStorage(room), platform: inStep() })
  assert.equal(svc.auth.isKept, false)
  room.count = 10_000
  assert.deepEqual(await svc.saves.list(), [])
  assert.equal(svc.auth.isKept, true)
  await svc.auth.signOut()
  assert.equal(svc.auth.isKept, false)
})

test('[AUT-27] a sign-out in a full storage reaches the other tabs', async () => {
  const room = { count: 10_000 }
  const storage = limitedStorage(room)
  const [here, there] = [await fixtures.client({ storage }), await fixtures.client({ storage })]
  room.count = [...storage.values].reduce((sum, [name, text]) => sum + name.length + text.length, 0)
  const left = next<[string]>(there, 'signed_out')
  await here.auth.signOut()
  assert.deepEqual(await left, ['logout'])
  assert.equal(storage.values.get(`${key}.ended`), 'logout')
})
