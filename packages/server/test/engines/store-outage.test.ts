import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { browserFor, deploy, newApp, sha256Of, upload } from '../../src/testing/hosted-apps.ts'
import { runs } from '../../src/testing/runs.ts'
import { s3Credentials, startS3Server } from '../../src/testing/s3-server.ts'
import { startService } from '../../src/testing/service.ts'
import { startStallingProxy } from '../../src/testing/stalling-proxy.ts'

const UPLOADERS = 4
const FILE_BYTES = 200_000
const OUTAGE_MS = 300

test('[OPS-55] a store that stops, freezes and returns: uploads get only 503 meanwhile, and every acknowledged file is complete afterwards', async (t) => {
  const stack = new AsyncDisposableStack()
  t.after(() => stack.disposeAsync())
  const s3 = stack.adopt(await startS3Server(), ({ close }) => close())
  const proxy = stack.adopt(await startStallingProxy(Number(new URL(s3.endpoint).port)), (each) => {
    each.resume()
    return each.stop()
  })
  const endpoint = `http://127.0.0.1:${new URL(proxy.url).port}`
  const { accessKeyId, secretAccessKey } = s3Credentials
  const settings = {
    SVC_BLOBS_URL: s3.url.replace(s3.endpoint, endpoint),
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  }
  const service = stack.adopt(await startService('sqlite', { settings }), ({ stop }) => stop())
  const project = await newApp(service)
  await deploy(service, project.development, { 'index.html': 'home' })

  const stored = new Map<string, Buffer>()
  const unexpected: unknown[] = []
  let [refused, isOver] = [0, false]
  const uploaders = Array.from({ length: UPLOADERS }, async () => {
    while (!isOver) {
      const file = randomBytes(FILE_BYTES)
      const { status, body } = await upload(service, project.development, file)
      if (status === 200) stored.set(sha256Of(file), file)
      else if (status === 503) refused++
      else unexpected.push(body)
      await pause(20)
    }
  })

  for (let outage = 0; outage < runs(2, 20); outage++) {
    const before = stored.size
    while (stored.size < before + UPLOADERS) await pause(20)
    if (outage % 2 === 0) {
      await s3.stop()
      const refusedBefore = refused
      while (refused < refusedBefore + UPLOADERS) await pause(20)
      await s3.start()
    } else {
      proxy.stall()
      await pause(OUTAGE_MS)
      proxy.resume()
    }
  }
  const before = stored.size
  while (stored.size < before + UPLOADERS) await pause(20)
  isOver = true
  await Promise.all(uploaders)
  t.diagnostic(`${stored.size} files acknowledged, ${refused} times 503`)
  assert.deepEqual(unexpected, [])

  const files = [...stored.values()].slice(-50)
  const site = Object.fromEntries(files.map((file, at) => [`${at}.bin`, file]))
  await deploy(service, project.development, { 'index.html': 'home', ...site })
  const visit = await browserFor(service)
  for (const [name, file] of Object.entries(site)) {
    const answer = await visit(`${project.slug}--dev`, `/${name}`)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers['content-length'], String(file.length))
  }
  // What is stored under a name is complete, also what was not acknowledged.
  const rows = await service.db.search((q) =>
    q
      .selectFrom('hosting_blobs')
      .selectAll()
      .where('projectId', '=', project.id)
      .where('state', '=', 'stored'),
  )
  for (const { key, sha256 } of rows) {
    const blob = await service.blobs.open(key)
    assert.ok(blob, key)
    assert.equal(sha256Of(await buffer(blob.stream)), sha256)
  }
})
