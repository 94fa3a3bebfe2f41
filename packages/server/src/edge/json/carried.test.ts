import assert from 'node:assert/strict'
import { test } from 'node:test'

import { nestedJson, ODD_JSON } from '../../testing/json-text.ts'
import { carriedMember, carriedMembers } from './carried.ts'

const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const refusedAt = (path: string) => ({
  code: 'invalid_request',
  details: { errors: [{ path, message: `${path.slice(2)} must not be nested deeper than 512 levels` }] },
})

test('[SAV-05] a carried member is the text that was sent', () => {
  for (const text of ODD_JSON) {
    assert.equal(carriedMember(`{"a":1,"data" : ${text} }`, 'data'), text)
    assert.deepEqual(carriedMembers(`{"patch":{"__proto__":${text},"b":1}}`, 'patch'), [
      ['__proto__', text],
      ['b', '1'],
    ])
  }
  assert.equal(carriedMember('{"a":1}', 'data'), undefined)
})

test('[SAV-05] it may be nested up to 512 levels, whatever other members or its strings contain', () => {
  for (const levels of [513, 100_000])
    for (const text of [nestedJson(levels), objects(levels), `[0,"]",${nestedJson(levels - 1)}]`]) {
      assert.throws(() => carriedMember(`{"data":${text}}`, 'data'), refusedAt('$.data'))
      assert.throws(() => carriedMembers(`{"patch":{"a":1,"b":${text}}}`, 'patch'), refusedAt('$.patch.b'))
    }
  const wide = `[${Array.from({ length: 1_000 }, () => '[{}]').join()}]`
  for (const text of [nestedJson(512), objects(512), wide, JSON.stringify('['.repeat(2_000)), '"\\"[["'])
    assert.equal(carriedMember(`{"data":${text}}`, 'data'), text)
})

test('[ROM-15] of several members with one name the last one counts, in any spelling', () => {
  const text = '{"patch":{"z":0},"patch":{ "a":1,"b" : [ 2 ],"\\u0061":null, "" : "" }}'
  assert.deepEqual(carriedMembers(text, 'patch'), [
    ['a', 'null'],
    ['b', '[ 2 ]'],
    ['', '""'],
  ])
  assert.deepEqual(carriedMembers('{"patch": { } }', 'patch'), [])
})
