import asyncHooks from 'node:async_hooks'

import { recordTimes } from './test-times.ts'

/**
 * Loaded by every test process before `node:test`. The test runner follows every promise, to find the test that an uncaught error
 * belongs to; that takes an eighth of the CPU time. Without it such an error still fails the file, and timers and sockets are still
 * followed.
 */
const { createHook } = asyncHooks
asyncHooks.createHook = (hooks) => createHook({ ...hooks, trackPromises: false })

await recordTimes(process.env['TEST_TIMES'])
