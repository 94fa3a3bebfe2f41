import assert from 'node:assert/strict'
import { test } from 'node:test'

import { newApp, sha256Of } from '../../testing/hosted-apps.ts'
import { engines, startService } from '../../testing/service.ts'

/** More than one query returns. */
const MANY = 501

for (const engine of engines) {
  test(`[HST-04] on ${engine}: one sweep removes all blobs marked for removal, whatever their number`, async (t) => {
    const service = await startService(engine)
    t.after(() => service.stop())
    const { id: projectId } = await newApp(service)
    const rows = Array.from({ length: MANY }, (_, i) => ({
      key: `${projectId}/${sha256Of(`${i}`)}.${i}`,
      projectId,
      sha256: sha256Of(`${i}`),
      size: 1,
      state: 'removing',
      changedAt: '',
      brSize: null,
      gzSize: null,
    }))
    await service.db.transaction((work) => work.search((q) => q.insertInto('hosting_blobs').values(rows)))
    await service.hosting.sweep()
    const left = await service.db.search((q) => q.selectFrom('hosting_blobs').select('key'))
    assert.deepEqual(left, [])
  })
}
