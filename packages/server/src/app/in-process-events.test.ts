import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createInProcessEvents } from './in-process-events.ts'

test('handlers run one after the other, in the order of their registration, before emit resolves', async () => {
  const events = createInProcessEvents()
  const calls: string[] = []
  events.on('leaderboards.left', async (environmentId) => {
    await Promise.resolve()
    calls.push(`first ${environmentId}`)
  })
  events.on('leaderboards.left', (environmentId) => calls.push(`second ${environmentId}`))
  events.on('environment.purged', () => calls.push('another event'))

  await events.emit('leaderboards.left', 'env_1')

  assert.deepEqual(calls, ['first env_1', 'second env_1'])
})

test('emit rejects with the first error, and later handlers do not run', async () => {
  const events = createInProcessEvents()
  const calls: string[] = []
  events.on('environment.purging', async () => {
    throw new Error('no connection')
  })
  events.on('environment.purging', () => calls.push('second'))

  await assert.rejects(events.emit('environment.purging', 'env_1'), /no connection/)

  assert.deepEqual(calls, [])
})

test('an event without handlers is ignored', async () => {
  await createInProcessEvents().emit('usage.charging')
})
