import assert from 'node:assert/strict'
import { test } from 'node:test'

import { messageOf, messageTemplateOf } from './error-messages.ts'
import { type ErrorCode, ERRORS } from './errors.ts'

const codes = Object.keys(ERRORS) as ErrorCode[]
const VALUE = /\{(\w+)\}/g
const valuesOf = (code: ErrorCode) => [...ERRORS[code].message.matchAll(VALUE)].map(([, name = '']) => name)

test('[ERR-04] a message contains the values of its details', () => {
  assert.equal(
    messageOf('join_refused', { reason: 'Not your turn' }),
    'The room refused this player: Not your turn.',
  )
  assert.equal(
    messageOf('role_required', { role: 'viewer', requiredRole: 'developer' }),
    'Your role in this project, viewer, does not allow this; it needs developer. Ask an admin or the owner of the project.',
  )
  assert.equal(
    messageOf('invalid_config', {
      errors: ['a', 'b', 'c', 'd', 'e'].map((path) => ({ message: `${path} is wrong` })),
    }),
    'The config document has problems: a is wrong; b is wrong; c is wrong; 2 more. Nothing was changed.',
  )
})

test('[ERR-04] no message names a field of the details, with and without the values', () => {
  for (const code of codes) {
    const details = Object.fromEntries(valuesOf(code).map((name) => [name, 'VALUE']))
    const full = messageOf(code, details)
    assert.equal(full.split('VALUE').length - 1, valuesOf(code).length, code)
    for (const text of [
      full,
      messageOf(code),
      messageOf(code, {}),
      messageOf(code, { reason: null, limit: {} }),
    ]) {
      assert.doesNotMatch(text, /details\.|[[\]{}]|undefined|null| \.$|\s\s|^\s|\s$/, `${code}: ${text}`)
      assert.match(text, /[.?!…]$/, code)
    }
    assert.doesNotMatch(messageTemplateOf(code), /[[\]]|details\./, code)
  }
})

test('[ERR-05] a value in a message is bounded, and a terminal obeys none of it', () => {
  for (const code of codes.filter((one) => valuesOf(one).length > 0))
    for (const value of [
      'x'.repeat(10_240),
      '\u0000'.repeat(10_240),
      ['😀'.repeat(5_000), 'b'],
      [{ message: 'y'.repeat(10_240) }],
    ]) {
      const details = Object.fromEntries(valuesOf(code).map((name) => [name, value]))
      assert.ok(messageOf(code, details).length < 1_500, code)
    }
  const hostile = messageOf('join_refused', { reason: '\u001b[2J\u202e{limit}[a]\r\nok\ud800' })
  assert.equal(hostile, 'The room refused this player: \ufffd[2J\ufffd{limit}[a]\ufffd\ufffdok\ufffd.')
})
