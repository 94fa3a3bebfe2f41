import assert from 'node:assert/strict'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

import { createStoppedClock } from '../../platform/clock.ts'
import { newGame, until } from '../../testing/rooms.ts'
import { type Service, startService } from '../../testing/service.ts'
import { startSmtpServer } from '../../testing/smtp-server.ts'
import { suite } from '../../testing/suite.ts'
import { createSampler } from './sampler.ts'

type Developer = Awaited<ReturnType<Service['newDeveloper']>>

suite('the state of the service, for operators', {}, ({ engine, service }) => {
  let operator: Developer
  const asOperator = async () => (operator ??= await service.newOperator(`operator-${engine}@example.com`))

  test('[DSH-18] the state contains nodes, engines, queues, jobs and storage', async () => {
    const { call } = await asOperator()
    const game = await newGame(service)
    await game.player()
    const job = {
      name: 'a.test',
      slotAtMs: 60_000,
      attempts: 2,
      isDone: 0,
      notBeforeMs: 0,
      lastError: 'broken',
    }
    await service.db.transaction((transaction) =>
      transaction.search((q) => q.insertInto('jobs').values(job).returning('name')),
    )
    const { body } = await call('GET', '/v1/operator/system')

    const [node, ...others] = body.nodes
    assert.deepEqual(others, [])
    assert.equal(node.connections, 1)
    assert.ok(node.memoryBytes > node.heapBytes && node.heapBytes > 0)
    const kinds = Object.fromEntries(
      body.engines.map(({ name, kind, ok }: { name: string; kind: string; ok: boolean }) => [
        name,
        [kind, ok],
      ]),
    )
    const shared = engine === 'sqlite' ? 'memory' : 'redis'
    assert.deepEqual(kinds, {
      database: [engine, true],
      bus: [shared, true],
      counters: [shared, true],
      blobs: ['files', true],
      mail: ['captured', true],
    })
    assert.equal(body.mail.failed, 0)
    assert.deepEqual(
      body.jobs.find(({ name }: { name: string }) => name === 'a.test'),
      { name: 'a.test', slotAt: '1970-01-01T00:01:00.000Z', done: false, attempts: 2, lastError: 'broken' },
    )
    assert.equal(body.storage.databaseBytes === null, engine === 'postgres')
    assert.ok(body.storage.freeBytes > 0)
    await game.end()
  })

  test('[DSH-18] the series has a sample per minute', async () => {
    const { call } = await asOperator()
    const series = async (query = '') => (await call('GET', `/v1/operator/system/series${query}`)).body
    const before = (await series('?minutes=1440')).nodes[0].minutes.length
    await service.everyMinute()
    await service.everyMinute()
    const { minutes } = (await series('?minutes=1440')).nodes[0]
    assert.equal(minutes.length, before + 2)
    assert.equal(minutes.at(-1).at, service.clock.now().toISOString())
    assert.equal((await series('?minutes=1')).nodes[0].minutes.length, 1)
    for (const query of ['?minutes=0', '?minutes=1441'])
      assert.equal((await series(query)).error.code, 'invalid_request')
  })

  test('[DSH-18] every engine can be checked; an unknown one is not found', async () => {
    const { call } = await asOperator()
    for (const name of ['database', 'bus', 'counters', 'blobs', 'mail']) {
      const { body } = await call('POST', `/v1/operator/checks/${name}`)
      assert.deepEqual([body.engine, body.ok, body.error], [name, true, null])
    }
    for (const name of ['nothing', 'constructor', '__proto__'])
      assert.equal((await call('POST', `/v1/operator/checks/${name}`)).body.error.code, 'not_found')
  })

  test('[DSH-18] [OPS-24] backups are created one at a time, verified and listed, on both engines', async () => {
    const { call } = await asOperator()
    const list = async () => (await call('GET', '/v1/operator/backups')).body
    assert.deepEqual(await list(), { available: true, nextAt: null, backups: [] })
    const [first, second] = await Promise.all([
      call('POST', '/v1/operator/backups'),
      call('POST', '/v1/operator/backups'),
    ])
    const { entries } = (await call('GET', '/v1/operator/audit')).body
    assert.deepEqual(
      entries
        .filter(({ action }: { action: string }) => action !== 'operator.add')
        .map(({ action, target }: { action: string; target: string }) => [action, target]),
      [['backup.create', first.body.backup?.name ?? second.body.backup?.name]],
      'the backup that was begun, not the refused one',
    )
    const codes: string[] = [first, second].map(({ body }) => body.error?.code ?? body.backup.status)
    assert.deepEqual(codes.toSorted(), ['backup_running', 'running'])
    await service.background.drained()
    const [done, ...others] = (await list()).backups
    assert.deepEqual([done.status, done.error, done.where, others], ['done', null, 'folder', []])
    assert.ok(done.bytes > 10_000 && done.verifiedAt !== null)
    const at = service.clock.now().toISOString()
    assert.deepEqual(service.backups.state(), {
      countedFrom: at,
      writtenAt: at,
      verified: { at, bytes: done.bytes },
      failure: null,
    })
    const files = await readdir(join(service.dataDir, 'backups'))
    assert.deepEqual(files.toSorted(), [done.name, `${done.name}.json`])
    await rm(join(service.dataDir, 'backups'), { recursive: true })
  })

  test('[DSH-18] callers who are not operators are rejected, and change nothing', async () => {
    await asOperator()
    const { developer, development } = await service.newProject()
    const callers: [Record<string, string>, number, string][] = [
      [{ authorization: `Bearer ${developer.token}` }, 403, 'operator_required'],
      [{ 'x-svc-key': development.secretKey }, 403, 'developer_session_required'],
      [{}, 401, 'unauthorized'],
    ]
    for (const [headers, status, code] of callers)
      for (const [method, path] of [
        ['GET', 'system'],
        ['GET', 'system/series'],
        ['POST', 'checks/database'],
        ['GET', 'backups'],
        ['POST', 'backups'],
      ] as const) {
        const answer = await service.call(method, `/v1/operator/${path}`, undefined, headers)
        assert.deepEqual([answer.status, answer.body.error.code], [status, code], `${method} ${path}`)
      }
    await service.background.drained()
    assert.deepEqual((await operator.call('GET', '/v1/operator/backups')).body.backups, [])
  })
})

test('[DSH-18] an operator sees all nodes', async (t) => {
  const first = await startService('postgres')
  const second = await startService('postgres', { clusterOf: first })
  t.after(async () => {
    await second.stop()
    await first.stop()
  })
  const { call } = await first.newOperator()
  // The first node notices the second at a heartbeat.
  await until(async () => (await call('GET', '/v1/operator/system')).body.nodes.length === 2)
  await second.everyMinute()
  const { nodes } = (await call('GET', '/v1/operator/system/series')).body
  assert.deepEqual(
    nodes
      .map(({ minutes }: { minutes: object[] }) => minutes.length)
      .toSorted((a: number, b: number) => a - b),
    [0, 1],
  )
})

test('[DSH-18] a mail server that does not answer fails its check with the reason', async (t) => {
  const smtp = await startSmtpServer()
  const settings = { SMTP_URL: smtp.url, SVC_MAIL_FROM: 'svc@example.com' }
  const service = await startService('sqlite', { settings })
  t.after(() => service.stop())
  const { call } = await service.newOperator()
  const check = async () => (await call('POST', '/v1/operator/checks/mail')).body
  assert.equal((await check()).ok, true)
  await smtp.stop()
  const failed = await check()
  assert.equal(failed.ok, false)
  assert.match(failed.error, /ECONNREFUSED|connect/)
})

test('[DSH-18] metrics are counted since the last sample', async () => {
  let [requests, failed, cpuMicros, atMs] = [10, 1, 1_000, 0]
  const buckets = [5, 5, 0]
  const sampler = createSampler({
    clock: createStoppedClock(),
    totals: () => ({ requests, failed, buckets: [...buckets] }),
    bucketsMs: [1, 5],
    connections: () => 3,
    usage: () => ({ cpuMicros, memoryBytes: 100 }),
    now: () => atMs,
  })
  assert.deepEqual([sampler.current().requests, sampler.current().p95Ms], [0, null])
  ;[requests, failed, cpuMicros, atMs] = [30, 3, 501_000, 1_000]
  buckets[0] = 24
  buckets[1] = 6
  const figures = { cpu: 0.5, memoryBytes: 100, connections: 3, requests: 20, failed: 2, p95Ms: 1 }
  assert.deepEqual(sampler.current(), figures)
  await sampler.sample()
  buckets[2] = 1
  assert.equal(sampler.current().p95Ms, 5, 'slower responses count as the last bound')
  const { at: _, ...sampled } = sampler.last(1)[0] ?? { at: '' }
  assert.deepEqual(sampled, figures)
})
