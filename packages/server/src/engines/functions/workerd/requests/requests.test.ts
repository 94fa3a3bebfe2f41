import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'

import type { WorkInProgress } from '../limits/work.ts'
import { HttpClient } from './http-client/http-client.ts'
import { sendRequest } from './requests.ts'
import { sendUpgrade } from './upgrades.ts'

test('a request or an upgrade whose path HTTP does not allow frees its slot', async () => {
  const work: WorkInProgress = new Map()
  let ends = 0
  const options = {
    work,
    cpuLimitNs: 1e9,
    answerDueAt: Infinity,
    noteProgress() {},
    onEnd: () => void ends++,
    follow: () => assert.fail('nothing was sent'),
    failureOf: async () => undefined,
  }
  const request = { method: 'GET', path: '/a b', headers: {}, requestId: 'req_1' }
  const refused = { name: 'TypeError' }

  await assert.rejects(
    sendRequest({ ...request, body: null }, new HttpClient('/none.sock', 1_000), options),
    refused,
  )
  assert.deepEqual([ends, work.size], [1, 0])
  const upgrade = { ...request, responseHeaders: () => [] }
  const onOpen = () => assert.fail('nothing was sent')
  const sending = sendUpgrade(upgrade, new PassThrough(), Buffer.alloc(0), {
    ...options,
    socketPath: '/none.sock',
    onOpen,
  })
  await assert.rejects(sending, refused)
  assert.deepEqual([ends, work.size], [2, 0])
})
