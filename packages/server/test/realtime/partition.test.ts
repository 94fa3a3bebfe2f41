import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { newGuest } from '../../src/testing/guests.ts'
import { startRedis } from '../../src/testing/redis.ts'
import { type Service, startService } from '../../src/testing/service.ts'
import { connect } from '../../src/testing/sockets.ts'
import { startStallingProxy } from '../../src/testing/stalling-proxy.ts'

const CONFIG = { features: { multiplayer: true, realtimeChannels: true } }

type Project = Awaited<ReturnType<Service['newProject']>>
type Change = {
  title: string
  /**
   * Connects players to the second node. The returned function makes a change on the first node and expects the connection to
   * close.
   */
  prepare(secondNode: Service, project: Project): Promise<() => Promise<void>>
}

const REVOKED = { code: 4001, reason: 'session_revoked' }

const CHANGES: Change[] = [
  {
    title: '[BAN-07] [WSK-16] a ban closes the connection with 4003, and later messages are not delivered',
    async prepare(secondNode, { development: side }) {
      const banned = await newGuest(side)
      const [culprit, witness] = [
        await connect(secondNode, side, banned),
        await connect(secondNode, side, await newGuest(side)),
      ]
      for (const socket of [witness, culprit]) await socket.request({ t: 'channelJoin', channel: 'lobby' })
      return async () => {
        const say = () => culprit.send({ t: 'channelSend', channel: 'lobby', type: 'x', data: 1 })
        const talking = setInterval(say, 60).unref()
        const ban = { reason: 'test' }
        assert.equal((await side.server('POST', `/v1/admin/players/${banned.id}/ban`, ban)).status, 200)
        assert.deepEqual(await culprit.closed, { code: 4003, reason: 'player_banned' })
        clearInterval(talking)
        const isIt = ({ t, playerId }: { t: string; playerId?: string }) =>
          t === 'channel_player_left' && playerId === banned.id
        await witness.until(isIt, 'the end of the place')
        await witness.settled()
        const after = witness.received.slice(witness.received.findIndex(isIt))
        assert.deepEqual(
          after.filter(({ t }) => t === 'channel_message'),
          [],
        )
        await witness.close()
      }
    },
  },
  {
    title: '[DEV-13] revoking a key closes the connections that use it',
    async prepare(secondNode, { id, keys, development: side, developer }) {
      const sockets = [await connect(secondNode, side, await newGuest(side)), await connect(secondNode, side)]
      const revoked = keys.find(({ key }) => key === side.publishableKey)?.id
      return async () => {
        assert.equal((await developer.call('DELETE', `/v1/projects/${id}/keys/${revoked}`)).status, 200)
        for (const { closed } of sockets)
          assert.deepEqual(await closed, { code: 4001, reason: 'invalid_key' })
      }
    },
  },
  {
    title: '[DEV-12] deleting a project closes the connections that use its keys',
    async prepare(secondNode, { id, development: side, developer }) {
      const socket = await connect(secondNode, side, await newGuest(side))
      return async () => {
        assert.equal((await developer.call('DELETE', `/v1/projects/${id}`)).status, 200)
        assert.deepEqual(await socket.closed, { code: 4001, reason: 'invalid_key' })
      }
    },
  },
  {
    title: '[WSK-11] signing out closes the connection of that session',
    async prepare(secondNode, { development: side }) {
      const guest = await newGuest(side)
      const socket = await connect(secondNode, side, guest)
      return async () => {
        const { refreshToken } = guest
        assert.equal((await side.public('POST', '/v1/auth/logout', { refreshToken })).status, 200)
        assert.deepEqual(await socket.closed, REVOKED)
      }
    },
  },
  {
    title: '[WSK-11] [SES-08] a replayed refresh token closes the connection of that session',
    async prepare(secondNode, { development: side }) {
      const guest = await newGuest(side)
      const socket = await connect(secondNode, side, guest)
      const refresh = () => side.public('POST', '/v1/auth/refresh', { refreshToken: guest.refreshToken })
      return async () => {
        assert.equal((await refresh()).status, 200)
        assert.equal((await refresh()).body.error.code, 'session_revoked')
        assert.deepEqual(await socket.closed, REVOKED)
      }
    },
  },
  {
    title: '[WSK-11] [OWN-03] deleting a player closes the connection, and the access token is rejected',
    async prepare(secondNode, { development: side }) {
      const guest = await newGuest(side)
      const socket = await connect(secondNode, side, guest)
      const there = guest.at(secondNode.withKey(side.publishableKey))
      return async () => {
        assert.equal((await guest.call('DELETE', '/v1/players/me')).status, 200)
        assert.deepEqual(await socket.closed, REVOKED)
        assert.equal((await there('GET', '/v1/social/profile')).body.error.code, 'invalid_token')
      }
    },
  },
  {
    title: '[CFG-22] a config that turns both features off closes the connections',
    async prepare(secondNode, { development: side }) {
      const socket = await connect(secondNode, side, await newGuest(side))
      return async () => {
        assert.equal((await side.server('PUT', '/v1/config', {})).status, 200)
        assert.deepEqual(await socket.closed, { code: 4003, reason: 'feature_disabled' })
      }
    },
  },
]

for (const failure of ['the first has no connection to Redis', 'Redis has stopped'] as const) {
  describe(`two nodes while ${failure}`, () => {
    const acts = new Map<Change, () => Promise<void>>()
    const stack = new AsyncDisposableStack()
    before(async () => {
      const redis = stack.adopt(await startRedis(), ({ stop }) => stop())
      const proxy = stack.adopt(await startStallingProxy(redis.port), ({ stop }) => stop())
      const viaProxy = { settings: { REDIS_URL: proxy.url } }
      const firstNode = stack.adopt(await startService('postgres', viaProxy), ({ stop }) => stop())
      const direct = { clusterOf: firstNode, settings: { REDIS_URL: redis.url } }
      const secondNode = stack.adopt(await startService('postgres', direct), ({ stop }) => stop())
      for (const change of CHANGES) {
        const project = await firstNode.newProject()
        assert.equal((await project.development.server('PUT', '/v1/config', CONFIG)).status, 200)
        acts.set(change, await change.prepare(secondNode, project))
      }

      if (failure === 'Redis has stopped') return redis.stop()
      proxy.stall()
      stack.defer(() => proxy.resume())
    })
    after(() => stack.disposeAsync())

    for (const change of CHANGES) test(change.title, () => acts.get(change)?.())
  })
}
