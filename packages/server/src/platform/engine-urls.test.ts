import assert from 'node:assert/strict'
import { test } from 'node:test'

import { parsePostgresUrl, parseRedisUrl } from './engine-urls.ts'

test('[OPS-50] DATABASE_URL with several hosts becomes one URL per host', () => {
  const text = 'postgres://u:p%40@one:5432,two,[::1]:5433/db?sslmode=require&target_session_attrs=read-write'

  assert.deepEqual(parsePostgresUrl(text), {
    urls: [
      'postgres://u:p%40@one:5432/db?sslmode=require',
      'postgres://u:p%40@two/db?sslmode=require',
      'postgres://u:p%40@[::1]:5433/db?sslmode=require',
    ],
    hosts: ['one:5432', 'two', '[::1]:5433'],
    sessions: 'read-write',
  })
})

test('[OPS-50] DATABASE_URL with one host is used as it is', () => {
  for (const text of [
    'postgres://db/svc',
    'postgresql://u:a@b@db:1/svc',
    'postgres://db?host=/run/postgresql',
  ])
    assert.deepEqual(parsePostgresUrl(text)?.urls.length, 1, text)
  assert.deepEqual(parsePostgresUrl('postgres://u:a@b@db:1/svc')?.hosts, ['db:1'])
})

test('[OPS-53] REDIS_URL with Sentinels has their addresses, the name, credentials and a database', () => {
  const parsed = parseRedisUrl('redis+sentinel://u:p@one,two:5000/svc/2?sentinel_password=s')

  assert.ok(parsed?.via === 'sentinels')
  const { masterUrl, ...rest } = parsed
  assert.deepEqual(rest, {
    via: 'sentinels',
    sentinels: ['one:26379', 'two:5000'],
    sentinelPassword: 's',
    master: 'svc',
  })
  assert.equal(masterUrl('10.0.0.1:6379'), 'redis://u:p@10.0.0.1:6379/2')
})

test('[OPS-53] a REDIS_URL that is none is rejected', () => {
  const wrong = [
    'redis+sentinel://one/svc?x=1',
    'redis+sentinel://one:99999/svc',
    'redis+sentinel://one/',
    'redis:///0',
  ]
  for (const text of wrong) assert.equal(parseRedisUrl(text), undefined, text)
})
