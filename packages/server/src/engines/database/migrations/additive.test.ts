import assert from 'node:assert/strict'
import { test } from 'node:test'

import { compareVersions } from '../../../platform/versions.ts'
import { VERSION } from '../../../version.ts'
import { type Migration, migrations } from './index.ts'

/** What the version before could not run on. */
const REMOVES = [
  /\bdrop\b/i,
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
    if (oldestVersion === undefined && statements.some((sql) => removes(sql, statements, all)))
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

function removes(sql: string, statements: readonly string[], all: readonly Migration[]): boolean {
  if (isReplacedIndex(sql, statements, all)) return false
  const [, table] = UNIQUE_INDEX.exec(sql) ?? []
  // On a table that exists, rows of the version before may break it.
  if (
    table !== undefined &&
    !statements.some((other) => new RegExp(`create table "?${table}"? `, 'i').test(other))
  )
    return true
  return REMOVES.some((pattern) => pattern.test(sql))
}

/** An index that is not unique, and that this migration replaces by another one of its table: the version before runs without it. */
function isReplacedIndex(sql: string, statements: readonly string[], all: readonly Migration[]): boolean {
  const [, dropped] = /^\s*drop index (\w+)\s*$/i.exec(sql) ?? []
  if (dropped === undefined) return false
  const creates = new RegExp(`^\\s*create index ${dropped} on (\\w+) `, 'i')
  const table = all.flatMap((each) => each.statements).flatMap((each) => creates.exec(each)?.[1] ?? [])[0]
  return statements.some((other) => new RegExp(`^\\s*create index \\w+ on ${table} `, 'i').test(other))
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
  for (const statements of [
    ['drop index players_name'],
    ['create index players_other on players (email)', 'drop index players_email'],
    ['create index saves_other on saves (size)', 'drop index players_name'],
  ])
    assert.equal(
      problemsOf([...migrations, { name: '0099', statements }], '0.2.0').length,
      1,
      String(statements),
    )
  const replaced = ['create index players_other on players (email)', 'drop index players_name']
  assert.deepEqual(problemsOf([...migrations, { name: '0099', statements: replaced }], '0.2.0'), [])
  const harmless = [
    'alter table saves add column more text',
    `alter table saves add column more text not null default ''`,
    'create index saves_size on saves (size)',
    'create table more (id text primary key)',
    'create unique index more_id on more (id)',
  ]
  assert.deepEqual(problemsOf([{ name: '0099', statements: harmless }], '0.2.0'), [])
})
