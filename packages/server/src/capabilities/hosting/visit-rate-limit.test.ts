import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { deploy, newApp, browserFor } from '../../testing/hosted-apps.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

const PER_MINUTE = 3
/** Too large for the cache in memory. */
const LARGE = Buffer.alloc(1_200_000, 'large ')

for (const engine of engines) {
  describe(`[GEN-13] visits from one client address on ${engine}`, () => {
    let service: Service
    let visit: Awaited<ReturnType<typeof browserFor>>
    before(async () => {
      service = await startService(engine, { settings: { SVC_LIMIT_PUBLIC_PER_MINUTE: String(PER_MINUTE) } })
      visit = await browserFor(service)
    })
    after(() => service.stop())

    test('visits above the limit are rejected for a while', async () => {
      const { slug, production } = await newApp(service)
      await deploy(service, production, { 'index.html': 'home' })
      for (let i = 0; i < PER_MINUTE; i++) assert.equal((await visit(slug, '/')).status, 200)
      const { status, headers } = await visit(slug, '/')
      assert.equal(status, 429)
      assert.ok(Number(headers['retry-after']) > 0)
    })

    test('unknown hosts share one limit, which does not affect apps', async () => {
      const { slug, production } = await newApp(service)
      await deploy(service, production, { 'index.html': 'home' })
      for (const label of ['nobody', 'a.b', 'nobody-else--dev'])
        assert.equal((await visit(label, '/')).status, 404, label)
      const { status, headers } = await visit('yet-another', '/')
      assert.equal(status, 429)
      assert.ok(Number(headers['retry-after']) > 0)
      assert.equal((await visit(slug, '/')).status, 200)
    })

    test('a visit that is looked up twice, because its file was removed in between, counts once', async () => {
      const { id, slug, production } = await newApp(service)
      await deploy(service, production, { 'large.bin': LARGE })
      assert.equal((await visit(slug, '/large.bin')).status, 200)
      await deploy(service, production, { 'index.html': 'home' }, { activate: false })
      // As on a node that missed the message: another version is live, and the file of the old one was swept.
      await service.db.transaction(async (t) => {
        const next = await t.search((q) =>
          q
            .selectFrom('hosting_deployments')
            .select(['id', 'environmentId', 'version'])
            .where('projectId', '=', id)
            .where('version', '=', 2),
        )
        for (const { id: deploymentId, environmentId, version } of next)
          await t.search((q) =>
            q
              .updateTable('hosting_live')
              .set({ deploymentId, version })
              .where('environmentId', '=', environmentId),
          )
      })
      for await (const key of service.blobs.list(`${id}/`))
        if (((await service.blobs.stat(key))?.size ?? 0) === LARGE.length) await service.blobs.remove(key)

      assert.equal((await visit(slug, '/large.bin')).status, 404)
      assert.equal((await visit(slug, '/')).text, 'home')
    })
  })
}
