import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { engines } from '../../src/testing/service.ts'
import { REQUESTS } from './frame-generators.ts'
import { fuzzFrames } from './frames-run.ts'

// The short form. The long form is `node --conditions=source packages/server/test/fuzz/frames.ts --frames 50000`.

const FRAME_COUNT = 1_500
const seed = 1

for (const engine of engines) {
  describe(`hostile frames and bytes against a server program on ${engine}`, () => {
    test('[WSK-01] [WSK-07] [WSK-08] [WSK-10] every input is answered as the contract says or closes the connection with the right code, and other players are not affected', async (t) => {
      const report = await fuzzFrames({ engine, frames: FRAME_COUNT, seed })

      t.diagnostic(
        `seed ${seed}, ${report.frames} frames, ${report.attacks} byte attacks, ${report.messages} messages delivered`,
      )
      assert.equal(report.problems.length, 0, `seed ${seed}\n${report.problems.slice(0, 10).join('\n')}`)
      assert.ok(report.messages > 0 && (report.byCode.get('ok') ?? 0) > FRAME_COUNT / 20)
      const unsent = REQUESTS.filter(({ t: type }) => !report.byFrame.has(type))
      assert.deepEqual(unsent, [])
    })
  })
}
