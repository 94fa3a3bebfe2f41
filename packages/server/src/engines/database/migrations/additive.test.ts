import assert from 'node:assert/strict'
import { test } from 'node:test'

import { compareVersions } from '../../../platform/versions.ts'
import { VERSION } from '../../../version.ts'
import { type Migration, migrations } from './index.ts'

/** What the version before could not run on. */
const REMOVES = [
  // Without an index a version is slower, and still runs. The migration adds another one for what it needs.
  /\bdrop\b(?!\s+index\b)/i,
  /\brename\b/i,
  /\balter\s+column\b/i,
  /\badd\s+constraint\b/i,
  /\bdelete\s+from\b/i,
  /\btruncate\b/i,
  // Rows of the version before would have no value.
  /\badd\s+column\b(?=.*\bnot\s+null\b)(?!.*\bdefault\b)/is,
]
const UNIQUE_INDEX = /\bcreate\s+unique\s+index\b.*?\bon\s+"?(\w+)/is

const minorOf = (version: string) => version.replace(/\.\d+\D*$/, '.0')

/** Compares the migrations with the rule that the version before runs on the schema of this one. */
function problemsOf(all: readonly Migration[], version: string): string[] {
  let oldest = '0.0.0'
  return all.flatMap(({ name, statements, oldestVersion }) => {
    const problems = []
    if (oldestVersion === undefined && statements.some((sql) => removes(sql, statements)))
      problems.push(
        `${name} drops or changes something, so nodes of the version before would fail. Leave it in the schema until the next minor version, and then set \`oldestVersion\` to the first version that does not use it.`,
      )
    if (oldestVersion !== undefined && compareVersions(oldestVersion, minorOf(version)) >= 0)
      problems.push(
        `${name} has oldestVersion ${oldestVersion}, so the minor version before ${version} could not run beside it. Do this one minor version later.`,
      )
    if (oldestVersion !== undefined && compareVersions(oldestVersion, oldest) < 0)
      problems.push(
        `${name} has oldestVersion ${oldestVersion}, older than ${oldest} of a migration before it.`,
      )
    oldest = oldestVersion ?? oldest
    return problems
  })
}

function removes(sql: string, statements: readonly string[]): boolean {
  const [, table] = UNIQUE_INDEX.exec(sql) ?? []
  // On a table that exists, rows of the version before may break it.
  if (
    table !== undefined &&
    !statements.some((other) => new RegExp(`create table "?${table}"? `, 'i').test(other))
  )
    return true
  return REMOVES.some((pattern) => pattern.test(sql))
}

test('[OPS-37] migrations only add, so that the version before runs on the new schema', () => {
  assert.deepEqual(problemsOf(migrations, VERSION), [])
})

test('[OPS-37] a planted fault is found: a migration that drops, unless it is marked and one minor version late', () => {
  const drop: Migration = { name: '0099-later', statements: ['alter table saves drop column size'] }
  const future = [...migrations, drop]
  assert.match(String(problemsOf(future, '0.2.0')), /^0099-later drops or changes something.*`oldestVersion`/)
  const marked = (oldestVersion: string) => [...migrations, { ...drop, oldestVersion }]
  assert.match(String(problemsOf(marked('0.2.0'), '0.2.0')), /one minor version later\.$/)
  assert.match(String(problemsOf(marked('0.2.0'), '0.2.5')), /one minor version later\.$/)
  assert.deepEqual(problemsOf(marked('0.2.0'), '0.3.0'), [])
  assert.deepEqual(problemsOf(marked('0.2.0'), '1.0.0'), [])
  assert.match(
    String(
      problemsOf([...marked('0.2.0'), { name: '0100', statements: [], oldestVersion: '0.1.0' }], '0.3.0'),
    ),
    /^0100 has oldestVersion 0\.1\.0, older than 0\.2\.0/,
  )

  const faults = [
    'drop table saves',
    'alter table saves rename column size to bytes',
    'alter table saves alter column size type text',
    'alter table saves add column more text not null',
    'create unique index saves_size on saves (size)',
    'alter table saves add constraint positive check (size > 0)',
    'delete from saves',
  ]
  for (const sql of faults)
    assert.equal(problemsOf([{ name: '0099', statements: [sql] }], '0.2.0').length, 1, sql)
  const harmless = [
    'alter table saves add column more text',
    `alter table saves add column more text not null default ''`,
    'create index saves_size on saves (size)',
    'drop index saves_size',
    'create table more (id text primary key)',
    'create unique index more_id on more (id)',
  ]
  assert.deepEqual(problemsOf([{ name: '0099', statements: harmless }], '0.2.0'), [])
})
