import assert from 'node:assert/strict'
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
import { engines, type Service, startService } from '../../testing/service.ts'

const A = { path: 'a.txt', sha256: sha256Of('a'), size: 1 }
const UNKNOWN = 'dpl_01kgb7zk00e0aaan5t1ckwz9sr'

for (const engine of engines) {
  describe(`deployments on ${engine}`, () => {
    let service: Service
    before(async () => void (service = await startService(engine, { settings: { SVC_RATE_LIMITS: 'off' } })))
    after(() => service.stop())

    const create = (project: Project, files: unknown, message?: unknown) =>
      project.development.server('POST', '/v1/deployments', {
        files,
        ...(message !== undefined && { message }),
      })

    test('[HST-01] hosting is off by default, and requires a secret key or a developer of the project', async () => {
      const off = await service.newProject()
      for (const [method, path] of [
        ['POST', '/v1/deployments'],
        ['PUT', `/v1/blobs/${A.sha256}`],
        ['POST', '/v1/deployments/1/finalize'],
        ['POST', '/v1/deployments/1/activate'],
        ['GET', '/v1/deployments'],
        ['GET', '/v1/deployments/1'],
        ['GET', '/v1/hosting'],
      ] as const) {
        const asServer = await off.development.server(
          method,
          path,
          method === 'GET' ? undefined : { files: [A] },
        )
        assert.equal(asServer.body.error.code, 'feature_disabled', path)
        const asPublic = await off.development.public(method, path, method === 'GET' ? undefined : {})
        assert.equal(asPublic.body.error.code, 'secret_key_required', path)
      }
      const { development, developer } = await newApp(service)
      const made = await developer.call('POST', `${development.path}/deployments`, { files: [A] })
      assert.equal(made.status, 200)
      assert.equal(
        (await development.server('GET', '/v1/deployments/1')).body.deployment.deploymentId,
        made.body.deploymentId,
      )
    })

    test('[HST-02] the response lists the missing files, each once; version numbers increase', async () => {
      const project = await newApp(service)
      const b = { path: 'b.txt', sha256: sha256Of('bb'), size: 2 }
      const first = await create(project, [A, b, { ...b, path: 'again.txt' }])
      assert.match(first.body.deploymentId, /^dpl_/)
      assert.deepEqual([first.body.version, first.body.missingBytes], [1, 3])
      assert.deepEqual(first.body.missing.toSorted(), [A.sha256, b.sha256].toSorted())

      await upload(service, project.development, 'a')
      const second = await create(project, [A, b])
      assert.deepEqual(
        [second.body.version, second.body.missing, second.body.missingBytes],
        [2, [b.sha256], 2],
      )
      const elsewhere = await project.production.server('POST', '/v1/deployments', { files: [A, b] })
      assert.deepEqual([elsewhere.body.version, elsewhere.body.missing], [1, [b.sha256]])
    })

    test('[HST-02] 30 concurrent deployments get consecutive version numbers', async () => {
      const project = await newApp(service)
      const made = await Promise.all(Array.from({ length: 30 }, () => create(project, [A])))
      assert.deepEqual(
        made.map(({ body }) => body.version).toSorted((a, b) => a - b),
        Array.from({ length: 30 }, (_, i) => i + 1),
      )
    })

    test('[HST-03] a path must be relative, normalized, short, in one Unicode form, not reserved, and unique', async () => {
      const project = await newApp(service)
      const good = [
        'a',
        'a/b/c.txt',
        '.well-known/x',
        'a b',
        '100%',
        'ü.txt',
        'x'.repeat(512),
        'a..b',
        '...',
        'a?b#c',
        '.cart',
        '.authors',
        'x/.auth/y',
        '.svcs',
      ]
      const made = await create(
        project,
        good.map((path) => ({ ...A, path })),
      )
      assert.equal(made.status, 200)

      const bad = [
        '/a',
        'a/',
        'a//b',
        '../a',
        'a/../b',
        'a/..',
        './a',
        'a/.',
        '.',
        '..',
        'a\\b',
        '..\\a',
        'C:\\x',
        'a\nb',
        'a\u007fb',
        'a\u0085',
        'u\u0308.txt',
        '\u212b',
        '.auth',
        '.auth/verify',
        '.svc',
        '.svc/init.json',
        '.card',
        '.card.png',
        '.card/x.png',
        '.cards',
      ]
      for (const path of bad) {
        const { status, body } = await create(project, [A, { ...A, path }])
        assert.deepEqual([status, body.error.code], [400, 'invalid_path'], path)
        assert.equal(body.error.details.errors[0].path, '$.files[1].path')
      }
      const twice = await create(project, [A, { ...A, sha256: sha256Of('other') }])
      assert.deepEqual(
        [twice.status, twice.body.error.details.errors[0].message],
        [400, 'files[1].path occurs twice'],
      )
      for (const path of ['', 'x'.repeat(513)])
        assert.equal((await create(project, [{ ...A, path }])).body.error.code, 'invalid_request')
      assert.equal((await project.development.server('GET', '/v1/deployments')).body.deployments.length, 1)
    })

    test('[HST-03] sha256 is 64 lower-case hex, sizes fit, messages have 500 characters, files are 1 to 10,000', async () => {
      const project = await newApp(service)
      for (const bad of [
        { ...A, sha256: A.sha256.toUpperCase() },
        { ...A, sha256: A.sha256.slice(1) },
        { ...A, sha256: `${A.sha256.slice(1)}g` },
        { ...A, size: -1 },
        { ...A, size: 0.5 },
        { ...A, size: 50 * 1024 * 1024 + 1 },
        { path: 'a', size: 1 },
      ]) {
        assert.equal((await create(project, [bad])).body.error.code, 'invalid_request', JSON.stringify(bad))
      }
      assert.equal((await create(project, [{ ...A, size: 50 * 1024 * 1024 }], 'm'.repeat(500))).status, 200)
      assert.equal((await create(project, [A], 'm'.repeat(501))).status, 400)
      assert.equal((await create(project, [])).status, 400)

      const many = (count: number) =>
        Array.from({ length: count }, (_, i) => ({ ...A, path: `${i}/${'d'.repeat(480)}` }))
      const most = await create(project, many(10_000))
      assert.deepEqual([most.status, most.body.missing.length], [200, 1])
      assert.equal((await create(project, many(10_001))).status, 400)
    })

    test('[HST-05] finalize lists the missing files, and may be repeated until none is missing', async () => {
      const project = await newApp(service)
      const { server } = project.development
      const b = { path: 'b.txt', sha256: sha256Of('b'), size: 1 }
      const { body } = await create(project, [A, b])
      await upload(service, project.development, 'a')
      const early = await server('POST', `/v1/deployments/${body.deploymentId}/finalize`, {})
      assert.deepEqual([early.status, early.body.error.code], [409, 'blobs_missing'])
      assert.deepEqual(early.body.error.details.missing, [b.sha256])

      await upload(service, project.development, 'b')
      const done = await server('POST', `/v1/deployments/${body.deploymentId}/finalize`, {})
      const expected = {
        deploymentId: body.deploymentId,
        version: 1,
        status: 'finalized',
        live: false,
        url: `http://${project.slug}--dev.localhost:8787`,
      }
      assert.deepEqual(done.body, expected)
      assert.deepEqual((await server('POST', '/v1/deployments/1/finalize')).body, expected)
      const live = await server('POST', '/v1/deployments/1/finalize', { activate: true })
      assert.deepEqual(live.body, { ...expected, live: true })
      assert.deepEqual(
        (await server('POST', '/v1/deployments/1/finalize', { activate: true })).body,
        live.body,
      )
    })

    test('[HST-05] a wrong size answers size_mismatch', async () => {
      const project = await newApp(service)
      await create(project, [{ ...A, size: 2 }])
      await upload(service, project.development, 'a')
      const { status, body } = await project.development.server('POST', '/v1/deployments/1/finalize', {
        activate: true,
      })
      assert.deepEqual([status, body.error.code], [400, 'size_mismatch'])
      assert.equal(body.error.details.errors[0].path, '$.files[0].size')
      const after = await project.development.server('GET', '/v1/deployments/1')
      assert.equal(after.body.deployment.status, 'uploading')
    })

    test('[HST-06] activate accepts an id or a version, also an older one, and is idempotent', async () => {
      const { development } = await newApp(service)
      const one = await deploy(service, development, { 'a.txt': 'one' })
      await deploy(service, development, { 'a.txt': 'two' })
      const live = async () => (await development.server('GET', '/v1/hosting')).body.live.version
      assert.equal(await live(), 2)
      for (const [ref, version] of [
        ['1', 1],
        ['2', 2],
        [one.deploymentId, 1],
        [one.deploymentId, 1],
      ] as const) {
        const { status, body } = await development.server('POST', `/v1/deployments/${ref}/activate`)
        assert.deepEqual([status, body.version, body.live, body.status], [200, version, true, 'finalized'])
        assert.equal(await live(), version)
      }
    })

    test('[HST-06] a version that is not finalized cannot be activated; an unknown one answers 404', async () => {
      const project = await newApp(service)
      const { server } = project.development
      await create(project, [A])
      const early = await server('POST', '/v1/deployments/1/activate')
      assert.deepEqual([early.status, early.body.error.code], [409, 'not_finalized'])

      const other = await newApp(service)
      const foreign = await deploy(service, other.development, { a: 'a' })
      for (const ref of [
        UNKNOWN,
        foreign.deploymentId,
        '2',
        '0',
        '-1',
        '01',
        '1.0',
        '99999999999',
        'x',
        '__proto__',
      ]) {
        for (const [method, rest] of [
          ['POST', '/activate'],
          ['POST', '/finalize'],
          ['GET', ''],
        ] as const) {
          const { status, body } = await server(method, `/v1/deployments/${ref}${rest}`)
          assert.deepEqual([status, body.error.code], [404, 'deployment_not_found'], `${ref}${rest}`)
        }
      }
    })

    test('[HST-07] history is newest first, one version includes its files, /v1/hosting includes the URL', async () => {
      const project = await newApp(service)
      const { server } = project.development
      assert.deepEqual((await server('GET', '/v1/hosting')).body, { live: null, urls: [] })
      const files = { 'index.html': 'one', 'b/c.txt': 'three' }
      const { deploymentId } = await deploy(service, project.development, files)
      await create(project, [A], 'second\r\nli\u202ene')

      const secret = project.keys.find(({ key }) => key === project.development.secretKey)
      const { body } = await server('GET', '/v1/deployments')
      const now = service.clock.now().toISOString()
      assert.deepEqual(body.deployments[1], {
        deploymentId,
        version: 1,
        status: 'finalized',
        live: true,
        message: null,
        fileCount: 2,
        totalBytes: 8,
        createdAt: now,
        by: { type: 'key', id: secret?.id, label: `secret key …${secret?.key.slice(-4)}` },
        activatedAt: now,
      })
      const { status, live, message, activatedAt, version } = body.deployments[0]
      assert.deepEqual(
        [version, status, live, message, activatedAt],
        [2, 'uploading', false, 'second\nline', null],
      )

      const one = await server('GET', '/v1/deployments/1')
      assert.deepEqual(one.body, { deployment: body.deployments[1], files: fileList(files) })
      assert.deepEqual((await server('GET', '/v1/hosting')).body, {
        live: { deploymentId, version: 1 },
        urls: [`http://${project.slug}--dev.localhost:8787`],
      })
    })

    test('[HST-07] [GEN-14] a page has 20 versions, or limit (1 to 100); old versions are removed, the live one stays', async () => {
      const project = await newApp(service)
      const { server } = project.development
      await deploy(service, project.development, { a: 'a' })
      for (let i = 0; i < 101; i++) await create(project, [A])
      const list = async (query = '') => (await server('GET', `/v1/deployments${query}`)).body.deployments
      assert.equal((await list()).length, 20)
      assert.equal((await list('?limit=1'))[0].version, 102)
      assert.deepEqual(
        (await list('?limit=100')).map(({ version }: { version: number }) => version).at(-1),
        3,
      )
      for (const bad of ['0', '101', 'x', '1.5'])
        assert.equal((await server('GET', `/v1/deployments?limit=${bad}`)).status, 400, bad)
      assert.equal((await server('GET', '/v1/deployments/2')).status, 404)
      assert.equal((await server('GET', '/v1/deployments/1')).body.deployment.live, true)
    })

    test('[AUD-01] every change of a deployment, including its creation, is in the audit log once', async () => {
      const { development, developer, id } = await newApp(service)
      await deploy(service, development, { a: 'one' })
      await deploy(service, development, { a: 'two' })
      await development.server('POST', '/v1/deployments/2/activate')
      await developer.call('POST', `${development.path}/deployments/1/activate`)
      const { body } = await developer.call('GET', `/v1/projects/${id}/audit`)
      const entries = body.entries
        .filter(({ action }: { action: string }) => action.startsWith('deployment.'))
        .map(
          ({
            action,
            actor,
            details,
          }: {
            action: string
            actor: { type: string }
            details: { version: number }
          }) => [action, actor.type, details.version],
        )
      assert.deepEqual(entries, [
        ['deployment.activate', 'developer', 1],
        ['deployment.activate', 'key', 2],
        ['deployment.finalize', 'key', 2],
        ['deployment.create', 'key', 2],
        ['deployment.activate', 'key', 1],
        ['deployment.finalize', 'key', 1],
        ['deployment.create', 'key', 1],
      ])
    })

    test('[HST-06] after many concurrent activations one version is live, and every response is 200', async () => {
      const { development } = await newApp(service)
      for (let i = 0; i < 4; i++) await deploy(service, development, { a: String(i) }, { activate: false })
      const visit = await browserFor(service)
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          development.server('POST', `/v1/deployments/${(i % 4) + 1}/activate`),
        ),
      )
      for (const { status, body } of answers) assert.deepEqual([status, body.live], [200, true])
      const { live } = (await development.server('GET', '/v1/hosting')).body
      const listed = (await development.server('GET', '/v1/deployments')).body.deployments
      assert.deepEqual(
        listed.filter((one: { live: boolean }) => one.live).map((one: { version: number }) => one.version),
        [live.version],
      )
      assert.ok(visit)
    })
  })
}
