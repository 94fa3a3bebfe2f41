import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { pino } from 'pino'

import { readableLogs } from './lines.ts'

function logger({ hasColors = false } = {}) {
  const lines: string[] = []
  return {
    log: pino(
      { level: 'trace' },
      readableLogs((text) => lines.push(text), { hasColors }),
    ),
    lines,
  }
}

describe('log lines in a terminal', () => {
  test('a request shows its time, method, route, status and duration', () => {
    const { log, lines } = logger()
    log.debug({ requestId: 'req_1', method: 'POST', route: '/v1/auth/guest', status: 200, ms: 4 })
    log.debug({ requestId: 'req_2', method: 'GET', status: 404, ms: 0 })
    assert.match(lines[0] ?? '', /^\d\d:\d\d:\d\d POST \/v1\/auth\/guest 200 4 ms\n$/)
    assert.match(lines[1] ?? '', /^\d\d:\d\d:\d\d GET \(no route\) 404 0 ms\n$/)
  })

  test('a warning shows its sign and fields, an error its request and stack trace', () => {
    const { log, lines } = logger()
    log.info({ signal: 'SIGTERM' }, 'stopping')
    log.warn({ to: 1, problem: 'no\nroute' }, 'mail not delivered')
    log.error({ err: new Error('broken'), requestId: 'req_3', route: '/v1/saves/:key' }, 'internal_error')
    assert.match(lines[0] ?? '', /^\S{8} stopping {2}signal: SIGTERM\n$/)
    assert.match(lines[1] ?? '', /^\S{8} ! mail not delivered {2}to: 1 {2}problem: no route\n$/)
    assert.match(
      lines[2] ?? '',
      /^\S{8} ✖ internal_error {2}route: \/v1\/saves\/:key {2}requestId: req_3\n {9}Error: broken\n {9} {4}at /,
    )
  })

  test('texts of users cannot control the terminal', () => {
    const { log, lines } = logger()
    log.warn({ name: '\u001b[2J\u202eevil' }, 'strange')
    for (const code of ['\u001b', '\u202e']) assert.ok(!lines[0]?.includes(code))
  })

  test('colors only if they are turned on', () => {
    const { log, lines } = logger({ hasColors: true })
    log.error('red')
    assert.ok(lines[0]?.includes('\u001b[31m✖'))
  })
})
