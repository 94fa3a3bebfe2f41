import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'

import { FEATURES } from '@svc/contract/common/features'
import { LIMITS } from '@svc/contract/common/limits'

import { ApiError } from '../../platform/api-error.ts'
import { HOUR_MS, MINUTE_MS } from '../../platform/clock.ts'
import type { Player } from '../../platform/player.ts'
import { ANONYMOUS, ENVIRONMENT, PLAYER, startRealtime } from '../../testing/bare-realtime.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { clientText, closesOf, type RawClient } from '../../testing/raw-websocket.ts'
import { connect } from '../../testing/sockets.ts'
import { suite } from '../../testing/suite.ts'
import { TEXT } from './websocket/frame.ts'

const PLAYERS = 120

/** A service with so many players who do nothing; `minutes` lets time pass. */
async function startIdle(
  t: Parameters<typeof startRealtime>[0],
  looksEnd: Promise<void> = Promise.resolve(),
) {
  const counts = { looks: 0, features: 0, keys: 0, banned: undefined as string | undefined }
  const failing = { lookups: false, group: 0 }
  const lookUp = () => {
    if (failing.lookups) throw new ApiError('service_unavailable')
  }
  let joined = 0
  const started = await startRealtime(t, {
    authenticate: () => async (_, __, learnFeatures) => {
      await learnFeatures(ENVIRONMENT.id)
      return { ...ANONYMOUS, player: { ...PLAYER, id: `ply_${++joined}` } }
    },
    readFeatures: async () => {
      counts.features++
      lookUp()
      return Object.fromEntries(Object.keys(FEATURES).map((name) => [name, true])) as never
    },
    async notAllowedAmong(_, players) {
      counts.looks++
      await looksEnd
      if (counts.looks === failing.group) throw new ApiError('service_unavailable')
      return new Set(players.filter(({ id }) => id === counts.banned))
    },
    async requireStillAllowed(_, player: Player | null) {
      counts.keys++
      if (player) throw new ApiError('player_banned')
      lookUp()
    },
  })
  const clients: RawClient[] = []
  const say = async (frame: object) => {
    for (const client of clients) client.send(clientText(JSON.stringify(frame)))
    // A ping may arrive before the answer.
    for (const client of clients) while ((await client.next(1))[0]?.opcode !== TEXT);
  }
  for (let i = 0; i < PLAYERS; i++) clients.push(await started.knock())
  for (const client of clients) await client.next(1)

  return {
    ...started,
    counts,
    failing,
    clients,
    async minutes(count: number) {
      for (let half = 0; half < 2 * count; half++) {
        started.clock.advance(LIMITS.idleTimeoutMs / 2)
        await say({ t: 'unknown', rid: 1 })
      }
    },
  }
}

test('[WSK-24] [GEN-55] a connection is checked in its first minute and every ten minutes, a hundred players at a time, also when the clock is set back', async (t) => {
  const { counts, clock, minutes } = await startIdle(t)
  const { features } = counts
  await minutes(1)
  assert.deepEqual(counts, { looks: 2, features, keys: 0, banned: undefined })
  clock.step(-HOUR_MS)
  await minutes(8)
  assert.deepEqual(counts, { looks: 2, features, keys: 0, banned: undefined })
  await minutes(1)
  assert.deepEqual(counts, { looks: 4, features: features + 1, keys: 1, banned: undefined })
})

test('[WSK-24] a check closes the connections that are no longer allowed, and only those', async (t) => {
  const { counts, connections, clients, minutes } = await startIdle(t)
  await minutes(1)
  counts.banned = 'ply_101'
  await minutes(8)
  assert.equal(connections.size, PLAYERS)
  const closes = () => clients.flatMap(({ frames }) => closesOf(frames.filter(({ opcode }) => opcode === 8)))
  await minutes(1).catch(() => {})
  await comesTrue('one is closed', async () => connections.size === PLAYERS - 1)
  assert.ok(closes().every(([code, reason]) => code === 4003 && reason === 'player_banned'))
})

test('[WSK-24] lookups that fail do not spare the players after them', async (t) => {
  const { counts, failing, connections, minutes } = await startIdle(t)
  await minutes(9)
  counts.banned = 'ply_101'
  Object.assign(failing, { lookups: true, group: counts.looks + 1 })
  await minutes(1).catch(() => {})
  await comesTrue('one is closed', async () => connections.size === PLAYERS - 1)
})

test('[WSK-24] with a slow database no second check begins beside the first', async (t) => {
  const never = Promise.withResolvers<void>()
  const { counts, minutes } = await startIdle(t, never.promise)
  await minutes(10)
  assert.equal(counts.looks, 1)
})

test('[CFG-22] a read of features that began earlier and ends later changes nothing', async (t) => {
  const reads: ((isOn: boolean) => void)[] = []
  const { realtime, knock } = await startRealtime(t, {
    authenticate: () => async (_, __, learnFeatures) => {
      await learnFeatures(ENVIRONMENT.id)
      return ANONYMOUS
    },
    readFeatures: () =>
      new Promise((resolve) =>
        reads.push((isOn) => resolve({ multiplayer: isOn, realtimeChannels: isOn } as never)),
      ),
  })
  const client = await knock()
  await comesTrue('the login has begun', async () => reads.length === 1)
  reads[0]?.(true)
  await client.next(1)
  const [older, newer] = [realtime.configChanged(ENVIRONMENT.id), realtime.configChanged(ENVIRONMENT.id)]
  reads[2]?.(true)
  await newer
  reads[1]?.(false)
  await older
  client.send(clientText('{"t":"unknown","rid":1}'))
  assert.equal((await client.next(1))[0]?.opcode, TEXT)
})

test('[CFG-22] a config that is pushed during the lookups of the auth frame is read again', async (t) => {
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isOn = true
  const { realtime, knock } = await startRealtime(t, {
    authenticate: () => async (_, __, learnFeatures) => {
      await learnFeatures(ENVIRONMENT.id)
      return ANONYMOUS
    },
    // The first read sees the old config, and its answer comes after the push.
    readFeatures: async () => {
      const features = { multiplayer: isOn, realtimeChannels: isOn } as never
      asked.resolve()
      await answered.promise
      return features
    },
  })
  const client = await knock()
  await asked.promise
  isOn = false
  await realtime.configChanged(ENVIRONMENT.id)
  answered.resolve()
  assert.deepEqual(closesOf(await client.next(1)), [[4003, 'feature_disabled']])
})

test('[BAN-07] a player who is banned during the lookups of the auth frame is rejected', async (t) => {
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { realtime, url } = await startRealtime(t, {
    // The lookup comes before the ban, the answer after it.
    authenticate: () => async () => {
      asked.resolve()
      await answered.promise
      return { ...ANONYMOUS, player: PLAYER, displayName: 'Ada' }
    },
    requireStillAllowed: async () => {
      throw new ApiError('player_banned')
    },
  })

  const socket = new WebSocket(url)
  await once(socket, 'open')
  const closed = once(socket, 'close')
  socket.send(JSON.stringify({ t: 'auth', key: 'pk', token: 'x' }))
  await asked.promise
  await realtime.recheckPlayer(ENVIRONMENT.id, PLAYER.id)
  answered.resolve()
  const [{ code, reason }] = await closed
  assert.deepEqual({ code, reason }, { code: 4003, reason: 'player_banned' })
})

suite('checks of open connections', { features: { multiplayer: true } }, ({ service, project }) => {
  test('[WSK-24] a connection with the access token of an ended session is closed within a minute; others stay', async () => {
    const side = project.development
    const newGuest = async () => (await side.public('POST', '/v1/auth/guest', {})).body
    const [stays, leaves] = [await newGuest(), await newGuest()]
    const { refreshToken } = leaves
    assert.equal((await side.public('POST', '/v1/auth/logout', { refreshToken })).status, 200)
    const others = [await connect(service, side, stays), await connect(service, side)]
    // The first may be closed by the revocation of the session, the second by nothing but the check.
    for (let connections = 0; connections < 2; connections++) {
      const ended = await connect(service, side, leaves)
      for (let third = 0; third < 3; third++) {
        service.clock.advance(MINUTE_MS / 3)
        for (const socket of others) await socket.settled()
      }
      assert.deepEqual(await ended.closed, { code: 4001, reason: 'session_revoked' })
    }
    for (const socket of others) {
      await socket.settled()
      await socket.close()
    }
  })
})
