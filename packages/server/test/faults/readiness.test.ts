import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import pg from 'pg'

import { startService } from '../../src/testing/service.ts'
import { callerOf, startServer } from '../server-process.ts'

/** Repeats the request until the condition holds, for at most 30 s. */
async function until<T>(ask: () => Promise<T>, isSo: (answer: T) => boolean): Promise<T> {
  const signal = AbortSignal.timeout(30_000)
  for (;;) {
    const answer = await ask()
    if (isSo(answer)) return answer
    await pause(50, undefined, { signal })
  }
}

test('[GEN-16] /readyz answers 503 while the disk rejects writes, and 200 afterwards', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-readiness-'))
  const server = await startServer({ SVC_DATA_DIR: dataDir, LOG_LEVEL: 'silent' })
  t.after(async () => {
    server.signal('SIGKILL')
    await server.ended
    rmSync(dataDir, { recursive: true })
  })
  const call = callerOf(server)
  const ready = () => call('GET', '/readyz')
  const signUp = (email: string) =>
    call('POST', '/v1/developers/signup', { body: { email, password: 'correct horse' } })
  const { body } = await signUp('before@example.com')
  assert.equal((await ready()).status, 200)

  const limit = (bytes: string) => execFileSync('prlimit', ['--pid', String(server.pid), `--fsize=${bytes}:`])
  limit('4096')
  assert.equal((await signUp('while@example.com')).status, 503)
  const refused = await until(ready, ({ status }) => status === 503)
  assert.equal(refused.body.error.code, 'service_unavailable')
  assert.ok(refused.body.error.details.down.includes('database'))
  // The state persists, and reads still work.
  for (let i = 0; i < 5; i++) {
    await pause(300)
    assert.equal((await ready()).status, 503)
  }
  assert.equal((await call('GET', '/v1/developers/me', { token: body.token })).status, 200)
  assert.equal((await call('GET', '/healthz')).status, 200)

  limit('unlimited')
  await until(ready, ({ status }) => status === 200)
  assert.equal((await signUp('after@example.com')).status, 200)
})

test('[GEN-16] /readyz answers 503 while PostgreSQL rejects writes, and 200 afterwards', async (t) => {
  const service = await startService('postgres')
  const admin = new pg.Client({ connectionString: service.postgres?.url ?? '' })
  await admin.connect()
  t.after(async () => {
    await admin.end()
    await service.stop()
  })
  const setReadOnly = async (value: 'on' | 'off') => {
    const { rows } = await admin.query('select current_database() as name')
    await admin.query(
      `begin read write; alter database ${rows[0].name} set default_transaction_read_only = ${value}; commit`,
    )
    await admin.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
  }
  const ready = () => service.call('GET', '/readyz')
  assert.equal((await ready()).status, 200)

  await setReadOnly('on')
  const refused = await until(ready, ({ status }) => status === 503)
  assert.deepEqual(refused.body.error.details, { stopping: false, down: ['database'] })
  await pause(1_100)
  assert.equal((await ready()).status, 503)
  assert.equal((await service.call('GET', '/v1/platform/info')).status, 200)

  await setReadOnly('off')
  await until(ready, ({ status }) => status === 200)
})

test('[GEN-16] readiness checks write to the database at most once a second, for any number of requests', async (t) => {
  const service = await startService('sqlite')
  t.after(() => service.stop())
  const logBytes = () => statSync(join(service.dataDir, 'svc.sqlite-wal')).size
  await service.call('GET', '/readyz')
  const before = logBytes()
  const begunAt = performance.now()
  for (let round = 0; round < 20; round++) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => service.call('GET', '/readyz')))
    assert.ok(answers.every(({ status }) => status === 200))
  }
  const seconds = Math.ceil((performance.now() - begunAt) / 1_000)
  const pages = (logBytes() - before) / 4_096
  assert.ok(pages < 2 * (seconds + 1), `${pages} pages in ${seconds} s`)
  // The check really writes.
  await until(
    () => service.call('GET', '/readyz'),
    () => logBytes() > before,
  )
})
