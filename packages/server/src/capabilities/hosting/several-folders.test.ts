import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'

import { newDataDir } from '../../testing/databases.ts'
import { browserFor, deploy, newApp } from '../../testing/hosted-apps.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { startService } from '../../testing/service.ts'

test('[OPS-60] a node without the files that another node has stored answers 503 with the reason, and its operator sees it', async (t) => {
  const settings = { SVC_SECRET_KEY: Buffer.alloc(32, 1).toString('base64') }
  const first = await startService('postgres', { settings })
  const dataDir = await newDataDir()
  const second = await startService('postgres', {
    settings: { ...settings, SVC_DATA_DIR: dataDir },
    clusterOf: first,
  })
  t.after(async () => {
    await second.stop()
    await first.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const project = await newApp(first)
  await deploy(first, project.production, { 'index.html': '<p>game</p>' })
  const visit = async (service: typeof first) => (await browserFor(service))(project.slug, '/')

  assert.equal((await visit(first)).text, '<p>game</p>')
  const { status, headers, text } = await visit(second)
  assert.equal(status, 503)
  assert.equal(headers['retry-after'], '1')
  const { error } = JSON.parse(text)
  assert.equal(error.code, 'service_unavailable')
  assert.match(error.message, /another node .* SVC_BLOBS_URL/)

  // Nodes notice each other at a heartbeat.
  await comesTrue('the state of the files is a warning', async () => {
    const { body } = await second.call('GET', '/readyz?parts=true')
    return body.parts.files.state === 'warning' && /SVC_BLOBS_URL/.test(body.parts.files.says)
  })
})
