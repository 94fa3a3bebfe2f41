import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'

import { createClient } from '@redis/client'

import { callerOf, startServer } from '../../../test/server-process.ts'
import { newChannelApp } from '../../testing/channels.ts'
import { until } from '../../testing/cluster.ts'
import { newGuest } from '../../testing/guests.ts'
import { testRedisUrl } from '../../testing/redis.ts'
import { engines, type Service, startService } from '../../testing/service.ts'
import { connect } from '../../testing/sockets.ts'

const CANARY = 'canary-7c1e'

/** Every byte of the data folder, and every value in Redis. */
async function everythingKept(service: Service): Promise<string> {
  const entries = await readdir(service.dataDir, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const texts = await Promise.all(files.map((path) => readFile(path, 'latin1')))
  return texts.join('\n') + (service.postgres ? await everythingInRedis(service.redisPrefix) : '')
}

async function everythingInRedis(prefix: string): Promise<string> {
  const texts: string[] = []
  const redis = createClient({ url: testRedisUrl() })
  await redis.connect()
  try {
    for await (const keys of redis.scanIterator({ MATCH: '*', COUNT: 1_000 })) {
      for (const key of keys.filter((name) => name.startsWith(prefix))) {
        const type = await redis.type(key)
        if (type === 'hash') texts.push(key, JSON.stringify(await redis.hGetAll(key)))
        else if (type === 'string') texts.push(key, String(await redis.get(key)))
        else texts.push(key)
      }
    }
  } finally {
    redis.destroy()
  }
  return texts.join('\n')
}

async function everyRow(service: Service): Promise<string> {
  const channels = await service.db.search((q) => q.selectFrom('channels').selectAll())
  const lists = await service.db.search((q) => q.selectFrom('channels_lists').selectAll())
  return JSON.stringify([channels, lists])
}

for (const engine of engines) {
  describe(`channel messages on ${engine}`, () => {
    test('[CHN-12] messages are not in any table, file, snapshot, export, live view or error', async (t) => {
      const service = await startService(engine, { settings: { SVC_RATE_LIMITS: 'off' } })
      t.after(() => service.stop())
      const app = await newChannelApp(service)
      const guest = await newGuest(app.side)
      const ada = await app.joinAs(guest)
      await ada.request({ t: 'channelCreate', channel: '@seen-name' })
      await app.server.put('@stored')
      for (const channel of ['@seen-name', '@stored', 'plain']) {
        await ada.request({ t: 'channelJoin', channel })
        await ada.request({ t: 'channelSend', channel, type: CANARY, data: { text: CANARY } })
        await app.server.send(channel, { type: CANARY, data: CANARY })
      }
      const received = [
        await ada.refusal({ t: 'channelSend', channel: 'elsewhere', type: 'x', data: CANARY }),
        await ada.refusal({ t: 'channelSend', channel: 'plain', type: 'x', data: CANARY.repeat(2_000) }),
        await ada.refusal({ t: 'channelSend', channel: 5, type: 'x', data: CANARY }),
        await app.server.send('@unknown', { type: 'x', data: CANARY }),
        await app.server.send('@stored', { type: 'x', data: CANARY.repeat(2_000) }),
        await app.server.send('@stored', { type: 5, data: CANARY }),
        await app.server.read('@stored'),
        await app.side.server('GET', '/v1/admin/realtime'),
        await guest.call('GET', '/v1/players/me/export'),
      ]
      const rows = await everyRow(service)
      await service.close()
      const kept = rows + (await everythingKept(service))

      assert.ok(kept.includes('@seen-name'), 'the scan does not see the snapshot')
      assert.ok(kept.includes('@stored'), 'the scan does not see the rows')
      assert.ok(!kept.includes(CANARY))
      assert.ok(!JSON.stringify(received).includes(CANARY))
    })
  })
}

test('[CHN-12] channel messages are not in the log at any log level', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-channel-log-'))
  const server = await startServer({ SVC_DATA_DIR: folder, LOG_LEVEL: 'trace' })
  t.after(() => server.signal('SIGKILL'))
  const call = callerOf(server)
  // At this log level it prints lines before it listens.
  await until(
    () => call('GET', '/healthz').catch(() => undefined),
    (answer) => answer?.status === 200,
  )
  const account = { email: 'dev@example.com', password: 'correct horse' }
  const { token } = (await call('POST', '/v1/developers/signup', { body: account })).body
  const { keys } = (await call('POST', '/v1/projects', { token, body: { name: 'Talk' } })).body
  const keyOf = (type: string): string =>
    keys.find((key: Record<string, string>) => key['type'] === type && key['environment'] === 'development')
      .key
  const [secretKey, publishableKey] = [keyOf('secret'), keyOf('publishable')]
  const features = { realtimeChannels: true }
  await call('PUT', '/v1/config', { key: secretKey, body: { features } })
  const { body: guest } = await call('POST', '/v1/auth/guest', { key: publishableKey, body: {} })
  const ada = await connect(listeningAt(server.port), { publishableKey }, guest)
  await ada.request({ t: 'channelJoin', channel: 'plain' })
  await ada.request({ t: 'channelSend', channel: 'plain', type: CANARY, data: CANARY })
  await ada.refusal({ t: 'channelSend', channel: 'elsewhere', type: CANARY, data: CANARY })
  const sent = await call('POST', '/v1/realtime/channels/plain/messages', {
    key: secretKey,
    body: { type: CANARY, data: CANARY },
  })
  assert.deepEqual(sent.body, { delivered: 1 })
  assert.equal((await ada.next('channel_message'))['from'], 'server')
  server.signal('SIGTERM')
  const { output, errors } = await server.ended
  await rm(folder, { recursive: true, force: true })

  assert.ok(output.includes('/v1/realtime/channels/:name/messages'), 'the log does not contain requests')
  assert.ok(!output.includes(CANARY) && !errors.includes(CANARY))
})

/** A service in another process, with what sockets need of it. */
const listeningAt = (port: number) =>
  ({ http: { server: { listening: true, address: () => ({ port }) } } }) as unknown as Service
