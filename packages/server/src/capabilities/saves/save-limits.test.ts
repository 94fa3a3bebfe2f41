import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text as readAll } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'

import { newSaver, type Saver } from '../../testing/saving-guest.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

const MIB = 1024 * 1024

for (const engine of engines) {
  describe(`limits of saves on ${engine}`, () => {
    let service: Service
    let development: Awaited<ReturnType<Service['newProject']>>['development']
    let saver: Saver
    before(async () => {
      service = await startService(engine)
      development = (await service.newProject()).development
      await development.server('PUT', '/v1/config', { features: { saves: true } })
      saver = await newSaver(service, development)
    })
    after(() => service.stop())

    test('[SAV-07] [SAV-09] 1,048,576 bytes are accepted, one more answers 413 save_too_large with limit and size', async () => {
      const full = `"${'x'.repeat(MIB - 2)}"`
      const taken = await saver.raw('large', `{"data":${full},"ifVersion":0}`)
      assert.deepEqual([taken.status, taken.body.size], [200, MIB])
      assert.equal((await saver.readText('large')).length, MIB)

      const over = await saver.raw('large', `{"data":"x${full.slice(1)},"ifVersion":1}`)
      assert.deepEqual([over.status, over.body.error.code], [413, 'save_too_large'])
      assert.deepEqual(over.body.error.details, { limit: MIB, size: MIB + 1 })
    })

    test('[SAV-07] [SAV-09] UTF-8 bytes count, including white space', async () => {
      assert.equal((await saver.raw('utf8', '{"data":"é😀"}')).body.size, 8)
      assert.equal((await saver.raw('utf8', '{"data": [ ] }')).body.size, 3)
      const half = 'é'.repeat(MIB / 2)
      const over = await saver.raw('utf8', `{"data":"${half}"}`)
      assert.deepEqual(over.body.error.details, { limit: MIB, size: MIB + 2 })
    })

    test('[SAV-07] a body over the transport limit answers save_too_large, too, and the body limit of other endpoints does not change', async () => {
      const { status, body } = await saver.raw('large', `{"data":"${'x'.repeat(3 * MIB)}"}`)
      assert.deepEqual([status, body.error.code], [413, 'save_too_large'])
      assert.equal(body.error.details.limit, MIB)
      assert.ok(body.error.details.size > 3 * MIB)

      const payload = { displayName: 'x'.repeat(3 * MIB) }
      const other = await saver.call('PATCH', '/v1/players/me', payload)
      assert.equal(other.body.error.code, 'payload_too_large')
    })

    test('[SAV-08] the 101st save answers 409 too_many_saves; overwriting a save, and a new save after a deletion, are allowed', async () => {
      const { write, call } = await newSaver(service, development)
      for (let i = 0; i < 100; i++) assert.equal((await write(`slot${i}`, { data: i })).status, 200)

      const over = await write('slot100', { data: 100 })
      assert.deepEqual([over.status, over.body.error.code], [409, 'too_many_saves'])
      assert.deepEqual(over.body.error.details, { limit: 100 })
      assert.equal((await write('slot7', { data: 'again' })).body.version, 2)
      assert.equal((await write('slot8', { data: 'again', ifVersion: 1 })).body.version, 2)

      await call('DELETE', '/v1/saves/slot0')
      assert.equal((await write('slot100', { data: 100 })).status, 200)
      assert.equal((await write('slot0', { data: 0 })).body.error.code, 'too_many_saves')
      assert.equal((await call('GET', '/v1/saves')).body.saves.length, 100)
    })

    test('[SAV-09] a key has 1 to 64 characters of A-Z a-z 0-9 _ . -; others answer 400', async () => {
      for (const key of ['a', 'A-Z_a.z-09', '-', '.hidden', 'x'.repeat(64)]) {
        assert.equal((await saver.raw(key, '{"data":1}')).status, 200, key)
        assert.equal((await saver.call('GET', `/v1/saves/${key}`)).body.key, key)
      }
      for (const key of ['x'.repeat(65), 'a%20b', 'a%2Fb', '%C3%A9', 'a:b', '%22', 'a%0A', '~', '*']) {
        for (const method of ['GET', 'DELETE']) {
          assert.equal((await saver.call(method, `/v1/saves/${key}`)).status, 400, key)
        }
        assert.equal((await saver.raw(key, '{"data":1}')).status, 400, key)
      }
    })
  })

  describe(`saves on ${engine}, with limits set by the operator`, () => {
    let service: Service
    let saver: Saver
    let port: string
    before(async () => {
      const settings = { SVC_SAVE_MAX_BYTES: '100', SVC_SAVE_MAX_COUNT: '2' }
      service = await startService(engine, { settings })
      const { development } = await service.newProject()
      await development.server('PUT', '/v1/config', { features: { saves: true } })
      saver = await newSaver(service, development)
      port = new URL(await service.http.listen({ host: '127.0.0.1', port: 0 })).port
    })
    after(() => service.stop())

    /** Sends the path as it is; `fetch` would change it. */
    async function send(method: string, path: string, body = '', headers: Record<string, string> = {}) {
      const type = { ...(body && { 'content-type': 'application/json' }) }
      const all = { ...saver.headers, ...type, ...headers }
      const sending = request({ port, host: '127.0.0.1', method, path, headers: all })
      sending.on('error', () => {}).end(body)
      const [response] = (await once(sending, 'response')) as [IncomingMessage]
      return { status: response.statusCode, error: JSON.parse(await readAll(response)).error }
    }

    test('[SAV-07] [SAV-08] SVC_SAVE_MAX_BYTES and SVC_SAVE_MAX_COUNT change the limits', async () => {
      assert.equal((await saver.raw('a', `{"data":"${'x'.repeat(98)}"}`)).status, 200)
      const large = await saver.raw('a', `{"data":"${'x'.repeat(99)}"}`)
      assert.deepEqual(large.body.error.details, { limit: 100, size: 101 })
      assert.equal((await saver.raw('b', '{"data":1}')).status, 200)
      assert.deepEqual((await saver.raw('c', '{"data":1}')).body.error.details, { limit: 2 })
    })

    test('[SAV-10] creating and deleting many saves keeps few rows, and no version is used twice', async () => {
      const { write, call, playerId } = saver
      for (const { key } of (await call('GET', '/v1/saves')).body.saves)
        await call('DELETE', `/v1/saves/${key}`)
      for (let i = 0; i < 5; i++) await write('old', { data: i })
      await call('DELETE', '/v1/saves/old')
      for (let i = 0; i < 45; i++) {
        await write(`new${i}`, { data: i })
        await call('DELETE', `/v1/saves/new${i}`)
      }

      const rows = await service.db.search((q) =>
        q.selectFrom('saves').select('key').where('playerId', '=', playerId),
      )
      assert.ok(rows.length <= 21, `${rows.length} rows`)
      assert.deepEqual((await call('GET', '/v1/saves')).body.saves, [])
      const { version } = (await write('old', { data: 1 })).body
      assert.ok(version > 5, `version ${version}`)
      await write('old', { data: 2 })
      await call('DELETE', '/v1/saves/old')
      assert.equal((await write('old', { data: 3 })).body.version, version + 2)
      const last = await write('new44', { data: 1 })
      assert.ok(last.body.version > 1)
    })

    test('[SAV-07] over a socket: a longer Content-Length, and a body without one', async () => {
      const body = `{"data":"${'x'.repeat(200_000)}"}`
      for (const length of [{ 'content-length': String(body.length) }, { 'transfer-encoding': 'chunked' }]) {
        const { status, error } = await send('PUT', '/v1/saves/a', body, length)
        assert.deepEqual([status, error.code], [413, 'save_too_large'])
      }
    })

    test('[SAV-12] over a socket: the keys . and .. answer 400, because other clients cannot send them', async () => {
      for (const key of ['.', '..', '%2e', '%2E.'])
        for (const method of ['PUT', 'GET', 'DELETE']) {
          const { status, error } = await send(
            method,
            `/v1/saves/${key}`,
            method === 'PUT' ? '{"data":1}' : '',
          )
          assert.deepEqual([status, error.code], [400, 'invalid_request'], `${method} ${key}`)
          assert.match(error.message, /but not "\." or "\.\."/)
        }
      assert.equal((await send('GET', '/v1/saves/...')).error.code, 'save_not_found')
    })
  })
}
