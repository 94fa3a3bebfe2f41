import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { newGuest } from '../../../testing/guests.ts'
import { newApp, sha256Of } from '../../../testing/hosted-apps.ts'
import { type Answer, engines, type Service, startService } from '../../../testing/service.ts'

type Problem = { path: string; message: string }
const problemsOf = ({ status, body }: Answer): Problem[] => {
  assert.deepEqual([status, body.error?.code], [400, 'invalid_request'], JSON.stringify(body))
  return body.error.details.errors
}
const messagesOf = (answer: Answer) => problemsOf(answer).map(({ message }) => message)

for (const engine of engines) {
  describe(`problems of requests on ${engine}`, () => {
    let service: Service
    let project: Awaited<ReturnType<typeof newApp>>
    before(async () => {
      service = await startService(engine)
      project = await newApp(service)
    })
    after(() => service.stop())

    test('[GEN-06] every problem is a readable sentence', async () => {
      const { public: app, server } = project.development
      const ada = await newGuest(project.development)
      const answers: [answer: Answer, messages: string[]][] = [
        [
          await app('POST', '/v1/auth/guest', { displayName: 'x'.repeat(33) }),
          ['displayName must be text of 1 to 32 characters'],
        ],
        [
          await service.call('POST', '/v1/developers/signup', { email: 'nobody', password: 'short' }),
          [
            'email must be an email address like ada@example.com',
            'password must be text of 8 to 256 characters',
          ],
        ],
        [
          await service.call('POST', '/v1/developers/login', {}),
          ['email is required', 'password is required'],
        ],
        [await server('GET', '/v1/deployments?limit=101'), ['limit must be a whole number from 1 to 100']],
        [
          await server('GET', '/v1/admin/appeals?status=x'),
          ['status must be one of open, accepted, rejected'],
        ],
        [await server('POST', '/v1/deployments', []), ['the body must be an object']],
        [
          await project.developer.call('POST', `${project.development.path}/keys`, {
            type: 'master',
            label: '',
          }),
          ['type must be one of publishable, secret', 'label must be text of 1 to 60 characters'],
        ],
        [
          await ada.call('PATCH', '/v1/players/me', { displayName: '\u200b' }),
          [
            'displayName must be text of 1 to 32 characters, at least one of them visible, without control characters',
          ],
        ],
        [
          await project.developer.call('POST', `${project.development.path}/players/${ada.id}/ban`, {
            durationHours: 1,
          }),
          ['durationHours requires a secret key'],
        ],
      ]
      for (const [answer, messages] of answers) assert.deepEqual(messagesOf(answer), messages)
    })

    test('[GEN-07] an unknown query field is rejected on writes and ignored on reads', async () => {
      const { server } = project.development
      const config = { features: { hosting: true, saves: true } }
      assert.deepEqual(problemsOf(await server('PUT', '/v1/config?dryrun=true', config)), [
        { path: '$.dryrun', message: 'unknown query field "dryrun"; did you mean "dryRun"?' },
      ])
      assert.equal((await server('GET', '/v1/config')).body.config.features.saves, undefined)
      assert.deepEqual(messagesOf(await server('PUT', '/v1/config?force=1&dryRun=true', config)), [
        'unknown query field "force"; known here: dryRun',
      ])
      assert.deepEqual(messagesOf(await project.development.public('POST', '/v1/auth/guest?a=1&b=2', {})), [
        'unknown query field "a"; this call has no query fields',
        'unknown query field "b"; this call has no query fields',
      ])
      assert.equal((await server('PUT', '/v1/config?dryRun=true', config)).body.valid, true)
      assert.equal((await server('GET', '/v1/config?dryrun=true&utm_source=x')).status, 200)
      const ofBytes = await service.http.inject({
        method: 'PUT',
        url: `/v1/blobs/${sha256Of('x')}?overwrite=1`,
        headers: { 'x-svc-key': project.development.secretKey },
        payload: 'x',
      })
      assert.equal(ofBytes.statusCode, 400)
    })

    test('[AUD-02] an invalid cursor of the audit log answers 400', async () => {
      const { developer, id } = project
      const list = (query: string) => developer.call('GET', `/v1/projects/${id}/audit?${query}`)
      const { body } = await list('limit=1')
      assert.equal((await list(`before=${body.nextBefore}`)).status, 200)
      for (const before of ['nonsense', '1', '', 'aud_unknown', body.nextBefore.slice(0, -1)])
        assert.deepEqual(
          problemsOf(await list(`before=${before}`)).map(({ path }) => path),
          ['$.before'],
          before,
        )
      const appeals = await project.development.server('GET', '/v1/admin/appeals?cursor=nonsense')
      assert.deepEqual(
        problemsOf(appeals).map(({ path }) => path),
        ['$.cursor'],
      )
    })

    test('[HST-03] all problems of a deployment are reported together, up to 100', async () => {
      const { server } = project.development
      const sha256 = 'a'.repeat(64)
      const files = [
        { path: '../secret', sha256, size: 1 },
        { path: 'good.txt', sha256: 'X', size: 1 },
        { path: 'large.bin', sha256, size: 50 * 1024 * 1024 + 1 },
        { path: 'good.txt', sha256, size: -1 },
        { path: '.svc/sdk.js', sha256 },
        { path: '', sha256, size: 1 },
        { path: 'x'.repeat(513), sha256, size: 1 },
        ...Array.from({ length: 20 }, (_, i) => ({ path: `/absolute-${i}`, sha256, size: 1.5 })),
      ]
      const received = problemsOf(
        await server('POST', '/v1/deployments', { files, message: 'x'.repeat(501) }),
      )
      const paths = received.map(({ path }) => path)
      for (const path of [
        '$.message',
        '$.files[0].path',
        '$.files[1].sha256',
        '$.files[2].size',
        '$.files[3].path',
        '$.files[3].size',
        '$.files[4].path',
        '$.files[4].size',
        '$.files[5].path',
        '$.files[6].path',
        ...Array.from({ length: 20 }, (_, i) => [`$.files[${i + 7}].path`, `$.files[${i + 7}].size`]).flat(),
      ])
        assert.equal(paths.filter((one) => one === path).length, 1, path)
      assert.equal(new Set(paths).size, paths.length)

      const many = Array.from({ length: 10_000 }, (_, i) => ({ path: `../${i}`, sha256: 'X', size: -1 }))
      assert.equal(problemsOf(await server('POST', '/v1/deployments', { files: many })).length, 100)
      const tooMany = [...many, { path: 'one-more', sha256, size: 1 }]
      const first = problemsOf(await server('POST', '/v1/deployments', { files: tooMany }))[0]
      assert.equal(first?.message, 'files must be a list of 1 to 10000 entries')
    })

    test('[PLY-06] a name has the length limits of the contract, without leading and trailing spaces', async () => {
      const { public: app } = project.development
      const signUp = (displayName: string) => app('POST', '/v1/auth/guest', { displayName })
      for (const name of [
        'a',
        '😀'.repeat(32),
        `${' '.repeat(200)}${'b'.repeat(32)}\u3000`,
        'e\u0301'.repeat(32),
      ]) {
        const { status, body } = await signUp(name)
        assert.equal(status, 200, name)
        assert.equal(body.player.displayName, name.trim().normalize('NFC'))
      }
      for (const name of ['', '   ', '😀'.repeat(33), 'b'.repeat(33), 'e\u0301'.repeat(33)])
        assert.deepEqual(messagesOf(await signUp(name)), ['displayName must be text of 1 to 32 characters'])
      const openapi = (await service.call('GET', '/openapi.json')).body
      const { $ref } = openapi.paths['/v1/auth/guest'].post.requestBody.content['application/json'].schema
      const { displayName } = openapi.components.schemas[$ref.split('/').at(-1)].properties
      assert.deepEqual([displayName.minLength, displayName.maxLength], [1, 32])

      const newProject = (name: string) => project.developer.call('POST', '/v1/projects', { name })
      assert.equal((await newProject(` ${'n'.repeat(80)} `)).body.project.name, 'n'.repeat(80))
      for (const name of ['n'.repeat(81), '  '])
        assert.deepEqual(messagesOf(await newProject(name)), ['name must be text of 1 to 80 characters'])
      const newKey = (label: string) =>
        project.developer.call('POST', `${project.development.path}/keys`, { type: 'secret', label })
      assert.equal((await newKey(` ${'k'.repeat(60)} `)).body.key.label, 'k'.repeat(60))
      for (const label of ['k'.repeat(61), ' '])
        assert.deepEqual(messagesOf(await newKey(label)), ['label must be text of 1 to 60 characters'])
      const email = `${'m'.repeat(64)}@${'d'.repeat(185)}.example`.slice(-254)
      const signedUp = await service.call('POST', '/v1/developers/signup', {
        email: `  ${email.toUpperCase()}\n`,
        password: 'correct horse',
        name: `${' '.repeat(10)}${'d'.repeat(80)}`,
      })
      assert.deepEqual(
        [signedUp.body.developer?.email, signedUp.body.developer?.name],
        [email, 'd'.repeat(80)],
      )
    })

    test('[GEN-16] API responses are not cached, unless they have their own cache header', async () => {
      const { server, public: app } = project.development
      const notStored = [
        await server('GET', '/v1/config'),
        await service.call('GET', '/v1/config'),
        await service.call('GET', '/v1/nothing'),
        await app('POST', '/v1/auth/guest', {}),
        await app('POST', '/v1/auth/guest', { displayName: '' }),
        await service.call('GET', '/v1/platform/info'),
        await service.call('GET', '/healthz'),
        await service.call('GET', '/readyz'),
        await service.call('DELETE', '/v1/config'),
        await service.call('GET', '/%ff'),
      ]
      for (const { status, headers } of notStored)
        assert.equal(headers['cache-control'], 'no-store', String(status))
      const stored = [
        [await service.call('GET', '/.well-known/jwks.json'), 'public, max-age=60'],
        [await app('GET', '/v1/gamedata/definitions'), 'no-cache'],
        [await service.call('GET', '/docs'), 'no-cache'],
        [await service.call('GET', '/openapi.json'), 'no-cache'],
      ] as const
      for (const [{ headers }, expected] of stored) assert.equal(headers['cache-control'], expected)
    })
  })
}
