import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'

import { FEATURES } from '@svc/contract/common/features'
import { LIMITS } from '@svc/contract/common/limits'

import { ApiError } from '../../platform/api-error.ts'
import { createStoppedClock, HOUR_MS, SECOND_MS } from '../../platform/clock.ts'
import { createTimers } from '../../platform/time/timers.ts'
import { clientText, openRaw } from '../../testing/raw-websocket.ts'
import { createConnections } from './connections.ts'
import type { Features } from './features.ts'
import { createRealtime } from './realtime.ts'
import { TEXT } from './websocket/frame.ts'

const ALL_ON = Object.fromEntries(Object.keys(FEATURES).map((name) => [name, true])) as Features
const ENVIRONMENT = { id: 'env_1', projectId: 'prj_1', slug: 'duel', name: 'development' } as const

const QUIET = {
  requestIds: () => 'req_1',
  onHostUpgrade: () => false,
  bus: { publish: async () => {}, subscribe: () => () => {}, onGap: () => () => {} },
  clientAddressOf: () => '127.0.0.1',
  isLimited: false,
  unavailableFeatures: new Set<never>(),
  readFeatures: async () => ALL_ON,
  replaceConnection: async () => {},
  resumableRoom: async () => null,
  playerConnected: () => {},
  connectionClosed: () => {},
  featureSwitchedOff: () => {},
  asApiError: (error: unknown) => (error instanceof ApiError ? error : new ApiError('internal_error')),
}

test('[GEN-55] connections are checked again each minute, also when the clock is set back; with a slow database the same connections are not checked again every second', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const clock = createStoppedClock()
  const timers = createTimers(clock)
  const never = Promise.withResolvers<void>()
  let looks = 0
  const realtime = createRealtime({
    ...QUIET,
    server,
    connections: createConnections('node'),
    clock,
    timers,
    authenticate: () => async () => ({
      environment: ENVIRONMENT,
      key: 'pk',
      player: null,
      displayName: null,
      renamesBefore: 0,
    }),
    requireStillAllowed() {
      looks++
      return never.promise
    },
  })
  t.after(async () => {
    timers.stop()
    await realtime.closeConnections()
    server.close()
    await once(server, 'close')
  })

  const clients = [await openRaw(port), await openRaw(port)]
  const say = async (frame: object) => {
    for (const client of clients) client.send(clientText(JSON.stringify(frame)))
    // A ping may arrive before the answer.
    for (const client of clients) while ((await client.next(1))[0]?.opcode !== TEXT);
  }
  await say({ t: 'auth', key: 'pk', anon: true })
  clock.advance(LIMITS.idleTimeoutMs / 2)
  await say({ t: 'unknown', rid: 1 })
  clock.step(-HOUR_MS)
  clock.advance(LIMITS.idleTimeoutMs / 2)
  assert.equal(looks, 1)
  for (let seconds = 1; seconds < 10; seconds++) clock.advance(SECOND_MS)
  assert.equal(looks, 1)
})

test('[BAN-07] a player who is banned during the lookups of the auth frame is rejected', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const timers = createTimers(createStoppedClock())
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const player = { id: 'ply_1', environmentId: ENVIRONMENT.id, sessionId: 'ses_1' }
  const realtime = createRealtime({
    ...QUIET,
    server,
    clock: createStoppedClock(),
    timers,
    connections: createConnections('node'),
    // The lookup comes before the ban, the answer after it.
    authenticate: () => async () => {
      asked.resolve()
      await answered.promise
      return { environment: ENVIRONMENT, key: 'pk', player, displayName: 'Ada', renamesBefore: 0 }
    },
    requireStillAllowed: async () => {
      throw new ApiError('player_banned')
    },
  })
  t.after(async () => {
    timers.stop()
    await realtime.closeConnections()
    server.close()
    await once(server, 'close')
  })

  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/realtime`)
  await once(socket, 'open')
  const closed = once(socket, 'close')
  socket.send(JSON.stringify({ t: 'auth', key: 'pk', token: 'x' }))
  await asked.promise
  await realtime.recheckPlayer(ENVIRONMENT.id, player.id)
  answered.resolve()
  const [{ code, reason }] = await closed
  assert.deepEqual({ code, reason }, { code: 4003, reason: 'player_banned' })
})
