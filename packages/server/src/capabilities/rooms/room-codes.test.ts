import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'

import { LIMITS } from '@svc/contract/common/limits'

import { newGuest } from '../../testing/guests.ts'
import { engines, type Service, startService, type TestEnvironment } from '../../testing/service.ts'
import { openSocket, type TestSocket } from '../../testing/sockets.ts'

type Guesser = TestSocket & { id: string }

const ADDRESS = '203.0.113.7'
const PER_MINUTE = LIMITS.wrongJoinsPerMinuteMax
const PER_HOUR = LIMITS.wrongJoinsPerAddressAndHourMax
const HOUR_MS = 3_600_000

/** The service is behind one proxy, so that a test can use any number of client addresses. */
const settings = { SVC_TRUSTED_PROXIES: '1' }

for (const engine of engines) {
  describe(`room codes on ${engine}`, () => {
    let one: Service
    /** A second node on PostgreSQL; otherwise the same node. */
    let two: Service
    let side: TestEnvironment
    let sockets: Guesser[] = []
    before(async () => {
      one = await startService(engine, { settings })
      two = engine === 'postgres' ? await startService(engine, { settings, clusterOf: one }) : one
    })
    after(async () => {
      if (two !== one) await two.stop()
      await one.stop()
    })
    beforeEach(async () => {
      side = await newSide('development')
      // All players share the same time windows: each test begins with a new one.
      const nowMs = one.clock.now().getTime()
      one.clock.advance(HOUR_MS - (nowMs % HOUR_MS))
    })
    afterEach(async () => {
      await Promise.all(sockets.map((socket) => socket.close()))
      sockets = []
    })

    async function newSide(environment: 'development' | 'production') {
      const made = (await one.newProject())[environment]
      await made.server('PUT', '/v1/config', { features: { multiplayer: true } })
      return made
    }
    async function enter(address = ADDRESS, node = one, guest?: { accessToken: string }): Promise<Guesser> {
      const { accessToken: token } = guest ?? (await newGuest(side))
      const socket = await openSocket(node, { 'x-forwarded-for': address })
      socket.send({ t: 'auth', key: side.publishableKey, token })
      const id = String((await socket.next('welcome'))['playerId'])
      sockets.push(Object.assign(socket, { id }))
      return Object.assign(socket, { id })
    }
    const join = (code: string) => ({ t: 'join', code })
    const openRoom = async (fields: object = {}) =>
      (await (await enter('198.51.100.1')).request({ t: 'create', private: true, ...fields })).room
    async function guess(guesser: Guesser, count: number) {
      for (let i = 0; i < count; i++)
        assert.equal((await guesser.refusal(join(`WRONG${i}`))).code, 'room_not_found')
    }
    async function assertClosed(guesser: Guesser, frame: object) {
      const { code, details } = await guesser.refusal(frame)
      assert.deepEqual([code, details], ['rate_limited', { retryAfterSeconds: 60 }])
      assert.deepEqual(await guesser.closed, { code: 4029, reason: 'rate_limited' })
    }

    test('[ROM-03] a generated code has eight unambiguous letters and digits', async () => {
      assert.match((await openRoom()).code, /^[A-HJ-NP-Z2-9]{8}$/)
    })

    test(`[ROM-05] [WSK-04] ${PER_MINUTE} wrong codes a minute are answered; the next join by code closes with 4029`, async () => {
      const { code } = await openRoom()
      const [wrong, right] = [await enter(), await enter()]
      for (const guesser of [wrong, right]) await guess(guesser, PER_MINUTE)
      await assertClosed(wrong, join('WRONG'))
      await assertClosed(right, join(code))
    })

    test('[ROM-05] until the minute has passed, even the right code is rejected, also on another connection or node', async () => {
      const { code } = await openRoom()
      const guest = await newGuest(side)
      const [here, there] = [await enter(ADDRESS, one, guest), PER_MINUTE / 2]
      await guess(here, there)
      const other = await enter('203.0.113.8', two, guest)
      await guess(other, PER_MINUTE - there)
      await assertClosed(other, join(code))
      await assertClosed(await enter('203.0.113.9', one, guest), join(code))

      one.clock.advance(60_000)
      const later = await enter(ADDRESS, one, guest)
      assert.equal((await later.request(join(code))).room.players.length, 2)
    })

    test('[ROM-05] right codes and room ids do not count', async () => {
      const { code, id } = await openRoom()
      const player = await enter()
      await guess(player, PER_MINUTE - 1)
      for (let i = 0; i < 3; i++) {
        await player.request(join(code))
        await player.request({ t: 'leave' })
        assert.equal((await player.refusal({ t: 'join', roomId: 'rom_0' })).code, 'room_not_found')
        await player.request({ t: 'join', roomId: id })
        await player.request({ t: 'leave' })
      }
      await guess(player, 1)
      await assertClosed(player, join(code))
    })

    test(`[ROM-05] ${PER_HOUR} wrong codes an hour are answered per client address, for all players and nodes together`, async () => {
      const { code, id } = await openRoom()
      for (let i = 0; i < PER_HOUR / PER_MINUTE; i++)
        await guess(await enter(ADDRESS, i % 2 ? one : two), PER_MINUTE)

      const neighbour = await enter(ADDRESS, two)
      const refusal = await neighbour.refusal(join(code))
      assert.equal(refusal.code, 'rate_limited')
      assert.deepEqual(refusal.details, { retryAfterSeconds: 3_600 })
      assert.equal((await neighbour.request({ t: 'join', roomId: id })).room.code, code)
      await neighbour.request({ t: 'leave' })
      await (await enter('203.0.113.8')).request(join(code))

      // Another player of this address who continues to guess is also disconnected.
      for (let i = 1; i < PER_MINUTE; i++)
        assert.equal((await neighbour.refusal(join(code))).code, 'rate_limited')
      await assertClosed(neighbour, join(code))

      one.clock.advance(HOUR_MS)
      await (await enter()).request(join(code))
    })

    test('[ROM-05] [GEN-13] an IPv6 /64 counts as one address', async () => {
      const { code } = await openRoom()
      for (let i = 0; i < PER_HOUR / PER_MINUTE; i++)
        await guess(await enter(`2001:db8:0:7::${i}`), PER_MINUTE)
      assert.equal((await (await enter('2001:db8:0:7:ffff::1')).refusal(join(code))).code, 'rate_limited')
      await (await enter('2001:db8:0:8::1')).request(join(code))
    })

    test('[ROM-05] an address is limited only in the environment in which it guesses', async () => {
      for (let i = 0; i < PER_HOUR / PER_MINUTE; i++) await guess(await enter(), PER_MINUTE)
      side = await newSide('development')
      await guess(await enter(), 1)
    })

    test('[ROM-05] of concurrent guesses no more than the limit are looked up', async () => {
      const guessers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => enter(ADDRESS, i % 2 ? one : two)),
      )
      const last = PER_MINUTE - 1
      for (let i = 0; i <= last; i++)
        for (const guesser of guessers) guesser.send({ ...join(`WRONG${i}`), rid: i })
      await Promise.all(guessers.map((guesser) => guesser.until(({ rid }) => rid === last, 'the last reply')))
      const replies = guessers.flatMap(({ received }) => received.filter(({ t }) => t === 'reply'))
      assert.equal(replies.length, guessers.length * PER_MINUTE)
      const lookedUp = replies.filter(({ error }) => error.code === 'room_not_found')
      assert.equal(lookedUp.length, PER_HOUR)
    })

    test('[ROM-03] in production a chosen code counts as a guess: code_taken reveals which codes exist', async () => {
      side = await newSide('production')
      await openRoom({ code: 'TAKEN' })
      const player = await enter()
      assert.equal((await player.refusal({ t: 'create', code: 'TAKEN' })).code, 'code_taken')
      for (let i = 1; i < PER_MINUTE; i++) {
        await player.request({ t: 'create', code: `FREE${i}` })
        await player.request({ t: 'leave' })
      }
      await player.request({ t: 'create' })
      await player.request({ t: 'leave' })
      await assertClosed(player, { t: 'create', code: 'TAKEN' })
    })

    test('[ROM-03] in development rooms with a chosen code have no limit', async () => {
      const player = await enter()
      for (let i = 0; i < 2 * PER_MINUTE; i++) {
        await player.request({ t: 'create', code: 'MINE' })
        await player.request({ t: 'leave' })
      }
    })
  })
}
