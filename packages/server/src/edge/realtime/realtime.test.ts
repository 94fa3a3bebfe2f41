import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'

import { HOUR_MS } from '../../platform/clock.ts'
import { clientText, closesOf, openRaw, type ServerFrame } from '../../testing/raw-websocket.ts'
import { engines, type Service, startService } from '../../testing/service.ts'
import { connect, openSocket, portOf } from '../../testing/sockets.ts'

for (const engine of engines) {
  describe(`the WebSocket on ${engine}`, () => {
    let service: Service
    let side: Awaited<ReturnType<Service['newProject']>>['development']
    let project: Awaited<ReturnType<Service['newProject']>>

    before(async () => {
      service = await startService(engine)
      project = await service.newProject()
      side = project.development
      await side.server('PUT', '/v1/config', { features: { multiplayer: true, realtimeChannels: true } })
    })
    after(() => service.stop())

    /** The response to an upgrade that is refused; browsers do not show it. */
    async function upgradeAt(path: string) {
      const headers = { connection: 'Upgrade', upgrade: 'websocket' }
      const asked = request({ host: '127.0.0.1', port: await portOf(service), path, headers }).end()
      const [answer] = await once(asked, 'response')
      return answer as IncomingMessage
    }
    const guest = async (of = side) => (await of.public('POST', '/v1/auth/guest', {})).body
    const knock = async (frame: object | string, headers: Record<string, string> = {}) => {
      const socket = await openSocket(service, headers)
      socket.send(frame)
      return socket
    }

    test('[WSK-01] [WSK-06] [GEN-02] an auth frame with key and token is answered with `welcome`', async () => {
      const player = await guest()
      const socket = await knock({
        t: 'auth',
        key: side.publishableKey,
        token: player.accessToken,
        rid: 'first',
      })

      const welcome = await socket.next('welcome')

      assert.deepEqual(welcome, {
        t: 'welcome',
        connectionId: welcome['connectionId'],
        playerId: player.player.id,
        displayName: player.player.displayName,
        serverTime: service.clock.now().getTime(),
        room: null,
        limits: { messagesPerSecond: 60, maxFrameBytes: 69_632 },
      })
      assert.match(welcome['connectionId'], /./)
      assert.deepEqual(await socket.next('reply'), { t: 'reply', rid: 'first', ok: true, data: {} })
      await socket.close()
    })

    test('[WSK-02] an anonymous connection has no player', async () => {
      const socket = await connect(service, side)
      assert.equal(socket.welcome['playerId'], null)
      assert.equal(socket.welcome['displayName'], null)
      assert.equal(socket.welcome['limits'].messagesPerSecond, 5)
      await socket.close()
    })

    test('[WSK-01] a connection without an auth frame for 5 s is closed with 4001', async () => {
      const silent = await openSocket(service)
      service.clock.advance(4_999)
      assert.equal(silent.socket.readyState, WebSocket.OPEN)
      service.clock.advance(1_001)
      assert.deepEqual(await silent.closed, { code: 4001, reason: 'unauthorized' })
    })

    for (const [what, frame] of [
      ['another type', { t: 'create', mode: 'default' }],
      ['broken JSON', '{"t":"auth"'],
      ['no object', '[]'],
      ['no key', { t: 'auth', anon: true }],
      ['neither token nor anon', { t: 'auth', key: 'pk_dev_x' }],
      ['both token and anon', { t: 'auth', key: 'pk_dev_x', token: 'x', anon: true }],
    ] as const) {
      test(`[WSK-01] a first frame with ${what} is closed with 4001`, async () => {
        const { code, reason } = await (await knock(frame)).closed
        assert.deepEqual({ code, reason }, { code: 4001, reason: 'unauthorized' })
      })
    }

    test('[WSK-04] [WSK-05] an invalid key or token closes with 4001, and the reason is the error code', async () => {
      const { accessToken } = await guest()
      const wrong = async (fields: object) => (await knock({ t: 'auth', ...fields })).closed
      assert.deepEqual(await wrong({ key: 'pk_dev_unknown', token: accessToken }), {
        code: 4001,
        reason: 'invalid_key',
      })
      assert.deepEqual(await wrong({ key: side.secretKey, token: accessToken }), {
        code: 4001,
        reason: 'publishable_key_required',
      })
      assert.deepEqual(await wrong({ key: side.publishableKey, token: 'nonsense' }), {
        code: 4001,
        reason: 'invalid_token',
      })
      const elsewhere = project.production
      await elsewhere.server('PUT', '/v1/config', { features: { multiplayer: true } })
      assert.deepEqual(await wrong({ key: elsewhere.publishableKey, token: accessToken }), {
        code: 4001,
        reason: 'invalid_token',
      })
    })

    test('[WSK-04] an expired token is closed with 4002', async () => {
      const { accessToken: token } = await guest()
      service.clock.advance(15 * 60_000)
      const { closed } = await knock({ t: 'auth', key: side.publishableKey, token })
      assert.deepEqual(await closed, { code: 4002, reason: 'token_expired' })
    })

    test('[WSK-11] a connection stays open after its access token expires, and accepts a new auth frame of the same player', async () => {
      const player = await guest()
      const socket = await connect(service, side, player)
      for (let minute = 0; minute < 16; minute++) {
        for (let third = 0; third < 3; third++) {
          service.clock.advance(20_000)
          await socket.settled()
        }
      }
      const { body } = await side.public('POST', '/v1/auth/refresh', { refreshToken: player.refreshToken })
      assert.deepEqual(
        await socket.request({ t: 'auth', key: side.publishableKey, token: body.accessToken }),
        {},
      )
      await socket.close()
    })

    test('[WSK-11] an auth frame of another player closes the connection', async () => {
      const socket = await connect(service, side, await guest())
      const other = await guest()
      socket.send({ t: 'auth', key: side.publishableKey, token: other.accessToken })
      assert.deepEqual(await socket.closed, { code: 4001, reason: 'unauthorized' })
    })

    test('[WSK-16] [BAN-07] [WSK-04] a ban closes the connection immediately with 4003, and the next one, too', async () => {
      const player = await guest()
      const socket = await connect(service, side, player)
      await side.server('POST', `/v1/admin/players/${player.player.id}/ban`, { reason: 'cheating' })
      assert.deepEqual(await socket.closed, { code: 4003, reason: 'player_banned' })

      const again = await knock({ t: 'auth', key: side.publishableKey, token: player.accessToken })
      assert.deepEqual(await again.closed, { code: 4003, reason: 'player_banned' })
    })

    test('[DEV-17] a ban from the dashboard closes the connection, too', async () => {
      const player = await guest()
      const socket = await connect(service, side, player)
      await project.developer.call('POST', `${side.path}/players/${player.player.id}/ban`, { reason: 'x' })
      assert.deepEqual(await socket.closed, { code: 4003, reason: 'player_banned' })
    })

    test('[WSK-11] sign-out of its session closes the connection with 4001, sign-out of another session does not', async () => {
      const player = await guest()
      const other = await guest()
      const [mine, theirs] = [await connect(service, side, player), await connect(service, side, other)]
      await side.public('POST', '/v1/auth/logout', { refreshToken: player.refreshToken })
      assert.deepEqual(await mine.closed, { code: 4001, reason: 'session_revoked' })
      await theirs.settled()
      await theirs.close()
    })

    test('[WSK-11] deletion of the account closes the connection', async () => {
      const player = await guest()
      const socket = await connect(service, side, player)
      const { status } = await side.public('DELETE', '/v1/players/me', undefined, {
        authorization: `Bearer ${player.accessToken}`,
      })
      assert.equal(status, 200)
      assert.equal((await socket.closed).code, 4001)
    })

    test('[WSK-04] a newer connection of the same player replaces the older one', async () => {
      const player = await guest()
      const older = await connect(service, side, player)
      const newer = await connect(service, side, player)
      assert.deepEqual(await older.closed, { code: 4004, reason: 'replaced' })
      await newer.settled()
      await newer.close()
    })

    test('[WSK-04] anonymous connections replace no other connection', async () => {
      const [one, two] = [await connect(service, side), await connect(service, side)]
      await one.settled()
      await two.settled()
      await Promise.all([one.close(), two.close()])
    })

    test('revoking a key closes the connections that used it', async () => {
      const { body } = await project.developer.call('POST', `${side.path}/keys`, { type: 'publishable' })
      const socket = await connect(service, { publishableKey: body.plaintext }, await guest())
      const { status } = await project.developer.call(
        'DELETE',
        `/v1/projects/${project.id}/keys/${body.key.id}`,
      )
      assert.equal(status, 200)
      assert.deepEqual(await socket.closed, { code: 4001, reason: 'invalid_key' })
    })

    test('[WSK-03] [CFG-22] with both features off new and open connections are closed with 4003', async () => {
      const { development: other } = await service.newProject()
      const config = (features: object) => other.server('PUT', '/v1/config', { features })
      const off = await knock({ t: 'auth', key: other.publishableKey, anon: true })
      assert.deepEqual(await off.closed, { code: 4003, reason: 'feature_disabled' })

      await config({ realtimeChannels: true, multiplayer: true })
      const socket = await connect(service, other)
      await config({ realtimeChannels: true })
      await socket.settled()
      await config({})
      assert.deepEqual(await socket.closed, { code: 4003, reason: 'feature_disabled' })
    })

    test('[GEN-32] a connection from a disallowed origin is closed with 4003 after its auth frame', async () => {
      const { production } = await service.newProject()
      await production.server('PUT', '/v1/config', {
        features: { multiplayer: true },
        web: { allowedOrigins: ['https://game.example'] },
      })
      const auth = { t: 'auth', key: production.publishableKey, anon: true }
      const foreign = await knock(auth, { origin: 'https://evil.example' })
      assert.deepEqual(await foreign.closed, { code: 4003, reason: 'origin_not_allowed' })

      const own = await knock(auth, { origin: 'https://game.example' })
      await own.next('welcome')
      await own.close()
    })

    test('[WSK-07] rid is returned unchanged if it is a number or a string; other types are rejected', async () => {
      const socket = await connect(service, side)
      for (const rid of [0, -1, 2 ** 53 - 1, 1 - 2 ** 53, '', 'x'.repeat(64), '✓']) {
        socket.send({ t: 'nothing', rid })
        const { rid: back, ok, error } = await socket.next('reply')
        assert.deepEqual([back, ok, error.code], [rid, false, 'unknown_type'])
      }
      await socket.close()
      for (const rid of [1.5, 2 ** 53, {}, [], true, 'x'.repeat(65)]) {
        const one = await connect(service, side)
        one.send({ t: 'nothing', rid })
        assert.equal((await one.next('warn'))['code'], 'invalid_request')
        await one.close()
      }
    })

    test('[WSK-08] [WSK-10] a rejected request without rid causes a warning that contains it', async () => {
      const socket = await connect(service, side)
      socket.send({ t: 'nothing' })
      const { code, message, request } = await socket.next('warn')
      assert.deepEqual([code, request], ['unknown_type', 'nothing'])
      assert.match(message, /./)
      await socket.close()
    })

    test('[WSK-10] the third broken frame closes the connection', async () => {
      const socket = await connect(service, side)
      socket.send('{')
      assert.equal((await socket.next('warn'))['code'], 'invalid_frame')
      socket.socket.send(new Uint8Array([1, 2, 3]))
      assert.equal((await socket.next('warn'))['code'], 'invalid_frame')
      socket.send('null')
      assert.deepEqual(await socket.closed, { code: 4001, reason: 'invalid_frame' })
    })

    test('[WSK-10] [WSK-05] a frame over 68 KiB closes with 1009, a frame of exactly 68 KiB does not', async () => {
      const frame = (bytes: number) => {
        const around = JSON.stringify({ t: 'nothing', fill: '' }).length
        return { t: 'nothing', fill: 'x'.repeat(bytes - around) }
      }
      const socket = await connect(service, side)
      assert.equal(socket.welcome['limits'].maxFrameBytes, 69_632)
      socket.send(frame(69_632))
      assert.equal((await socket.next('warn'))['code'], 'unknown_type')
      socket.send(frame(69_633))
      assert.deepEqual(await socket.closed, { code: 1009, reason: 'payload_too_large' })
    })

    test('[WSK-01] [WSK-02] fields of the auth frame that are false or null are treated as absent', async () => {
      const {
        accessToken: token,
        player: { id },
      } = await guest()
      const key = side.publishableKey
      for (const fields of [
        { token, anon: false },
        { token, anon: null },
      ]) {
        const socket = await knock({ t: 'auth', key, ...fields })
        assert.equal((await socket.next('welcome'))['playerId'], id)
        await socket.close()
      }
      const anonymous = await knock({ t: 'auth', key, anon: true, token: null })
      assert.equal((await anonymous.next('welcome'))['playerId'], null)
      await anonymous.close()
      for (const fields of [
        { anon: false },
        { anon: null, token: null },
        { anon: 1 },
        { anon: true, token },
      ]) {
        const socket = await knock({ t: 'auth', key, ...fields })
        assert.deepEqual(await socket.closed, { code: 4001, reason: 'unauthorized' })
      }
    })

    test('[WSK-12] above 60 frames a second frames are dropped with a warning, and the fourth warning closes the connection', async () => {
      const socket = await connect(service, side, await guest())
      service.clock.advance(10_000)
      for (let warning = 1; warning <= 3; warning++) {
        for (let frame = 0; frame < 121; frame++) socket.send({ t: 'nothing', rid: frame })
        const warned = await socket.next('warn')
        assert.equal(warned['code'], 'rate_limited')
        service.clock.advance(2_000)
      }
      const replies = socket.received.filter(({ t }) => t === 'reply')
      assert.equal(replies.filter(({ error }) => error.code === 'unknown_type').length, 3 * 120)
      for (let frame = 0; frame < 121; frame++) socket.send({ t: 'nothing', rid: frame })
      assert.deepEqual(await socket.closed, { code: 4029, reason: 'rate_limited' })
    })

    test('[WSK-12] an anonymous connection may send 5 frames a second', async () => {
      const socket = await connect(service, side)
      for (let frame = 0; frame < 12; frame++) socket.send({ t: 'nothing', rid: frame })
      assert.equal((await socket.next('warn'))['code'], 'rate_limited')
      const replies = socket.received.filter(({ t }) => t === 'reply')
      assert.equal(replies.filter(({ error }) => error.code === 'unknown_type').length, 9)
      await socket.close()
    })

    test('[WSK-13] a connection that answers pings stays open, one without traffic for 60 s is closed with 4008', async () => {
      const answering = await connect(service, side)
      for (let ping = 0; ping < 6; ping++) {
        service.clock.advance(20_000)
        await answering.settled()
        service.clock.advance(1_000)
      }
      service.clock.advance(60_000)
      assert.deepEqual(await answering.closed, { code: 4008, reason: 'idle' })
    })

    test('[WSK-13] a connection in a room is pinged every 5 s and closed after 13 s of silence; a clock that is set counts once', async () => {
      const { accessToken } = await guest()
      const auth = JSON.stringify({ t: 'auth', key: side.publishableKey, token: accessToken })
      // It answers no pings.
      const client = await openRaw(await portOf(service), clientText(auth))
      const pings = () => client.frames.filter(({ opcode }) => opcode === 9).length
      async function heard(rid: number) {
        client.send(clientText(`{"t":"ping","rid":${rid}}`))
        const isReply = ({ payload }: ServerFrame) => payload.includes(`"rid":${rid}`)
        while (!client.frames.some(isReply)) await once(client.socket, 'data')
      }
      client.send(clientText('{"t":"create"}'))
      await heard(1)
      service.clock.advance(30_000)
      service.clock.advance(HOUR_MS)
      await heard(2)
      for (let second = 1; second < 13; second++) service.clock.advance(1_000)
      await heard(3)
      for (let second = 1; second <= 13; second++) service.clock.advance(1_000)
      await client.ended
      assert.deepEqual([pings(), closesOf(client.frames)], [4, [[4008, 'idle']]])
    })

    test('a GET without an upgrade answers that an upgrade is required; an upgrade at another path answers 404', async () => {
      const { status, body } = await service.call('GET', '/v1/realtime')
      assert.deepEqual([status, body.error.code], [426, 'upgrade_required'])
      const refused = await upgradeAt('/v1/elsewhere')
      assert.equal(refused.statusCode, 404)
      assert.match(String(refused.headers['x-request-id']), /^req_/)
      assert.equal(((await json(refused)) as { error: { code: string } }).error.code, 'not_found')
    })
  })
}

test('[WSK-14] a stop warns all connections, closes them with 1012 and accepts no new ones', async () => {
  const service = await startService('sqlite')
  const { development: side } = await service.newProject()
  await side.server('PUT', '/v1/config', { features: { multiplayer: true } })
  const socket = await connect(service, side)
  const stopped = service.stop()
  assert.equal((await socket.next('warn'))['code'], 'server_restarting')
  assert.deepEqual(await socket.closed, { code: 1012, reason: 'server_restarting' })
  await stopped
})
