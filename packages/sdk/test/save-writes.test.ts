import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { dataHash as hashOfService } from '../../server/src/capabilities/saves/data-hash.ts'
import { dataHash } from '../src/data/data-hash.ts'
import { createSaves } from '../src/data/saves.ts'
import { createSeenSaves } from '../src/data/seen-saves.ts'
import { createHttp } from '../src/http/http.ts'
import { type Platform, SvcError } from '../src/index.ts'
import { eventually, type Fixtures, sharedStorage, startFixtures } from './fixtures.ts'

let fixtures: Fixtures
before(async () => void (fixtures = await startFixtures()))
after(() => fixtures.stop())

/** The events of a page, without its pixels. */
function newPage() {
  const document = { hidden: false }
  return Object.assign(new EventTarget(), { document }) as unknown as Window & {
    document: { hidden: boolean }
  }
}

type Sent = { body: Record<string, unknown>; keepalive: boolean | undefined }
type Network = (send: () => Promise<Response>, sent: Sent) => Promise<Response>

/** The saves of a new guest on a device; `through` is its network. */
async function newPlayer() {
  const { body } = await fixtures.development.public('POST', '/v1/auth/guest', {})
  const headers = { 'X-Svc-Key': fixtures.key, Authorization: `Bearer ${body.accessToken}` }

  return (through: Network = (send) => send()) => {
    const puts: Sent[] = []
    const fetch: Platform['fetch'] = (address, request = {}) => {
      if (request.method !== 'PUT') return globalThis.fetch(address, request)
      const sent = { body: JSON.parse(request.body as string) as Sent['body'], keepalive: request.keepalive }
      puts.push(sent)
      return through(() => globalThis.fetch(address, request), sent)
    }
    const page = newPage()
    const platform = { fetch, random: () => 0, page }
    const call = createHttp({ url: fixtures.url, headers, platform, retry: () => undefined })
    const versions = new Map<string, number>()
    const seen = createSeenSaves(sharedStorage(), 'saves', () => body.player.id)
    const saves = createSaves(call, () => versions, seen, page, new AbortController().signal)
    return { ...saves, page, puts, dataSent: () => puts.map(({ body: { data } }) => data) }
  }
}

const isConflict = ({ code }: SvcError) => code === 'version_conflict'
const versionsOf = async (writes: Promise<{ version: number }>[]) =>
  (await Promise.all(writes)).map(({ version }) => version)

/** A network that keeps requests until `open`. */
function closedNetwork() {
  const opened = Promise.withResolvers<void>()
  const through: Network = async (send) => (await opened.promise, send())
  return { through, open: opened.resolve }
}

/** The request arrives, the response does not. */
const losing = async (send: () => Promise<Response>) => {
  await (await send()).text()
  throw new TypeError('fetch failed')
}

test('[SAV-17] of the writes of a save that wait only the newest is sent, and all resolve with its version', async () => {
  const network = closedNetwork()
  const { put, dataSent } = (await newPlayer())(network.through)
  const writes = [1, 2, 3, 4].map((data) => put('slot', data))
  const other = put('other', 'x')
  network.open()
  assert.deepEqual(await versionsOf(writes), [1, 2, 2, 2])
  assert.equal((await other).version, 1)
  assert.deepEqual(dataSent(), [1, 'x', 4])
})

test('[SAV-17] a write with a version of its own, and one before a deletion, is sent in any case', async () => {
  const network = closedNetwork()
  const { put, delete: remove, get, dataSent } = (await newPlayer())(network.through)
  const writes = [put('slot', 1), put('slot', 2), put('slot', 3, { ifVersion: 2 }), put('slot', 4)]
  const removed = remove('slot')
  const last = [put('slot', 5), put('slot', 6)]
  network.open()
  assert.deepEqual(await versionsOf(writes), [1, 2, 3, 4])
  assert.equal(await removed, true)
  assert.deepEqual(await versionsOf(last), [5, 5])
  assert.deepEqual(dataSent(), [1, 2, 3, 4, 6])
  assert.equal((await get('slot'))?.data, 6)
})

test('[SAV-17] what is saved is the data at the time of the call', async () => {
  const { put, get } = (await newPlayer())()
  const state = { level: 1 }
  const writing = put('slot', state)
  state.level = 2
  await writing
  assert.deepEqual((await get('slot'))?.data, { level: 1 })
})

for (const lost of [1, 2, 5])
  test(`[SAV-16] after ${lost} lost responses the own write is no version_conflict`, async () => {
    let left = lost
    const { put, get } = (await newPlayer())((send) => (left-- > 0 ? losing(send) : send()))
    await get('slot')
    for (let n = 1; n <= lost; n++) await assert.rejects(put('slot', { n }), SvcError)
    await put('slot', { n: 'last' })
    assert.deepEqual((await get('slot'))?.data, { n: 'last' })
  })

test('[SAV-16] after a lost response the write of another device is still a version_conflict', async () => {
  const device = await newPlayer()
  let isLost = true
  const here = device((send) => (isLost ? losing(send) : send()))
  const there = device()
  await here.get('slot')
  await assert.rejects(here.put('slot', 1), SvcError)
  await there.put('slot', 'theirs')
  isLost = false
  await assert.rejects(here.put('slot', 2), (error: SvcError) => {
    assert.equal(error.current?.data, 'theirs')
    return isConflict(error)
  })
})

for (const [what, leave] of [
  ['is left', (page: Window) => page.dispatchEvent(new Event('pagehide'))],
  [
    'goes to the background',
    (page: Window) => {
      Object.assign(page.document, { hidden: true })
      page.dispatchEvent(new Event('visibilitychange'))
    },
  ],
] as const)
  test(`[SAV-15] when the page ${what}, the newest write waits for no other`, async () => {
    const network = closedNetwork()
    let isFirst = true
    const { put, get, page, puts } = (await newPlayer())((send, sent) => {
      if (!isFirst) return send()
      isFirst = false
      return network.through(send, sent)
    })
    assert.equal(await get('slot'), null)
    const autosave = put('slot', 1)
    const waiting = put('slot', 2)
    leave(page)
    // The one before arrives afterwards.
    await eventually(async () => (await get('slot')) !== null, 'the newer write')
    network.open()
    assert.deepEqual(await versionsOf([waiting, autosave]), [1, 1])
    assert.deepEqual(
      puts.map(({ body: { data }, keepalive }) => [data, keepalive]),
      [
        [1, false],
        [2, true],
      ],
    )
    assert.equal((await get('slot'))?.data, 2)
  })

test('[SAV-15] a save in the event itself waits for no other, and follows the one before', async () => {
  const network = closedNetwork()
  const { put, get, page, puts } = (await newPlayer())((send, sent) =>
    sent.body['data'] === 'end' ? network.through(send, sent) : send(),
  )
  await put('slot', 0)
  const autosave = put('slot', 1)
  let last: Promise<{ version: number }> | undefined
  page.addEventListener('pagehide', () => void (last = put('slot', 'end')))
  page.dispatchEvent(new Event('pagehide'))
  assert.equal(puts.length, 3)
  assert.equal((await autosave).version, 2)
  network.open()
  assert.equal((await last)?.version, 3)
  assert.equal((await get('slot'))?.data, 'end')
})

test('[SAV-16] the SDK and the service compute the same hash', () => {
  for (const text of ['0', '""', '{"level":1}', '{"level":2}', '"Ü 🎲 \ud800"', 'x'.repeat(100_000)])
    assert.equal(dataHash(text), hashOfService(text))
  assert.notEqual(dataHash('{"level":1}'), dataHash('{"level":2}'))
})
