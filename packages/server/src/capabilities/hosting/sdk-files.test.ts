import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { upToDateFolder } from '../../../../sdk/build.ts'
import { deploy, newApp, browserFor } from '../../testing/hosted-apps.ts'
import { type Service, startService } from '../../testing/service.ts'

let service: Service
before(async () => {
  service = await startService('sqlite')
})
after(() => service.stop())

test('a hosted app serves the browser SDK and its types', async () => {
  const { slug, development } = await newApp(service)
  await deploy(service, development, { 'index.html': 'home' })
  const visit = await browserFor(service)
  for (const [name, type] of [
    ['sdk.js', 'text/javascript; charset=utf-8'],
    ['sdk-account.js', 'text/javascript; charset=utf-8'],
    ['sdk-p2p.js', 'text/javascript; charset=utf-8'],
    ['sdk-voice.js', 'text/javascript; charset=utf-8'],
    ['sdk-share.js', 'text/javascript; charset=utf-8'],
    ['sdk-channels.js', 'text/javascript; charset=utf-8'],
    ['sdk-leaderboards.js', 'text/javascript; charset=utf-8'],
    ['sdk-stats.js', 'text/javascript; charset=utf-8'],
    ['sdk-rooms.js', 'text/javascript; charset=utf-8'],
    ['sdk-embedded.js', 'text/javascript; charset=utf-8'],
    ['sdk-lease.js', 'text/javascript; charset=utf-8'],
    ['sdk-ui.js', 'text/javascript; charset=utf-8'],
    ['sdk.d.ts', 'text/plain; charset=utf-8'],
    ['sdk-ui.d.ts', 'text/plain; charset=utf-8'],
  ] as const) {
    const { status, headers, text } = await visit(`${slug}--dev`, `/.svc/${name}`)
    assert.deepEqual([name, status, headers['content-type']], [name, 200, type])
    assert.equal(text, await readFile(join(await upToDateFolder(), name), 'utf8'))
  }
})
