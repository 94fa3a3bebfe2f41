import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { suite } from '../../../testing/suite.ts'
import { openBuiltFolder } from '../files/built-folder.ts'

suite('dashboard', { engines: ['sqlite'] }, ({ service }) => {
  test('[DSH-37] every URL below /dashboard returns the app with its content security policy, and / redirects to it', async () => {
    const start = await service.call('GET', '/')
    assert.equal(start.status, 302)
    assert.equal(start.headers['location'], '/dashboard')
    for (const path of ['/dashboard', '/dashboard/', '/dashboard/star-duel/production/players/ply_1?q=a']) {
      const { status, headers, body } = await service.call('GET', path)
      assert.equal(status, 200, path)
      assert.match(body, /<div id="root">/)
      assert.equal(headers['cache-control'], 'no-cache')
      assert.match(headers['content-security-policy'] ?? '', /^default-src 'none'; script-src 'self';/)
      assert.match(headers['content-security-policy'] ?? '', /trusted-types 'none'$/)
      assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
      assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['referrer-policy'], 'no-referrer')
    }
  })

  test('[DSH-37] files have names with their hash and are cached permanently; an unknown one answers 404', async () => {
    const { body } = await service.call('GET', '/dashboard')
    const names = [...String(body).matchAll(/\/dashboard\/[\w-]+\.(?:js|css|woff2)/g)].map(([name]) => name)
    assert.ok(names.length >= 3)
    for (const name of names) {
      const { status, headers } = await service.call('GET', name, undefined, { 'accept-encoding': 'br' })
      assert.equal(status, 200, name)
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
      // Small files are not compressed.
      if (/app-|style-/.test(name)) assert.equal(headers['content-encoding'], 'br', name)
      assert.match(headers['content-security-policy'] ?? '', /^default-src 'none'/)
    }
    for (const path of ['/dashboard/app-00000000.js', '/dashboard/licences.txt.js', '/dashboard/sizes.css'])
      assert.equal((await service.call('GET', path)).status, 404, path)
    for (const path of [
      '/dashboard/../package.json',
      '/dashboard/%2e%2e%2fpackage.json',
      '/dashboard/index.html',
    ])
      assert.doesNotMatch(String((await service.call('GET', path)).body), /"name"/, path)
  })

  test('[DSH-50] [RWC-97] the page that shows a mail has an opaque origin, and only its own script; frames are mails and games', async () => {
    const { status, headers, body } = await service.call('GET', '/dashboard/mail-frame')
    assert.equal(status, 200)
    const policy = headers['content-security-policy'] ?? ''
    const script = /<script>([\s\S]*)<\/script>/.exec(body)?.[1] ?? ''
    const hash = createHash('sha256').update(script).digest('base64')
    assert.equal(
      policy,
      `sandbox allow-scripts; default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'`,
    )
    assert.match(
      (await service.call('GET', '/dashboard')).headers['content-security-policy'] ?? '',
      /frame-src 'self' [^;'*]*\/\/\*\.\S+ http:\/\/localhost:\* http:\/\/\*\.localhost:\* http:\/\/127\.0\.0\.1:\*;/,
    )
    assert.match(
      (await service.call('GET', '/docs')).headers['content-security-policy'] ?? '',
      /frame-src 'none';/,
    )
  })

  test('[DSH-37] the pages that mails link to are not replaced by the app', async () => {
    for (const path of ['/dashboard/confirm', '/dashboard/reset'])
      assert.match((await service.call('GET', path)).body, /<form id="form">/)
  })
})

test('[DSH-37] a folder of built files is used as it is', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'dashboard-'))
  t.after(() => rm(home, { recursive: true }))
  await writeFile(join(home, 'index.html'), 'built')
  const folder = await openBuiltFolder(home, () =>
    assert.fail('it was built although the files exist'),
  ).upToDate()
  assert.equal(String(await folder('index.html')), 'built')
})
