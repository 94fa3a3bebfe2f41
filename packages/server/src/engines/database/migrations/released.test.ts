import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { checksumOf } from '../migrate.ts'
import { type Migration, migrations } from './index.ts'

type Released = Record<string, string>

const released = JSON.parse(readFileSync(join(import.meta.dirname, 'released.json'), 'utf8')) as Released

/** Compares the migrations with the list of released ones, in which each has a line with its name and checksum. */
function problemsOf(all: readonly Migration[], lines: Released): string[] {
  const names = Object.keys(lines)
  const problems = names.flatMap((name, position) => {
    const migration = all[position]
    if (migration?.name !== name)
      return `${name} was removed, renamed or moved. Databases have applied it: put it back, and add a new migration.`
    if (checksumOf(migration) !== lines[name])
      return `${name} was changed. Databases have applied it as it was: restore it, and add a new migration with the change.`
    return []
  })
  const added = all.filter(({ name }) => !names.includes(name))
  return problems.concat(
    added.map(
      (one) => `released.json needs a last line for ${one.name}: "${one.name}": "${checksumOf(one)}"`,
    ),
  )
}

test('a released migration is never changed; a new one has a line in released.json', () => {
  assert.deepEqual(problemsOf(migrations, released), [])
})

test('migrations are numbered in order and have the names of their files', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => /^\d.*(?<!\.test)\.ts$/.test(name))
  assert.deepEqual(
    migrations.map(({ name }) => `${name}.ts`),
    files.toSorted(),
  )
  for (const [position, { name }] of migrations.entries())
    assert.equal(name.slice(0, 5), `${String(position + 1).padStart(4, '0')}-`)
})

test('a planted fault is found: a released migration that was changed, removed or moved', () => {
  const migration = (name: string): Migration => ({
    name,
    statements: [`create table t (id text) -- ${name}`],
  })
  const [one, two, three] = [migration('0001-one'), migration('0002-two'), migration('0003-three')]
  const linesOf = (...all: Migration[]): Released =>
    Object.fromEntries(all.map((each) => [each.name, checksumOf(each)]))
  const lines = linesOf(one, two)
  const changed = { ...two, statements: [...two.statements, 'create table more (id text)'] }

  assert.deepEqual(problemsOf([one, two], lines), [])
  assert.match(
    String(problemsOf([one, changed], lines)),
    /^0002-two was changed\. .* add a new migration with the/,
  )
  assert.match(
    String(problemsOf([one], lines)),
    /^0002-two was removed, renamed or moved\. .* add a new migration\.$/,
  )
  assert.equal(problemsOf([two, one], lines).length, 2)
  assert.match(
    String(problemsOf([one, two, three], lines)),
    /needs a last line for 0003-three: "0003-three": "/,
  )
  assert.deepEqual(problemsOf([one, two, three], linesOf(one, two, three)), [])
})
