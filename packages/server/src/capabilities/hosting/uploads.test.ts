import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'

import {
  deploy,
  fileList,
  newApp,
  type Project,
  sha256Of,
  upload,
  browserFor,
} from '../../testing/hosted-apps.ts'
import { inTurn } from '../../testing/runs.ts'
import { s3Credentials, startS3Server } from '../../testing/s3-server.ts'
import { type Service, startService, type TestEnvironment } from '../../testing/service.ts'

const LIMIT = 50 * 1024 * 1024
const DAY_MS = 86_400_000

const places = [
  { name: 'sqlite and files', engine: 'sqlite', isS3: false },
  { name: 'postgres and files', engine: 'postgres', isS3: false },
  { name: 'sqlite and S3', engine: 'sqlite', isS3: true },
] as const

for (const { name, engine, isS3 } of inTurn(places)) {
  describe(`uploads on ${name}`, () => {
    let service: Service
    let s3: Awaited<ReturnType<typeof startS3Server>> | undefined
    let port: number
    before(async () => {
      s3 = isS3 ? await startS3Server() : undefined
      const { accessKeyId, secretAccessKey } = s3Credentials
      const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }
      service = await startService(engine, { settings: s3 ? { SVC_BLOBS_URL: s3.url, ...keys } : {} })
      await service.http.listen({ host: '127.0.0.1', port: 0 })
      port = (service.http.server.address() as AddressInfo).port
    })
    after(async () => {
      await service.stop()
      await s3?.close()
    })

    /** Over a real connection, with or without a length. */
    async function send(
      { secretKey }: TestEnvironment,
      bytes: Buffer,
      headers: Record<string, string | number> = {},
    ) {
      const sent = request({
        host: '127.0.0.1',
        port,
        method: 'PUT',
        path: `/v1/blobs/${sha256Of(bytes)}`,
        headers: { 'x-svc-key': secretKey, ...headers },
        agent: false,
      })
      const answered = once(sent, 'response')
      if (!('expect' in headers)) sent.end(bytes)
      const [response] = await answered
      const body = JSON.parse((await buffer(response)).toString())
      sent.destroy()
      return { status: response.statusCode as number, body }
    }

    const blobRows = (project: Project) =>
      service.db.search((q) => q.selectFrom('hosting_blobs').selectAll().where('projectId', '=', project.id))
    const keysOf = async (project: Project) => {
      const keys = await Array.fromAsync(service.blobs.list(`${project.id}/`))
      return keys.map((key) => key.slice(project.id.length + 1, project.id.length + 65)).toSorted()
    }
    const arriving = async () => readdir(join(service.dataDir, 'blobs', '~incoming'))

    test('[HST-04] [GEN-21] raw bytes of any type are stored; the response has hash and size; a repetition answers 200', async () => {
      const project = await newApp(service)
      const bytes = Buffer.from([0, 255, 10, 13, 0])
      const expected = { status: 200, body: { sha256: sha256Of(bytes), size: 5 } }
      for (const type of [
        'application/octet-stream',
        'application/json',
        'text/html; charset=latin1',
        'image/png',
      ])
        assert.deepEqual(await send(project.development, bytes, { 'content-type': type }), expected)
      assert.deepEqual(await send(project.development, bytes), expected)
      assert.deepEqual(await send(project.production, bytes, { 'transfer-encoding': 'chunked' }), expected)
      assert.deepEqual(await upload(service, project.development, ''), {
        status: 200,
        body: { sha256: sha256Of(''), size: 0 },
      })
      await service.hosting.sweep()
      assert.equal((await blobRows(project)).length, 2)
      assert.equal((await keysOf(project)).length, 2)
    })

    test('[HST-04] bytes with another hash are rejected and not stored', async () => {
      const project = await newApp(service)
      const { status, body } = await upload(service, project.development, 'these', sha256Of('others'))
      assert.deepEqual([status, body.error.code], [400, 'hash_mismatch'])
      for (const wrong of ['x', sha256Of('a').toUpperCase(), `${sha256Of('a')}0`])
        assert.equal((await upload(service, project.development, 'a', wrong)).status, 400, wrong)
      const answer = await service.http.inject({
        method: 'PUT',
        url: `/v1/blobs/${sha256Of('a')}`,
        headers: { 'x-svc-key': project.development.secretKey, 'content-encoding': 'gzip' },
        payload: 'a',
      })
      assert.equal(answer.json().error.code, 'unsupported_content_encoding')
      assert.deepEqual([await blobRows(project), await keysOf(project), await arriving()], [[], [], []])
    })

    test('[HST-04] [GEN-12] 50 MB are accepted, one byte more is rejected, with and without Content-Length', async () => {
      const project = await newApp(service)
      const most = Buffer.alloc(LIMIT, 'svc')
      assert.deepEqual(await send(project.development, most), {
        status: 200,
        body: { sha256: sha256Of(most), size: LIMIT },
      })
      const more = Buffer.alloc(LIMIT + 1)
      // Rejected before the body is sent, so that the client does not upload it.
      const received = await send(project.development, more, {
        'content-length': LIMIT + 1,
        expect: '100-continue',
      })
      assert.deepEqual(
        [received.status, received.body.error.code, received.body.error.details],
        [413, 'blob_too_large', { limit: LIMIT, size: LIMIT + 1 }],
      )
      const untold = await send(project.development, more, { 'transfer-encoding': 'chunked' })
      assert.deepEqual([untold.status, untold.body.error.code], [413, 'blob_too_large'])
      assert.deepEqual([(await keysOf(project)).length, await arriving()], [1, []])
    })

    test('[HST-04] an aborted upload stores nothing, and a complete one still succeeds', async () => {
      const project = await newApp(service)
      const bytes = Buffer.alloc(300_000, 'x')
      for (const how of [`Content-Length: ${bytes.length}`, 'Transfer-Encoding: chunked']) {
        const socket = connect(port, '127.0.0.1')
        await once(socket, 'connect')
        socket.write(
          `PUT /v1/blobs/${sha256Of(bytes)} HTTP/1.1\r\nHost: localhost\r\nX-Svc-Key: ${project.development.secretKey}\r\n${how}\r\n\r\n`,
        )
        socket.write(how.startsWith('C') ? bytes.subarray(0, 1_000) : '10\r\n0123456789abcdef\r\n')
        while ((await arriving()).length === 0) await new Promise(setImmediate)
        socket.destroy()
        while ((await arriving()).length > 0) await new Promise(setImmediate)
      }
      while ((await blobRows(project)).length > 0) await new Promise(setImmediate)
      assert.deepEqual(await keysOf(project), [])
      assert.equal((await upload(service, project.development, bytes)).status, 200)
    })

    test('a blob belongs to its project: another project can neither see, use nor replace it', async () => {
      const [mine, yours] = [await newApp(service), await newApp(service)]
      const files = { 'secret.txt': 'my private file' }
      await deploy(service, mine.development, files)
      const { body } = await yours.development.server('POST', '/v1/deployments', { files: fileList(files) })
      assert.deepEqual(body.missing, [sha256Of('my private file')])
      const early = await yours.development.server('POST', '/v1/deployments/1/finalize', { activate: true })
      assert.equal(early.body.error.code, 'blobs_missing')
      assert.deepEqual(await keysOf(yours), [])
    })

    test('20 concurrent uploads of the same bytes store one blob', async () => {
      const project = await newApp(service)
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => upload(service, project.development, 'the same')),
      )
      for (const { status } of answers) assert.equal(status, 200)
      await service.hosting.sweep()
      assert.equal((await blobRows(project)).length, 1)
      assert.deepEqual(await keysOf(project), [sha256Of('the same')])
    })

    test('[HST-04] a blob that no deployment uses is removed after 24 hours, not earlier', async () => {
      const project = await newApp(service)
      await upload(service, project.development, 'orphan')
      await deploy(service, project.development, { a: 'live' })
      await project.development.server('POST', '/v1/deployments', { files: fileList({ b: 'wanted' }) })
      await upload(service, project.development, 'wanted')
      service.clock.advance(DAY_MS - 1)
      await service.hosting.sweep()
      assert.equal((await keysOf(project)).length, 3)

      service.clock.advance(1)
      await upload(service, project.development, 'young')
      await service.hosting.sweep()
      const left = ['live', 'wanted', 'young'].map(sha256Of).toSorted()
      assert.deepEqual(await keysOf(project), left)

      service.clock.advance(DAY_MS)
      await service.hosting.sweep()
      assert.deepEqual(await keysOf(project), ['live', 'wanted'].map(sha256Of).toSorted())
      await project.development.server('POST', '/v1/deployments/2/finalize', { activate: true })
      const visit = await browserFor(service)
      assert.equal((await visit(`${project.slug}--dev`, '/b')).text, 'wanted')
    })

    test('concurrent sweeps, uploads and deployments never remove a blob that is in use', async () => {
      const project = await newApp(service)
      for (let round = 0; round < 10; round++) {
        await upload(service, project.development, 'again')
        service.clock.advance(DAY_MS)
        const [, deployed] = await Promise.all([
          service.hosting.sweep(),
          deploy(service, project.development, { a: 'again', round: String(round) }),
          upload(service, project.development, 'again'),
          service.hosting.sweep(),
        ])
        assert.ok(deployed.version > 0)
        const visit = await browserFor(service)
        assert.equal((await visit(`${project.slug}--dev`, '/a')).text, 'again')
        assert.ok((await keysOf(project)).includes(sha256Of('again')))
        for (const { id } of await service.db.search((q) =>
          q.selectFrom('hosting_deployments').select('id').where('projectId', '=', project.id),
        ))
          await service.db.transaction((t) =>
            t.search((q) => q.deleteFrom('hosting_deployments').where('id', '=', id)),
          )
      }
    })

    test('a blob whose upload ended with a killed process is removed after a day', async () => {
      const project = await newApp(service)
      const key = `${project.id}/${sha256Of('cut off')}.killed`
      await service.blobs.put(key, Buffer.from('cut off'))
      const now = service.clock.now().toISOString()
      await service.db.transaction((t) =>
        t.search((q) =>
          q.insertInto('hosting_blobs').values({
            key,
            projectId: project.id,
            sha256: sha256Of('cut off'),
            size: 0,
            state: 'arriving',
            changedAt: now,
            brSize: null,
            gzSize: null,
          }),
        ),
      )
      await deploy(service, project.development, { a: 'cut off' })
      service.clock.advance(DAY_MS)
      await service.hosting.sweep()
      assert.equal((await keysOf(project)).length, 1)
      assert.equal(await service.blobs.stat(key), undefined)
    })

    test('a deleted project leaves no blob', async () => {
      const project = await newApp(service)
      await deploy(service, project.development, { 'a.css': 'a { color: red }\n'.repeat(200) })
      const visit = await browserFor(service)
      await visit(`${project.slug}--dev`, '/a.css')
      await service.background.drained()
      assert.equal((await Array.fromAsync(service.blobs.list(`${project.id}/`))).length, 3)

      await project.developer.call('DELETE', `/v1/projects/${project.id}`)
      await service.background.drained()
      assert.deepEqual(await Array.fromAsync(service.blobs.list(`${project.id}/`)), [])
      assert.deepEqual(await blobRows(project), [])
      const left = await service.db.search((q) => q.selectFrom('hosting_projects').select('projectId'))
      assert.ok(!left.some(({ projectId }) => projectId === project.id))
    })
  })
}
