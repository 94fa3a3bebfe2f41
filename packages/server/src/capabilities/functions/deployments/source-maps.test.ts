import assert from 'node:assert/strict'
import { test } from 'node:test'

import { LIMITS } from '@svc/contract/common/limits'

import { deployFunctions, deploymentOf, startFunctionsService } from '../../../testing/deployed-functions.ts'
import { browserFor } from '../../../testing/hosted-apps.ts'
import { suite } from '../../../testing/suite.ts'

const FUNCTIONS = '/v1/admin/functions'
const CODE = 'export default { fetch: (request, env) => env.FILES.fetch(request) }'
const MAP = '{"version":3,"sources":["src/é.ts"],"mappings":"AAAA"}'
const files = [{ path: 'index.html', content: Buffer.from('<p>hello</p>').toString('base64') }]
const withFiles = { bindings: [{ type: 'assets', name: 'FILES' }], assets: { files } }

suite('source maps', { features: {}, start: startFunctionsService }, ({ service, project }) => {
  const mapOf = (version: number | string) =>
    project.development.server('GET', `${FUNCTIONS}/deployments/${version}/source-map`)

  test('[DSH-43] a source map is stored with its version, and comes back as it was sent, also after a rollback', async () => {
    const { server } = project.development
    const { version } = await deployFunctions(project.development, CODE, { ...withFiles, sourceMap: MAP })
    await deployFunctions(project.development, CODE, withFiles)
    const visit = await browserFor(service)
    const page = () => visit(`${project.slug}--dev--fn`, '/')
    assert.equal((await page()).text, '<p>hello</p>')
    const again = await server('POST', `${FUNCTIONS}/deployments`, { fromVersion: version })
    assert.equal(again.status, 201)
    assert.equal((await page()).text, '<p>hello</p>', 'the files are complete')

    const { deployments } = (await server('GET', `${FUNCTIONS}/deployments`)).body
    assert.deepEqual(
      deployments.map(({ hasSourceMap }: { hasSourceMap: boolean }) => hasSourceMap),
      [true, false, true],
    )
    for (const one of [version, again.body.version])
      assert.deepEqual((await mapOf(one)).body, { sourceMap: MAP })
    for (const none of [version + 1, 99, 2_147_483_647, 2_147_483_648]) {
      const { status, body } = await mapOf(none)
      assert.deepEqual([status, body.error.code], [404, 'deployment_not_found'])
    }
    for (const wrong of [0, -1, 'x']) assert.equal((await mapOf(wrong)).status, 400)
    const other = await service.newProject()
    const path = `${FUNCTIONS}/deployments/${version}/source-map`
    assert.equal((await other.development.server('GET', path)).status, 404)
    assert.equal((await project.production.server('GET', path)).status, 404)
  })

  test('[DSH-43] a source map has at most 4,000,000 bytes', async () => {
    const { server } = project.development
    const send = (sourceMap: unknown) =>
      server('POST', `${FUNCTIONS}/deployments`, deploymentOf(CODE, { ...withFiles, sourceMap }))
    const full = 'x'.repeat(LIMITS.functionsSourceMapBytesMax)
    const accepted = await send(full)
    assert.equal(accepted.status, 201)
    assert.equal((await mapOf(accepted.body.version)).body.sourceMap.length, full.length)
    for (const long of [`${full}x`, `${full.slice(1)}é`]) {
      const { status, body } = await send(long)
      assert.equal(status, 400)
      assert.deepEqual(body.error.details.errors, [
        { path: '$.sourceMap', message: 'sourceMap must have at most 4000000 bytes' },
      ])
    }
    assert.equal((await send({})).status, 400)
    const { status } = await server('POST', `${FUNCTIONS}/deployments`, { fromVersion: 1, sourceMap: MAP })
    assert.equal(status, 400)
  })
})
