import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { after, before, test } from 'node:test'

import { startReceiver } from '../../server/src/testing/webhook-receiver.ts'
import { createServerClient, type ServerClient, type SvcError, verifyWebhook } from '../src/server/server.ts'
import { CONFIG, next, sharedStorage, startFixtures, type Fixtures } from './fixtures.ts'

let fixtures: Fixtures
let server: ServerClient
before(async () => {
  fixtures = await startFixtures()
  server = createServerClient({ url: `${fixtures.url}/v1/`, secretKey: fixtures.development.secretKey })
})
after(() => fixtures.stop())

const code = (expected: string) => (error: SvcError) => error.code === expected

test('an access token is verified, and one of another environment is rejected', async () => {
  const storage = sharedStorage()
  const svc = await fixtures.client({ storage, displayName: 'Ada' })
  const { accessToken } = JSON.parse(storage.values.get(`svc.session.${fixtures.key}`) ?? '{}')
  assert.deepEqual(await server.verifyToken(accessToken), {
    id: svc.player.id,
    displayName: 'Ada',
    banned: false,
  })
  await assert.rejects(server.verifyToken('nonsense'), code('invalid_token'))
})

test('players are searched, read, banned, unbanned, exported and deleted', async () => {
  const svc = await fixtures.client({ displayName: 'Findable' })
  const { id } = svc.player
  const { players } = await server.players.find({ q: 'Findab' })
  assert.deepEqual(
    players.map((player) => player.id),
    [id],
  )
  assert.equal((await server.players.get(id)).displayName, 'Findable')
  assert.equal((await server.players.correctAge(id, 'teen')).ageBand, 'teen')

  const banned = await server.players.ban(id, { reason: 'spam', durationHours: 1 })
  assert.deepEqual([banned.banned, banned.revokedSessions], [true, 1])
  const { appeals } = await (await svc.auth.appeal('sorry'), server.appeals.list({ status: 'open' }))
  assert.equal(appeals[0]?.player.id, id)
  const resolved = await server.appeals.resolve(appeals[0]?.id ?? '', { accept: false, response: 'no' })
  assert.equal(resolved.status, 'rejected')
  assert.equal((await server.players.unban(id)).banned, false)

  assert.match(JSON.stringify(await server.players.export(id)), /Findable/)
  await server.players.delete(id)
  await assert.rejects(server.players.get(id), code('player_not_found'))
})

test('channels are created, sent to, moderated and deleted', async () => {
  const svc = await fixtures.client()
  const made = await server.channels.put('@news', { send: 'server' })
  assert.deepEqual([made.channel, made.send], ['@news', 'server'])
  const channel = await svc.channels.join('@news')
  const heard = next<[string, unknown, string]>(channel, 'message')
  assert.equal(await server.channels.send('@news', 'hello', { n: 1 }), 1)
  assert.deepEqual((await heard).slice(0, 3), ['hello', { n: 1 }, 'server'])
  assert.equal((await server.channels.get('@news')).members[0]?.id, svc.player.id)

  const closed = next(channel, 'closed')
  await server.channels.moderate('@news', { op: 'kick', playerId: svc.player.id })
  assert.deepEqual(await closed, ['kicked'])
  await server.channels.delete('@news')
  await assert.rejects(server.channels.get('@news'), code('channel_not_found'))
})

test('the config is read, pushed as a dry run, pushed and restored', async () => {
  const changed = { ...CONFIG, audience: 'general', stats: [{ key: 'other' }] }
  const { version } = await server.config.get()
  assert.ok((await server.config.dryRun(changed)).changes.length > 0)
  assert.equal((await server.config.push(changed)).version, version + 1)
  assert.equal((await server.config.versions()).versions[0]?.version, version + 1)
  assert.deepEqual((await server.config.version(version)).config.stats, CONFIG.stats)
  assert.equal((await server.config.restore(version)).version, version + 2)
  assert.ok((await server.config.features()).some(({ key, enabled }) => key === 'saves' && enabled))
  await assert.rejects(server.config.push({ stats: 1 }), code('invalid_config'))
})

test('an app is deployed, and an older version activated', async () => {
  await server.config.push({ ...CONFIG, features: { ...CONFIG.features, hosting: true } })
  const deploy = async (html: string) => {
    const bytes = new TextEncoder().encode(html)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const files = [{ path: 'index.html', sha256, size: bytes.length }]
    const { deploymentId, missing } = await server.deployments.create({ files, message: html })
    for (const hash of missing) await server.deployments.upload(hash, bytes)
    return server.deployments.finalize(deploymentId, { activate: true })
  }
  const first = await deploy('<p>one')
  const second = await deploy('<p>two')
  assert.deepEqual([first.version, second.version, second.live], [1, 2, true])

  assert.equal((await server.deployments.activate(1)).version, 1)
  assert.equal((await server.deployments.live()).live?.version, 1)
  assert.deepEqual(
    (await server.deployments.list()).map(({ version, live }) => [version, live]),
    [
      [2, false],
      [1, true],
    ],
  )
  assert.equal((await server.deployments.get(2)).files[0]?.path, 'index.html')
  await assert.rejects(server.deployments.upload('0'.repeat(64), new Uint8Array(1)), code('hash_mismatch'))
})

test('only the signature of a real delivery is accepted', async () => {
  const receiver = await startReceiver()
  try {
    await server.config.push({
      ...CONFIG,
      features: { ...CONFIG.features, statsVerification: true },
      integrity: { stats: { webhook: { url: receiver.url } } },
    })
    const secret = await server.webhook.secret()
    assert.equal((await server.webhook.test()).outcome, 'answered')
    const [delivery] = receiver.take()
    const { text = '', headers } = delivery ?? {}
    const header = String(headers?.['svc-signature'])
    const now = () => fixtures.service.clock.now().getTime()

    assert.deepEqual(await verifyWebhook(text, header, secret, { now }), JSON.parse(text))
    assert.deepEqual(await verifyWebhook(Buffer.from(text), header, secret, { now }), JSON.parse(text))
    assert.equal((await server.webhook.deliveries())[0]?.kind, 'test')

    const refused: [body: string, header: string | null, secret: string, at: () => number][] = [
      [`${text} `, header, secret, now],
      [text, header, `${secret}x`, now],
      [text, header, secret, () => now() + 301_000],
      [text, header, secret, () => now() - 301_000],
      [text, null, secret, now],
      [text, header.replace(/v1=./, 'v1=z'), secret, now],
      [text, header.replace(/t=\d+/, 't=1'), secret, () => 1_000],
      [text, header.replace(/t=\d+,/, ''), secret, now],
      [text, header.split(',')[0] ?? '', secret, now],
    ]
    for (const [body, input, key, at] of refused) {
      await assert.rejects(verifyWebhook(body, input, key, { now: at }), code('invalid_signature'))
    }
    assert.ok(await verifyWebhook(text, header, secret, { now: () => now() + 300_000 }))
  } finally {
    await receiver.stop()
  }
})

test('one valid signature of several is enough, while a secret is rotated', async () => {
  const sign = (secret: string) => createHmac('sha256', secret).update('100.{}').digest('hex')
  const header = `t=100,v1=${sign('old')},v1=${sign('new')}`
  const now = () => 100_000
  assert.deepEqual(await verifyWebhook('{}', header, 'new', { now }), {})
  assert.deepEqual(await verifyWebhook('{}', header, 'old', { now, toleranceSeconds: 0 }), {})
  await assert.rejects(verifyWebhook('{}', header, 'other', { now }), code('invalid_signature'))
})

test('[RWC-69] rooms with code are opened, get messages and are closed', async () => {
  const requests: unknown[] = []
  const answers: Record<string, unknown> = {
    POST: { id: 'rom_1', data: { players: 2 } },
    DELETE: { deleted: true },
  }
  async function answer(request: IncomingMessage, response: ServerResponse) {
    const body = request.headers['content-type'] === undefined ? undefined : await json(request)
    requests.push([request.method, request.url, body])
    response.end(JSON.stringify(answers[request.method ?? '']))
  }
  const listener = createServer((request, response) => {
    response.setHeader('X-Request-Id', 'req_1')
    void answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  const { rooms } = createServerClient({ url, secretKey: 'sk_dev_x' })

  assert.equal((await rooms.open({ mode: 'arena', options: { map: 'ice' } })).id, 'rom_1')
  assert.deepEqual(await rooms.send('rom_1', 'count'), { players: 2 })
  assert.deepEqual(await rooms.send('rom_1', 'start', { in: 3 }), { players: 2 })
  assert.equal(await rooms.close('rom_1'), undefined)
  assert.deepEqual(requests, [
    ['POST', '/v1/admin/x/rooms', { mode: 'arena', options: { map: 'ice' } }],
    ['POST', '/v1/admin/x/rooms/rom_1/messages', { type: 'count' }],
    ['POST', '/v1/admin/x/rooms/rom_1/messages', { type: 'start', data: { in: 3 } }],
    ['DELETE', '/v1/admin/x/rooms/rom_1', undefined],
  ])
  listener.closeAllConnections()
  listener.close()
})
