import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

import { FEATURES } from '@svc/contract/common/features'

import { createConnections } from '../edge/realtime/connections.ts'
import type { Features } from '../edge/realtime/features.ts'
import { createLoginLine } from '../edge/realtime/login-line.ts'
import { createRealtime } from '../edge/realtime/realtime.ts'
import { ApiError } from '../platform/api-error.ts'
import { createStoppedClock } from '../platform/clock.ts'
import { createTimers } from '../platform/time/timers.ts'
import { clientText, openRaw } from './raw-websocket.ts'

type Deps = Parameters<typeof createRealtime>[0]

const ALL_ON = Object.fromEntries(Object.keys(FEATURES).map((name) => [name, true])) as Features
export const ENVIRONMENT = { id: 'env_1', projectId: 'prj_1', slug: 'duel', name: 'development' } as const
export const PLAYER = { id: 'ply_1', environmentId: ENVIRONMENT.id, sessionId: 'ses_1' }
export const ANONYMOUS = {
  environment: ENVIRONMENT,
  key: 'pk',
  player: null,
  displayName: null,
  renamesBefore: 0,
}

/** The WebSocket of a service alone, on a stopped clock: what it asks of the rest is up to the test. */
export async function startRealtime(t: TestContext, asked: Partial<Deps>) {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const clock = createStoppedClock()
  const timers = createTimers(clock)
  const connections = createConnections('node')
  const realtime = createRealtime({
    requestIds: () => 'req_1',
    onHostUpgrade: () => false,
    bus: { publish: async () => {}, subscribe: () => () => {}, onGap: () => () => {} },
    clientAddressOf: () => '127.0.0.1',
    isLimited: false,
    unavailableFeatures: new Set<never>(),
    readFeatures: async () => ALL_ON,
    authenticate: () => async () => ANONYMOUS,
    requireStillAllowed: async () => {},
    notAllowedAmong: async () => new Set(),
    replaceConnection: async () => {},
    resumableRoom: async () => null,
    playerConnected: () => {},
    connectionClosed: () => {},
    featureSwitchedOff: () => {},
    asApiError: (error: unknown) => (error instanceof ApiError ? error : new ApiError('internal_error')),
    server,
    connections,
    logins: createLoginLine(),
    clock,
    timers,
    ...asked,
  })
  t.after(async () => {
    timers.stop()
    // Raw clients do not answer a close.
    for (const connection of connections.all()) connection.link.destroy()
    await realtime.closeConnections()
    server.close()
    await once(server, 'close')
  })

  return {
    realtime,
    clock,
    connections,
    server,
    port,
    url: `ws://127.0.0.1:${port}/v1/realtime`,
    /** A client that has sent its auth frame. */
    async knock() {
      const client = await openRaw(port)
      client.send(clientText(JSON.stringify({ t: 'auth', key: 'pk', token: 'x' })))
      return client
    },
  }
}
