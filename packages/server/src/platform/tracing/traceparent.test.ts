import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readTraceparent, writeTraceparent } from './traceparent.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

test('[OPS-44] a valid traceparent is read, with its flag', () => {
  assert.deepEqual(readTraceparent(`00-${TRACE}-${SPAN}-01`), {
    traceId: TRACE,
    spanId: SPAN,
    isSampled: true,
  })
  assert.equal(readTraceparent(`00-${TRACE}-${SPAN}-00`)?.isSampled, false)
  assert.equal(readTraceparent(`00-${TRACE}-${SPAN}-03`)?.isSampled, true)
  assert.equal(readTraceparent(`00-${TRACE}-${SPAN}-02`)?.isSampled, false)
  // A later version may add fields.
  assert.equal(readTraceparent(`cc-${TRACE}-${SPAN}-01-what-the-future-adds`)?.traceId, TRACE)
  assert.equal(readTraceparent(`cc-${TRACE}-${SPAN}-01`)?.traceId, TRACE)
})

test('[OPS-44] an invalid traceparent is ignored', () => {
  for (const header of [
    undefined,
    '',
    'x',
    ['00', TRACE],
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-01-`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.slice(1)}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-0g`,
    ` 00-${TRACE}-${SPAN}-01`,
    `cc-${TRACE}-${SPAN}-01.more`,
    `00-${TRACE}-${SPAN}-01\n`,
  ])
    assert.equal(readTraceparent(header), undefined, String(header))
})

test('[OPS-44] what is written can be read', () => {
  for (const isSampled of [true, false]) {
    const parent = { traceId: TRACE, spanId: SPAN, isSampled }
    assert.deepEqual(readTraceparent(writeTraceparent(parent)), parent)
  }
})
