import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { rename, truncate } from 'node:fs/promises'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { deploy, newApp, type Project, sha256Of, upload, browserFor } from '../../testing/hosted-apps.ts'
import { s3Credentials, startS3Server } from '../../testing/s3-server.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

const blobRows = (service: Service, { id }: Project) =>
  service.db.search((q) => q.selectFrom('hosting_blobs').selectAll().where('projectId', '=', id))
const keysOf = (service: Service, { id }: Project) => Array.fromAsync(service.blobs.list(`${id}/`))

for (const engine of engines) {
  test(`on ${engine}: an upload during the deletion of its project leaves no blob`, async (t) => {
    const service = await startService(engine)
    t.after(() => service.stop())
    await service.http.listen({ host: '127.0.0.1', port: 0 })
    const { port } = service.http.server.address() as AddressInfo
    const project = await newApp(service)
    await deploy(service, project.development, { 'index.html': 'home' })
    const sent = request({
      host: '127.0.0.1',
      port,
      method: 'PUT',
      path: `/v1/blobs/${sha256Of('late file')}`,
      headers: { 'x-svc-key': project.development.secretKey },
    })
    const answered = once(sent, 'response')
    sent.write('late ')
    while ((await blobRows(service, project)).length < 2) await new Promise(setImmediate)

    await project.developer.call('DELETE', `/v1/projects/${project.id}`)
    await service.background.drained()
    sent.end('file')
    const [response] = await answered
    const body = JSON.parse((await buffer(response)).toString())
    assert.deepEqual([response.statusCode, body.error.code], [404, 'not_found'])
    assert.deepEqual([await blobRows(service, project), await keysOf(service, project)], [[], []])
  })
}

test('[HST-08] a compressed copy that cannot be stored leaves no file open, and is made later', async (t) => {
  const service = await startService('sqlite')
  t.after(() => service.stop())
  const project = await newApp(service)
  const blobs = join(service.dataDir, 'blobs')
  const openBlobs = () =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(blobs)
      } catch {
        // The file handle with which the folder was read.
        return false
      }
    })
  const script = randomBytes(1_000_000).toString('hex')
  await upload(service, project.development, script)

  await rename(join(blobs, '~incoming'), join(blobs, '~away'))
  await deploy(service, project.development, { 'app.js': script })
  const visit = await browserFor(service)
  const ask = () => visit(`${project.slug}--dev`, '/app.js', { headers: { 'accept-encoding': 'gzip' } })
  assert.equal((await ask()).headers['content-encoding'], undefined)
  await service.background.drained()
  for (let turn = 0; turn < 100 && openBlobs().length > 0; turn++) await nextTurn()
  assert.deepEqual(openBlobs(), [])

  await rename(join(blobs, '~away'), join(blobs, '~incoming'))
  await deploy(service, project.development, { 'app.js': script, 'index.html': 'home' })
  await ask()
  await service.background.drained()
  assert.equal((await ask()).headers['content-encoding'], 'gzip')
})

test('[HST-08] a truncated blob is not served and the request does not hang', async (t) => {
  const service = await startService('sqlite')
  t.after(() => service.stop())
  const project = await newApp(service)
  const site = { 'small.bin': randomBytes(1_000), 'large.bin': randomBytes(2_000_000) }
  await deploy(service, project.development, site)
  for (const { key } of await blobRows(service, project))
    await truncate(join(service.dataDir, 'blobs', key), 999)

  const visit = await browserFor(service)
  for (const path of ['/small.bin', '/large.bin']) {
    const { status, text } = await visit(`${project.slug}--dev`, path)
    assert.deepEqual([status, JSON.parse(text).error.code], [500, 'internal_error'])
  }
})

describe('uploads while the store is unavailable', () => {
  let service: Service
  let s3: Awaited<ReturnType<typeof startS3Server>>
  before(async () => {
    s3 = await startS3Server()
    const { accessKeyId, secretAccessKey } = s3Credentials
    service = await startService('sqlite', {
      settings: {
        SVC_BLOBS_URL: s3.url,
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
      },
    })
  })
  after(async () => {
    await service.stop()
    await s3.close()
  })

  test('[HST-04] they answer 503, partial uploads are removed later, and deploying works again afterwards', async () => {
    const project = await newApp(service)
    await deploy(service, project.development, { 'index.html': 'old' })
    const visit = await browserFor(service)
    assert.equal((await visit(`${project.slug}--dev`, '/')).text, 'old')

    await s3.stop()
    const { status, body } = await upload(service, project.development, 'new')
    assert.deepEqual([status, body.error.code], [503, 'service_unavailable'])
    assert.equal((await visit(`${project.slug}--dev`, '/')).text, 'old')
    const failed = (await blobRows(service, project)).find(({ sha256 }) => sha256 === sha256Of('new'))
    assert.equal(failed?.state, 'removing')

    await s3.start()
    // As if S3 had stored it, and only its response was lost.
    await service.blobs.put(failed.key, Buffer.from('new'))
    await service.hosting.sweep()
    assert.equal((await blobRows(service, project)).length, 1)
    assert.equal((await keysOf(service, project)).length, 1)
    await deploy(service, project.development, { 'index.html': 'new' })
    assert.equal((await visit(`${project.slug}--dev`, '/')).text, 'new')
  })
})
