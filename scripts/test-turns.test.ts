import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'

import { provenIn } from '../packages/server/test/spec-coverage.ts'
import { isTurnOfFile, takesTurns, TURNS } from './test-turns.ts'

const root = resolve(import.meta.dirname, '..')
const files = globSync('packages/*/{src,test}/**/*.test.ts', { cwd: root })
const parts = TURNS.length
const digits = (number: number) => number.toString(16).padStart(8, '0')
const firstDigits = Array.from({ length: 12 }, (_, number) => digits(number))
const commits = firstDigits.flatMap((first) =>
  Array.from({ length: parts }, (_, number) => `${first}${digits(number)}`),
)

test('every file of the lists exists, and is in one of them', () => {
  const listed = TURNS.flat()
  assert.deepEqual(
    listed.filter((file) => !files.includes(file)),
    [],
  )
  assert.equal(new Set(listed).size, listed.length)
})

test('every commit runs one of the lists, and all other files', () => {
  for (const commit of commits) {
    const run = TURNS.filter((list) => list.every((file) => isTurnOfFile(file, commit)))
    const others = TURNS.filter((list) => list.every((file) => !isTurnOfFile(file, commit)))
    assert.deepEqual([run.length, others.length], [1, parts - 1])
    assert.ok(files.every((file) => takesTurns(file) || isTurnOfFile(file, commit)))
  }
})

test('every list is run, whatever the first digits of the commit are, which choose the turns in a file', () => {
  for (const first of firstDigits)
    for (const list of TURNS)
      assert.ok(commits.some((commit) => commit.startsWith(first) && isTurnOfFile(list[0] ?? '', commit)))
})

test('every rule that these files test is also tested by a file that always runs', () => {
  const rulesOf = (some: string[]) =>
    new Set(some.flatMap((file) => provenIn(readFileSync(resolve(root, file), 'utf8'))))
  const always = rulesOf(files.filter((file) => !takesTurns(file)))
  assert.deepEqual(
    [...rulesOf(files.filter(takesTurns))].filter((rule) => !always.has(rule)),
    [],
  )
})
