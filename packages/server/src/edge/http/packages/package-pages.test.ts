import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { suite } from '../../../testing/suite.ts'
import { VERSION } from '../../../version.ts'
import { openBuiltFolder } from '../files/built-folder.ts'
import type { Content, PageRequest } from '../pages.ts'
import { packagePages } from './package-pages.ts'

type Listed = { name: string; version: string; file: string; bytes: number; integrity: string }

suite('packages', { engines: ['sqlite'] }, ({ service }) => {
  test('[OPS-01] /packages/ lists the CLI and the SDK of the own version, and each file is what the list says', async () => {
    const { status, headers, body } = await service.call('GET', '/packages/')
    assert.equal(status, 200)
    assert.deepEqual((await service.call('GET', '/packages')).body, body)
    assert.match(headers['content-type'] ?? '', /^application\/json/)
    const { packages } = body as { packages: Listed[] }
    assert.deepEqual(
      packages.map(({ name, version, file }) => [name, version, file]),
      [
        ['@svc/cli', VERSION, `svc-cli-${VERSION}.tgz`],
        ['@svc/sdk', VERSION, `svc-sdk-${VERSION}.tgz`],
      ],
    )
    for (const { file, bytes, integrity } of packages) {
      const url = `/packages/${file}`
      const { rawPayload: content, headers: answered } = await service.http.inject({ url })
      assert.equal(content.length, bytes)
      assert.equal(`sha512-${createHash('sha512').update(content).digest('base64')}`, integrity)
      assert.equal(answered['content-type'], 'application/gzip')

      const known = { 'if-none-match': String(answered['etag']) }
      assert.equal((await service.http.inject({ url, headers: known })).statusCode, 304)
      const head = await service.http.inject({ method: 'HEAD', url })
      assert.deepEqual([head.statusCode, head.headers['content-length']], [200, String(bytes)])
    }
  })

  test('[OPS-01] svc-cli.tgz and svc-sdk.tgz are the files of the own version, and a cache asks again each time', async () => {
    for (const name of ['svc-cli', 'svc-sdk']) {
      const [current, versioned] = await Promise.all(
        [`${name}.tgz`, `${name}-${VERSION}.tgz`].map((file) =>
          service.http.inject({ url: `/packages/${file}` }),
        ),
      )
      assert.deepEqual([current?.statusCode, current?.headers['cache-control']], [200, 'no-cache'])
      assert.ok(current?.rawPayload.equals(versioned?.rawPayload ?? Buffer.alloc(0)))
      const known = { 'if-none-match': String(versioned?.headers['etag']) }
      const again = await service.http.inject({ url: `/packages/${name}.tgz`, headers: known })
      assert.equal(again.statusCode, 304)
    }
  })

  test('[OPS-01] other names answer 404, other methods 405', async () => {
    for (const name of [
      'svc-cli-9.9.9.tgz',
      'svc-server.tgz',
      'cli.tgz',
      'index.json',
      '..%2f..%2fpackage.json',
      'a/b.tgz',
    ]) {
      const { status, body } = await service.call('GET', `/packages/${name}`)
      assert.deepEqual([status, body.error.code], [404, 'not_found'], name)
    }
    assert.equal((await service.call('POST', '/packages/')).status, 405)
  })
})

test('[OPS-01] nothing is read or packed before the first request, and a failure is tried again', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'packages-'))
  t.after(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'index.json'), '{"packages":[]}')
  let builds = 0
  const routes = new Map<string, (request: PageRequest) => Promise<Content>>()
  const built = openBuiltFolder(join(folder, 'none'), async () => {
    if (++builds === 1) throw new Error('npm is not there')
    return folder
  })
  packagePages((path, answer) => void routes.set(path, answer), built, VERSION)
  assert.equal(builds, 0)
  const index = routes.get('/packages/')
  await assert.rejects(async () => index?.({} as PageRequest), /npm is not there/)
  await Promise.all([index?.({} as PageRequest), index?.({} as PageRequest)])
  await index?.({} as PageRequest)
  assert.equal(builds, 2)
})
