import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { coverageProblems, expand, provenIn, ruleIdsIn } from './spec-coverage.ts'

/** The implemented statements, by their ids in docs/spec-rules.md. Each must be in the title of a test. */
const finished = [
  'GEN-01…GEN-58',
  'CFG-01…CFG-22',
  'DEV-01…DEV-24',
  'MON-01…MON-09',
  'AUD-01…AUD-03',
  'AGE-01…AGE-09',
  'OWN-01…OWN-04',
  'NWS-01…NWS-03',
  'BAN-01…BAN-17',
  'APL-01…APL-06',
  'PLY-01…PLY-08',
  'SES-01…SES-20',
  'TRF-01…TRF-03',
  'TOK-01…TOK-02',
  'AUT-01…AUT-30',
  'OAU-01…OAU-23',
  'SAV-01…SAV-17',
  'STA-01…STA-20',
  'HST-01…HST-12',
  'FUN-01…FUN-19',
  'WSK-01…WSK-25',
  'ROM-01…ROM-21',
  'P2P-01…P2P-08',
  'CHN-01…CHN-26',
  'SHR-01…SHR-19',
  'VOI-01…VOI-13',
  'DSH-01…DSH-86',
  'DOC-01…DOC-17',
  'LDB-01…LDB-23',
  'ERR-01…ERR-06',
  'OPS-01…OPS-88',
  'AGT-01…AGT-61',
  'TEA-01…TEA-29',
  'RWC-01…RWC-132',
]

const later = {
  'SES-13': 'what a client does after a race: comes with the SDK',
  'SES-14': 'what a client does with an expired token: comes with the SDK',
}

const root = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

const ids = ruleIdsIn(read('docs/spec-rules.md'))
// This file contains planted faults.
const testFiles = globSync('{packages,scripts,bench}/**/*.test.ts', {
  cwd: root,
  exclude: (path) => path.endsWith('node_modules'),
}).filter((path) => !path.endsWith('spec-coverage.test.ts'))

test('every statement of a finished part is named by a test, and every id in a test name exists', () => {
  const proven = testFiles.flatMap((path) => provenIn(read(path)))

  assert.deepEqual(coverageProblems({ ids, finished, later, proven }), [])
})

test('the list of statements and the tests were found', () => {
  assert.ok(ids.length > 300, `${ids.length} statements`)
  assert.ok(testFiles.length > 10, `${testFiles.length} test files`)
})

test('ids are read at the beginning of test names', () => {
  assert.deepEqual(provenIn(`test('[GEN-08] [GEN-22] both', () => {})`), ['GEN-08', 'GEN-22'])
  assert.deepEqual(provenIn('for (const [name] of [[`[SAV-04] a stale version`]]) test(name)'), ['SAV-04'])
  assert.deepEqual(provenIn(`test.skip('[GEN-08] not now', () => {})`), [])
  assert.deepEqual(provenIn(`// GEN-08 is proven elsewhere`), [])
})

test('a range expands to all existing ids between its ends', () => {
  assert.deepEqual(expand(['AAA-02…AAA-04', 'BBB-01'], ['AAA-01', 'AAA-02', 'AAA-04', 'BBB-01']), [
    'AAA-02',
    'AAA-04',
    'BBB-01',
  ])
  assert.deepEqual(expand(['AAA-02…AAA-99'], ['AAA-10', 'AAA-100']), ['AAA-10'])
})

test('a planted fault is found', () => {
  const sound = {
    ids: ['AAA-01', 'AAA-02'],
    finished: ['AAA-01…AAA-02'],
    later: { 'AAA-02': 'soon' },
    proven: ['AAA-01'],
  }

  assert.deepEqual(coverageProblems(sound), [])
  assert.deepEqual(coverageProblems({ ...sound, proven: [] }), ['AAA-01 is finished, but no test names it'])
  assert.deepEqual(coverageProblems({ ...sound, proven: ['AAA-01', 'AAA-09'] }), [
    'a test names AAA-09, which is not in docs/spec-rules.md',
  ])
  assert.deepEqual(coverageProblems({ ...sound, later: { ...sound.later, 'AAA-09': 'soon' } }), [
    'AAA-09 is put off, but does not exist',
  ])
  assert.deepEqual(coverageProblems({ ...sound, finished: [...sound.finished, 'ZZZ-01'] }), [
    'ZZZ-01 names nothing',
  ])
  assert.deepEqual(coverageProblems({ ...sound, ids: [...sound.ids, 'AAA-01'] }), ['numbered twice: AAA-01'])
})
