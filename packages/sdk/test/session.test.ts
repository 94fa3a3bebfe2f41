import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { type Ban, connect, type ConnectOptions, type Platform, type SvcError } from '../src/index.ts'
import { eventually, next, sharedStorage, startFixtures, type Fixtures } from './fixtures.ts'

const MINUTE_MS = 60_000
const code = (expected: string) => (error: SvcError) => error.code === expected

let fixtures: Fixtures
before(async () => void (fixtures = await startFixtures()))
after(() => fixtures.stop())

/** The service's clock, which only moves when it is moved. */
const inStep = (): Partial<Platform> => ({ now: () => fixtures.service.clock.now().getTime() })

describe('the session', () => {
  test('starts as a guest, with the requested name', async () => {
    const svc = await fixtures.client({ displayName: 'Ada' })
    assert.deepEqual([svc.player.displayName, svc.player.isGuest, svc.auth.signedIn], ['Ada', true, true])
  })

  test('is stored: the next visit is the same player', async () => {
    const storage = sharedStorage()
    const first = await fixtures.client({ storage })
    first.close()
    const second = await fixtures.client({ storage })
    assert.equal(second.player.id, first.player.id)
  })

  test('is not stored by default outside of a page: each client is a new player', async () => {
    assert.notEqual((await fixtures.client()).player.id, (await fixtures.client()).player.id)
  })

  test('[RWC-95] each frame of the Playground has its own, and tells who its player is; only in development', async () => {
    const storage = sharedStorage()
    const messages: unknown[] = []
    /** The player of a page in a frame with this name; all of them have one storage. */
    const playerIn = async (name: string, options: ConnectOptions = {}) => {
      const parent = { postMessage: (data: unknown) => messages.push(data) }
      const location = { hash: '', search: '' }
      const page = Object.assign(new EventTarget(), { name, parent, location, document: new EventTarget() })
      const platform = { page: page as unknown as Window }
      const svc = await fixtures.client({ storage, platform, ...options })
      const { id } = svc.player
      if (name === 'svc-play-2') await svc.auth.guest()
      svc.close()
      return [id, svc.player.id]
    }
    const own = await playerIn('')
    const [first] = await playerIn('svc-play-1')
    const [second, secondAfterwards] = await playerIn('svc-play-2')
    assert.equal(new Set([own[0], first, second, secondAfterwards]).size, 4)
    const told = [first, second, secondAfterwards].map((svcPlayer) => ({ svcPlayer }))
    assert.deepEqual(messages, told)
    assert.deepEqual([await playerIn('svc-play-1'), await playerIn('game')], [[first, first], own])

    const key = fixtures.productionKey
    messages.length = 0
    const [real] = await playerIn('', { key })
    assert.deepEqual(await playerIn('svc-play-1', { key }), [real, real])
    assert.deepEqual(messages, [])
  })

  test('several new tabs opened together create one guest', async () => {
    const storage = sharedStorage()
    const tabs = await Promise.all(Array.from({ length: 8 }, () => fixtures.client({ storage })))
    assert.equal(new Set(tabs.map(({ player }) => player.id)).size, 1)
  })

  test('is refreshed before the access token expires', async () => {
    const storage = sharedStorage()
    const svc = await fixtures.client({ storage, platform: inStep() })
    const tokens = () => JSON.parse(storage.values.get(`svc.session.${fixtures.key}`) ?? '{}')
    const before = tokens()

    fixtures.service.clock.advance(13 * MINUTE_MS)
    await svc.saves.list()
    assert.equal(tokens().accessToken, before.accessToken)
    fixtures.service.clock.advance(MINUTE_MS + 1)
    await svc.saves.list()

    assert.notEqual(tokens().accessToken, before.accessToken)
    assert.notEqual(tokens().refreshToken, before.refreshToken)
  })

  test('[SES-14] after token_expired it refreshes and repeats the call, whatever the local clock', async () => {
    const slow = await fixtures.client({ platform: { now: () => 0 } })
    fixtures.service.clock.advance(16 * MINUTE_MS)
    assert.deepEqual(await slow.saves.list(), [])
    const fast = await fixtures.client({ platform: { now: () => 8e15 } })
    assert.deepEqual(await fast.saves.list(), [])
  })

  test('many concurrent calls refresh once', async () => {
    let refreshes = 0
    const fetch: Platform['fetch'] = (address, request) => {
      if (address.endsWith('/v1/auth/refresh')) refreshes++
      return globalThis.fetch(address, request)
    }
    const svc = await fixtures.client({ platform: { ...inStep(), fetch } })
    fixtures.service.clock.advance(20 * MINUTE_MS)
    await Promise.all(Array.from({ length: 20 }, () => svc.saves.list()))
    assert.equal(refreshes, 1)
  })

  test('after a lost response the same token and nonce return the same new tokens', async () => {
    let lost = 0
    const fetch: Platform['fetch'] = async (address, request) => {
      const answer = await globalThis.fetch(address, request)
      if (!address.endsWith('/v1/auth/refresh') || lost === 2) return answer
      lost++
      throw new TypeError('fetch failed')
    }
    const svc = await fixtures.client({ platform: { ...inStep(), fetch } })
    fixtures.service.clock.advance(20 * MINUTE_MS)
    assert.deepEqual(await svc.saves.list(), [])
    assert.equal(lost, 2)
    fixtures.service.clock.advance(20 * MINUTE_MS)
    assert.deepEqual(await svc.saves.list(), [])
  })

  test('without a network a valid token is used', async () => {
    let isDown = false
    const fetch: Platform['fetch'] = (address, request) =>
      isDown && address.endsWith('/refresh')
        ? Promise.reject(new TypeError('fetch failed'))
        : globalThis.fetch(address, request)
    const svc = await fixtures.client({ platform: { ...inStep(), fetch } })
    fixtures.service.clock.advance(14 * MINUTE_MS + 1)
    isDown = true
    assert.deepEqual(await svc.saves.list(), [])
    fixtures.service.clock.advance(MINUTE_MS)
    await assert.rejects(svc.saves.list(), code('network_error'))
    assert.equal(svc.auth.signedIn, true)
    isDown = false
    assert.deepEqual(await svc.saves.list(), [])
  })

  const clocks: [string, () => Partial<Platform>][] = [
    ['their clock right', inStep],
    // They learn from the service that a token has expired.
    ['their clock standing still', () => ({ now: () => 0 })],
  ]
  const kinds: [string, Partial<Platform>][] = [
    ['with Web Locks', {}],
    ['without Web Locks, as in some browsers', { locks: undefined }],
  ]
  const tabs = kinds.flatMap(([kind, locks]) =>
    clocks.map(([time, clock]) => ({ title: `${kind}, ${time}`, locks, clock })),
  )
  for (const { title, locks, clock } of tabs) {
    test(`[SES-13] two tabs refresh for an hour without a sign-out, ${title}`, async () => {
      const storage = sharedStorage()
      const platform = { ...clock(), ...locks }
      const [one, two] = [
        await fixtures.client({ storage, platform }),
        await fixtures.client({ storage, platform }),
      ]
      const signedOut: string[] = []
      for (const tab of [one, two]) tab.on('signed_out', (reason) => signedOut.push(reason))

      // 60 minutes of 15-minute tokens, and many more rounds than that.
      for (let round = 0; round < 20; round++) {
        fixtures.service.clock.advance(15 * MINUTE_MS)
        const answers = await Promise.all([
          one.saves.list(),
          two.saves.list(),
          one.stats.get(),
          two.saves.list(),
        ])
        assert.deepEqual(answers, [[], [], {}, []])
      }

      assert.deepEqual(signedOut, [])
      assert.equal(one.player.id, two.player.id)
    })
  }

  test('[SES-13] tabs without any lock are not signed out either', async () => {
    const storage = sharedStorage()
    // Every caller gets the lock, as in a browser without any lock.
    const locks = { request: async (_: string, __: unknown, work: () => unknown) => work() } as never
    const platform = { ...inStep(), locks }
    const tabs = await Promise.all(Array.from({ length: 5 }, () => fixtures.client({ storage, platform })))
    for (let round = 0; round < 20; round++) {
      fixtures.service.clock.advance(15 * MINUTE_MS)
      await Promise.all(tabs.map((tab) => tab.saves.list()))
    }
    assert.deepEqual(
      tabs.map(({ auth }) => auth.signedIn),
      [true, true, true, true, true],
    )
  })

  test('[SES-13] after 409 refresh_race the stored session is read again, and the old token is not sent again', async () => {
    const storage = sharedStorage()
    const sent: string[] = []
    let races = 0
    const raced: Platform['fetch'] = async (address, request) => {
      if (!address.endsWith('/v1/auth/refresh')) return globalThis.fetch(address, request)
      const body = JSON.parse(request?.body as string)
      sent.push(body.refreshToken)
      // The same token at the same moment, by somebody who knows nothing of our nonce.
      const other = globalThis.fetch(address, {
        ...request,
        body: JSON.stringify({ refreshToken: body.refreshToken }),
      } as RequestInit)
      const mine = globalThis.fetch(address, request)
      const [theirs, ours] = await Promise.all([other, mine])
      if (ours.status !== 409) return ours
      races++
      const session = (await theirs.json()) as object
      const stored = JSON.parse(storage.values.get(`svc.session.${fixtures.key}`) ?? '{}')
      setTimeout(
        () =>
          storage.values.set(
            `svc.session.${fixtures.key}`,
            JSON.stringify({ ...stored, ...session, expiresAt: 8e15 }),
          ),
        50,
      )
      return ours
    }
    const svc = await fixtures.client({ storage, platform: { ...inStep(), fetch: raced } })
    for (let round = 0; round < 10; round++) {
      fixtures.service.clock.advance(15 * MINUTE_MS)
      const stored = JSON.parse(storage.values.get(`svc.session.${fixtures.key}`) ?? '{}')
      storage.values.set(`svc.session.${fixtures.key}`, JSON.stringify({ ...stored, expiresAt: 0 }))
      assert.deepEqual(await svc.saves.list(), [])
    }
    assert.equal(new Set(sent).size, sent.length)
    assert.ok(races > 0, 'there was no race')
    assert.equal(svc.auth.signedIn, true)
  })

  test('sign-out in one tab reaches the others', async () => {
    const storage = sharedStorage()
    const [here, there] = [await fixtures.client({ storage }), await fixtures.client({ storage })]
    const received = next<[string]>(there, 'signed_out')
    await here.auth.signOut()

    assert.deepEqual(await received, ['logout'])
    await assert.rejects(there.saves.list(), code('signed_out'))
    assert.equal(there.player.id, here.player.id)
  })

  test('sign-out revokes the refresh token; the next sign-in starts a new session in all tabs', async () => {
    const storage = sharedStorage()
    const [here, there] = [await fixtures.client({ storage }), await fixtures.client({ storage })]
    const before = here.player.id
    const { refreshToken } = JSON.parse(storage.values.get(`svc.session.${fixtures.key}`) ?? '{}')
    await here.auth.signOut()
    const { body } = await fixtures.development.public('POST', '/v1/auth/refresh', { refreshToken })
    assert.equal(body.error.details.reason, 'logout')

    const player = await here.auth.guest({ displayName: 'Next' })
    assert.notEqual(player.id, before)
    await eventually(() => there.player.id === player.id, 'the other tab following')
  })

  test('a session that ended elsewhere is reported once, with the reason', async () => {
    const storage = sharedStorage()
    const svc = await fixtures.client({ storage, platform: inStep() })
    const reasons: string[] = []
    svc.on('signed_out', (reason) => reasons.push(reason))
    const { refreshToken } = JSON.parse(storage.values.get(`svc.session.${fixtures.key}`) ?? '{}')
    await fixtures.development.public('POST', '/v1/auth/logout', { refreshToken })

    fixtures.service.clock.advance(20 * MINUTE_MS)
    await assert.rejects(svc.saves.list(), code('session_revoked'))
    await assert.rejects(svc.saves.list(), code('signed_out'))
    assert.deepEqual(reasons, ['logout'])
    const again = await fixtures.client({ storage, platform: inStep() })
    assert.notEqual(again.player.id, svc.player.id)
  })

  test('[SES-10] signed_out contains the reason, in every tab', async () => {
    const revoke: Record<string, (refreshToken: string, playerId: string) => Promise<unknown>> = {
      async reuse(refreshToken) {
        const refresh = () => fixtures.development.public('POST', '/v1/auth/refresh', { refreshToken })
        await refresh()
        await refresh()
      },
      deleted: (_, playerId) =>
        fixtures.development.server('POST', `/v1/admin/players/${playerId}/delete`, undefined),
      ban: (_, playerId) => fixtures.development.server('POST', `/v1/admin/players/${playerId}/ban`, {}),
      logout: (refreshToken) => fixtures.development.public('POST', '/v1/auth/logout', { refreshToken }),
      async expired() {
        fixtures.service.clock.advance(90 * 24 * 60 * MINUTE_MS)
      },
    }
    for (const [reason, end] of Object.entries(revoke)) {
      const storage = sharedStorage()
      const [here, there] = [
        await fixtures.client({ storage, platform: inStep() }),
        await fixtures.client({ storage, platform: inStep() }),
      ]
      const received = [next<[string]>(here, 'signed_out'), next<[string]>(there, 'signed_out')]
      const { refreshToken } = JSON.parse(storage.values.get(`svc.session.${fixtures.key}`) ?? '{}')
      await end(refreshToken, here.player.id)
      fixtures.service.clock.advance(20 * MINUTE_MS)
      await assert.rejects(
        here.saves.list(),
        code(reason === 'expired' ? 'invalid_refresh_token' : 'session_revoked'),
      )
      assert.deepEqual(await Promise.all(received), [[reason], [reason]])
      await assert.rejects(there.saves.list(), ({ details }: SvcError) => details['reason'] === reason)

      const visit = await fixtures.client({ storage, platform: inStep() })
      assert.equal(visit.auth.signedIn, reason !== 'ban')
    }
  })

  test('[BAN-11] after a ban has ended a guest continues at the next visit, with all data', async () => {
    const storage = sharedStorage()
    const svc = await fixtures.client({ storage, platform: inStep() })
    await svc.saves.put('slot1', { level: 3 })
    const admin = (what: string) =>
      fixtures.development.server('POST', `/v1/admin/players/${svc.player.id}/${what}`, {})
    await admin('ban')
    fixtures.service.clock.advance(20 * MINUTE_MS)
    await assert.rejects(svc.saves.list(), code('session_revoked'))
    assert.equal((await fixtures.client({ storage, platform: inStep() })).auth.signedIn, false)

    await admin('unban')
    const back = await fixtures.client({ storage, platform: inStep() })
    assert.deepEqual([back.auth.signedIn, back.player.id], [true, svc.player.id])
    assert.deepEqual((await back.saves.get('slot1'))?.data, { level: 3 })
  })

  test('after a ban the session is over, and an appeal is still possible, also on the next visit', async () => {
    const storage = sharedStorage()
    const svc = await fixtures.client({ storage, platform: inStep() })
    await fixtures.development.server('POST', `/v1/admin/players/${svc.player.id}/ban`, { reason: 'spam' })
    await assert.rejects(svc.saves.put('a', 1), code('player_banned'))
    const [sanction] = await svc.auth.sanctions()
    assert.equal(sanction?.note, 'spam')
    fixtures.service.clock.advance(20 * MINUTE_MS)
    await assert.rejects(svc.saves.list(), code('session_revoked'))

    const nextVisit = await fixtures.client({ storage, platform: inStep() })
    assert.deepEqual([nextVisit.auth.signedIn, nextVisit.player.id], [false, svc.player.id])
    const appeal = await nextVisit.auth.appeal('I am sorry')
    assert.deepEqual([appeal.status, appeal.message], ['open', 'I am sorry'])
    await assert.rejects(nextVisit.auth.appeal('again'), code('appeal_exists'))
  })

  test('[BAN-08] a player who is banned while connected gets the event banned, with the reason and the end', async () => {
    const svc = await fixtures.client()
    await svc.channels.join('lobby')
    assert.equal(svc.player.ban, undefined)
    const heard = next<[Ban]>(svc, 'banned')
    const body = { reason: 'spam', durationHours: 1 }
    await fixtures.development.server('POST', `/v1/admin/players/${svc.player.id}/ban`, body)
    const [ban] = await heard
    assert.equal(ban.reason, 'spam')
    assert.equal(ban.until?.getTime(), fixtures.service.clock.now().getTime() + 60 * MINUTE_MS)
    assert.deepEqual(svc.player.ban, ban)
    assert.equal((await svc.auth.sanctions())[0]?.id, ban.sanctionId)
  })

  test('[BAN-08] a rejected write tells of the ban, once', async () => {
    const svc = await fixtures.client()
    const heard: Ban[] = []
    svc.on('banned', (ban) => heard.push(ban))
    await fixtures.development.server('POST', `/v1/admin/players/${svc.player.id}/ban`, {})
    for (let times = 0; times < 2; times++) await assert.rejects(svc.saves.put('a', 1), code('player_banned'))
    assert.deepEqual(
      heard.map(({ reason, until }) => [reason, until]),
      [[null, null]],
    )
  })

  test('[BAN-08] connect as a banned player: svc.player.ban is set, and banned comes to a listener added after it', async () => {
    const storage = sharedStorage()
    const svc = await fixtures.client({ storage, platform: inStep() })
    const { id } = svc.player
    const admin = (what: string, body = {}) =>
      fixtures.development.server('POST', `/v1/admin/players/${id}/${what}`, body)
    await admin('ban', { reason: 'spam', durationHours: 2 })
    fixtures.service.clock.advance(20 * MINUTE_MS)
    svc.close()
    // The second visit finds the ban in the storage.
    for (let visits = 0; visits < 2; visits++) {
      const visit = await fixtures.client({ storage, platform: inStep() })
      const [ban] = await next<[Ban]>(visit, 'banned')
      assert.deepEqual([ban.reason, visit.player.ban?.reason, visit.auth.signedIn], ['spam', 'spam', false])
      assert.equal(ban.until?.getTime(), fixtures.service.clock.now().getTime() + 100 * MINUTE_MS)
      visit.close()
    }
    await admin('unban')
    const back = await fixtures.client({ storage, platform: inStep() })
    assert.deepEqual([back.player.id, back.player.ban, back.auth.signedIn], [id, undefined, true])
  })

  test('the session works without a working storage', async () => {
    const broken = () => {
      throw new Error('SecurityError')
    }
    const svc = await fixtures.client({ storage: { getItem: broken, setItem: broken, removeItem: broken } })
    assert.deepEqual(await svc.saves.list(), [])
    const garbage = sharedStorage()
    garbage.values.set(`svc.session.${fixtures.key}`, '{"player":')
    assert.equal((await fixtures.client({ storage: garbage })).auth.signedIn, true)
  })

  test('a refresh that fails temporarily has no effect while the token is valid', async () => {
    for (const status of [429, 503]) {
      let refused = 0
      const code = status === 429 ? 'rate_limited' : 'service_unavailable'
      const fetch: Platform['fetch'] = async (address, request) => {
        if (!address.endsWith('/v1/auth/refresh')) return globalThis.fetch(address, request)
        refused++
        return Response.json(
          { error: { code, message: 'later', details: { retryAfterSeconds: 30 } } },
          { status },
        )
      }
      const svc = await fixtures.client({ platform: { ...inStep(), fetch } })
      fixtures.service.clock.advance(14 * MINUTE_MS + 1)
      assert.deepEqual(await svc.saves.list(), [])
      assert.ok(refused > 0 && svc.auth.signedIn)
    }
  })

  test('a local clock that jumps ahead does not sign out: the service decides whether a token is valid', async () => {
    let isDown = false
    let now = 0
    const fetch: Platform['fetch'] = (address, request) =>
      isDown && address.endsWith('/refresh')
        ? Promise.reject(new TypeError('fetch failed'))
        : globalThis.fetch(address, request)
    const svc = await fixtures.client({ platform: { now: () => now, fetch } })
    now = 365 * 24 * 60 * MINUTE_MS
    isDown = true
    assert.deepEqual(await svc.saves.list(), [])
    now = -now
    assert.deepEqual(await svc.saves.list(), [])
  })

  test('without a network the next visit has the same player, and calls fail', async () => {
    const storage = sharedStorage()
    const { player } = await fixtures.client({ storage, platform: inStep() })
    fixtures.service.clock.advance(20 * MINUTE_MS)
    let isDown = true
    const fetch: Platform['fetch'] = (address, request) =>
      isDown ? Promise.reject(new TypeError('fetch failed')) : globalThis.fetch(address, request)
    const svc = await fixtures.client({ storage, platform: { ...inStep(), fetch } })
    assert.equal(svc.player.id, player.id)
    await assert.rejects(svc.saves.list(), code('network_error'))
    isDown = false
    assert.deepEqual(await svc.saves.list(), [])
  })

  test('a browser that blocks storage may forbid to tell other tabs: the client works alone', async (t) => {
    const Real = globalThis.BroadcastChannel
    t.after(() => (globalThis.BroadcastChannel = Real))
    globalThis.BroadcastChannel = class {
      constructor() {
        throw new DOMException('The operation is insecure.', 'SecurityError')
      }
    } as unknown as typeof Real
    const svc = await fixtures.client({ storage: sharedStorage() })
    assert.deepEqual(await svc.saves.list(), [])
  })

  test('a full storage keeps no used token', async () => {
    const storage = sharedStorage()
    let isFull = false
    const full = {
      ...storage,
      setItem: (key: string, value: string) => {
        if (isFull) throw new DOMException('full', 'QuotaExceededError')
        storage.setItem(key, value)
      },
    }
    const svc = await fixtures.client({ storage: full, platform: inStep() })
    isFull = true
    fixtures.service.clock.advance(20 * MINUTE_MS)
    assert.deepEqual(await svc.saves.list(), [])
    assert.equal(storage.values.has(`svc.session.${fixtures.key}`), false)
    fixtures.service.clock.advance(20 * MINUTE_MS)
    assert.deepEqual(await svc.saves.list(), [])
  })

  test('after close calls still work, also those that refresh; rooms do not', async () => {
    const svc = await fixtures.client({ storage: sharedStorage(), platform: inStep() })
    svc.close()
    fixtures.service.clock.advance(20 * MINUTE_MS)
    assert.deepEqual(await svc.saves.list(), [])
    await assert.rejects(svc.rooms.create({ mode: 'party' }), code('aborted'))
    await assert.rejects(svc.channels.join('lobby'), code('aborted'))
    svc.close()
  })

  test('an unreachable service is a network_error', async () => {
    await assert.rejects(connect({ url: 'http://127.0.0.1:1', key: fixtures.key }), code('network_error'))
  })
})
