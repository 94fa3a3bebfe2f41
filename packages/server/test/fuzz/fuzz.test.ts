import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { addressesOf } from '@svc/contract/common/endpoint'
import { endpointList } from '@svc/contract/common/endpoints'

import { engines } from '../../src/testing/service.ts'
import { fuzz } from './fuzz-run.ts'

// The short form. The long form is `node --conditions=source packages/server/test/fuzz/fuzz.ts --requests 20000`.

const REQUESTS = 12 * endpointList.length
const seed = 1
const addressCount = endpointList.flatMap(addressesOf).length

for (const engine of engines) {
  describe(`requests generated from the contract on ${engine}`, () => {
    test('[GEN-22] [GEN-06] [GEN-10] [GEN-23] every request is answered as the contract says, and other tenants are not affected', async (t) => {
      const report = await fuzz({ engine, requests: REQUESTS, seed })

      t.diagnostic(`seed ${seed}, ${report.requests} requests, slowest ${Math.round(report.slowestMs)} ms`)
      assert.equal(report.problems.length, 0, `seed ${seed}\n${report.problems.slice(0, 10).join('\n')}`)
      const succeeded = report.byTarget.filter(({ byClass }) => byClass['2xx'])
      assert.ok(
        // About half: some depend on what another request left behind, and when.
        succeeded.length > addressCount * 0.45,
        `only ${succeeded.length} of ${report.byTarget.length} targets, ${addressCount} addresses`,
      )
      assert.deepEqual(
        endpointList
          .map(({ name }) => name)
          .filter((name) => !report.byTarget.some(({ target }) => target === name)),
        [],
      )
    })
  })
}
