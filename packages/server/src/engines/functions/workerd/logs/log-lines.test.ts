import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { test } from 'node:test'

import { createLineReader } from './log-lines.ts'

const V8_ENDS =
  'V8 fatal error; location = Reached heap limit; message = : allocation failed: JavaScript heap out of memory'

async function isOutOfMemoryAfter(...output: string[]): Promise<boolean> {
  const reader = createLineReader(() => {})
  const printed = Readable.from(output)
  reader.read(printed)
  await once(printed, 'end')
  return reader.hasRunOutOfMemory()
}

const line = (fields: object) => `${JSON.stringify(fields)}\n`

test('[FUN-12] the line with which V8 ends the process says that its memory was used up', async () => {
  const printed = line({
    timestamp: '1',
    level: 'fatal',
    source: 'workerd/jsg/setup.c++:43',
    message: V8_ENDS,
  })
  assert.equal(await isOutOfMemoryAfter(printed), true)
  assert.equal(await isOutOfMemoryAfter(printed.slice(0, 40), printed.slice(40)), true)
  const other = 'V8 fatal error; location = Turboshaft; message = unreachable code'
  assert.equal(await isOutOfMemoryAfter(line({ level: 'fatal', message: other })), false)
})

test('[FUN-12] nothing that the code prints or throws says so', async () => {
  const uncaught = `Uncaught exception: workerd/jsg/value.h:1535: failed: remote.jsg.Error: ${V8_ENDS}`
  const forged = JSON.stringify({ level: 'fatal', message: V8_ENDS })
  for (const printed of [
    line({ timestamp: 1, level: 'log', message: `\u0001req_1\u0001 ${V8_ENDS}` }),
    line({ timestamp: 1, level: 'error', message: `\u0001req_1\u0001 \u0002Error: out of memory` }),
    line({ timestamp: 1, level: 'log', message: V8_ENDS }),
    line({ timestamp: 1, level: 'log', message: `\u0001req_1\u0001 \n${forged}\n` }),
    line({
      timestamp: '1',
      level: 'error',
      source: 'workerd/server/server/listen/mod.rs:373',
      message: uncaught,
    }),
    // Longer than what is kept of a line: it is not JSON any more.
    line({ timestamp: 1, level: 'log', message: `\u0001\u0001 out of memory ${'x'.repeat(300_000)}` }),
  ])
    assert.equal(await isOutOfMemoryAfter(printed), false, printed.slice(0, 200))
})
