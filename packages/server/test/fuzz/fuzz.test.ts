import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { endpointList } from '@svc/contract/endpoints'

import { engines } from '../../src/testing/service.ts'
import { fuzz } from './fuzz-run.ts'

// The short form. The long form is `node --conditions=source packages/server/test/fuzz/fuzz.ts --requests 20000`.

const REQUESTS = 800
const seed = 1
for (const engine of engines) {
  describe(`requests generated from the contract on ${engine}`, () => {
    test('[GEN-22] [GEN-06] [GEN-10] [GEN-23] every request is answered as the contract says, and other tenants are not affected', async (t) => {
      const report = await fuzz({ engine, requests: REQUESTS, seed })

      t.diagnostic(`seed ${seed}, ${report.requests} requests, slowest ${Math.round(report.slowestMs)} ms`)
      assert.equal(report.problems.length, 0, `seed ${seed}\n${report.problems.slice(0, 10).join('\n')}`)
      const succeeded = report.byTarget.filter(({ byClass }) => byClass['2xx'])
      assert.ok(succeeded.length > report.byTarget.length / 2, 'hardly any of the requests were good ones')
      assert.deepEqual(
        endpointList
          .map(({ name }) => name)
          .filter((name) => !report.byTarget.some(({ target }) => target === name)),
        [],
      )
    })
  })
}
