import assert from 'node:assert/strict'
import { test } from 'node:test'

import { expressions, metricsIn } from '../../../../scripts/monitoring/files.ts'
import { writeFact } from '../../src/engines/database/installation.ts'
import { DAY_MS } from '../../src/platform/clock.ts'
import { METRICS } from '../../src/platform/metrics/table.ts'
import { newChannelApp } from '../../src/testing/channels.ts'
import { comesTrue } from '../../src/testing/in-time.ts'
import { newGame } from '../../src/testing/rooms.ts'
import { type Service, startService } from '../../src/testing/service.ts'
import { suite } from '../../src/testing/suite.ts'

type Parsed = Map<
  string,
  { type: string; samples: { suffix: string; labels: Record<string, string>; value: number }[] }
>

/** Reads the text as Prometheus does, and fails on what it would reject. */
function parsed(text: string): Parsed {
  const metrics: Parsed = new Map()
  assert.ok(text.endsWith('\n'))
  let current = ''
  for (const line of text.slice(0, -1).split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\w+) (.+)$/.exec(line) ?? []
    if (kind === 'HELP') {
      assert.ok(!metrics.has(name), `${name} is there twice`)
      current = name
    } else if (kind === 'TYPE') {
      assert.equal(name, current)
      metrics.set(name, { type: rest, samples: [] })
    } else {
      const [, full = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      assert.ok(full.startsWith(current) && value !== '' && !Number.isNaN(Number(value)), line)
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"(?:,|$)/g)].map(
        ([, key = '', text = '']) => [key, text],
      )
      assert.equal(pairs.map(([key, text]) => `${key}="${text}"`).join(','), labels, line)
      const sample = {
        suffix: full.slice(current.length),
        labels: Object.fromEntries(pairs),
        value: Number(value),
      }
      metrics.get(current)?.samples.push(sample)
    }
  }
  return metrics
}

const read = async (service: Service) => parsed((await service.call('GET', '/metrics')).body)
const valueOf = (metrics: Parsed, name: string, labels: object = {}) =>
  metrics
    .get(name)
    ?.samples.find((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
    ?.value

suite('the metrics page', {}, ({ engine, service }) => {
  test('[OPS-40] every line has a name, a type and labels of the table, and no id', async () => {
    const game = await newGame(service, [{ key: 'duel', maxPlayers: 2 }])
    const [ada, bob] = await game.players(2)
    assert.ok(ada && bob)
    await game.room([ada, bob], { mode: 'duel' })
    const metrics = await read(service)
    for (const [name, { type, samples }] of metrics) {
      const known = (METRICS as Record<string, { type: string; labels?: readonly string[] } | undefined>)[
        name
      ]
      assert.ok(known, `${name} is not in the table`)
      assert.equal(type, known.type, name)
      assert.equal(type === 'counter', name.endsWith('_total'), name)
      for (const { suffix, labels } of samples) {
        const allowed: string[] = [...(known.labels ?? []), ...(suffix === '_bucket' ? ['le'] : [])]
        assert.deepEqual(Object.keys(labels).toSorted(), allowed.toSorted(), name)
        assert.ok(type === 'histogram' ? /^_(?:bucket|sum|count)$/.test(suffix) : suffix === '', name)
      }
    }
    const { body } = await service.call('GET', '/metrics')
    for (const id of [game.project.id, game.project.environments[0]?.id ?? '', ada.guest.id, 'duel'])
      assert.ok(!body.includes(id), id)
    await game.end()
  })

  test('[OPS-40] numbers of realtime follow what happens', async () => {
    const connections = async () => valueOf(await read(service), 'svc_realtime_connections')
    await comesTrue('earlier connections have ended', async () => (await connections()) === 0)
    const before = await read(service)
    const game = await newGame(service, [{ key: 'duel', maxPlayers: 2 }])
    const [ada, bob, eve] = await game.players(3)
    assert.ok(ada && bob && eve)
    await game.room([ada, bob], { mode: 'duel' })
    await eve.request({ t: 'quickMatch', mode: 'duel' })
    const during = await read(service)
    const grown = (name: string) => (valueOf(during, name) ?? 0) - (valueOf(before, name) ?? 0)
    assert.equal(grown('svc_realtime_connections'), 3)
    assert.equal(grown('svc_rooms'), 1)
    assert.equal(grown('svc_matchmaking_waiting'), 1)
    assert.ok(grown('svc_realtime_frames_total') >= 6)
    assert.ok(grown('svc_realtime_deliveries_total') >= 6)
    await game.end()
    await game.nobodyIn('queues')
    const after = await read(service)
    assert.equal(valueOf(after, 'svc_matchmaking_waiting'), valueOf(before, 'svc_matchmaking_waiting'))
    const closes = (metrics: Parsed) =>
      metrics.get('svc_realtime_closes_total')?.samples.reduce((sum, { value }) => sum + value, 0) ?? 0
    await comesTrue('the closes are counted', async () => closes(await read(service)) >= closes(before) + 3)
  })

  test('[OPS-40] a code that a client invents is no label', async () => {
    const game = await newGame(service)
    const ada = await game.player()
    await ada.close(4777)
    const other = async () => valueOf(await read(service), 'svc_realtime_closes_total', { code: 'other' })
    await comesTrue('the close is counted', async () => (await other()) === 1)
    assert.ok(!(await service.call('GET', '/metrics')).body.includes('4777'))
  })

  test('[OPS-40] numbers of the database follow its work', async () => {
    await service.newProject()
    const metrics = await read(service)
    const count = (name: string) =>
      metrics.get(name)?.samples.find(({ suffix }) => suffix === '_count')?.value ?? 0
    assert.ok(count('svc_lock_wait_seconds') > 0)
    assert.equal(count('svc_sqlite_sync_seconds') > 0, engine === 'sqlite')
    assert.equal((valueOf(metrics, 'svc_sqlite_wal_bytes') ?? 0) > 0, engine === 'sqlite')
    assert.equal(valueOf(metrics, 'svc_postgres_waiting'), engine === 'postgres' ? 0 : undefined)
    assert.ok((valueOf(metrics, 'svc_disk_free_bytes') ?? 0) > 0)
  })
})

test('[OPS-41] every metric of the table, of the dashboard and of the alerts is reported by a service that was used', async (t) => {
  const settings = {
    SMTP_URL: 'smtp://127.0.0.1:1',
    SVC_MAIL_FROM: 'svc@example.com',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
  }
  const small = await startService('sqlite', { settings })
  const grown = await startService('postgres')
  t.after(() => Promise.all([small.stop(), grown.stop()]))
  // Its own tests write and verify a backup, which takes some seconds.
  const at = small.clock.now().toISOString()
  const backup = { countedFrom: at, writtenAt: at, verified: { at, bytes: 5 }, failure: null }
  await writeFact(small.db, 'backup', JSON.stringify(backup))
  await small.everyMinute()
  await small.jobs.runNow(DAY_MS)
  const app = await newChannelApp(small, { voice: true })
  await app.server.put('@lobby', { voice: true })
  const member = await app.join()
  await member.request({ t: 'channelJoin', channel: '@lobby' })
  await member.request({ t: 'voiceJoin', channel: '@lobby' })
  await app.closeAll()

  const reported = new Set([...(await read(small)).keys(), ...(await read(grown)).keys()])
  const missing = Object.keys(METRICS).filter((name) => !reported.has(name))
  // Only a service that ships its write-ahead log has it; the tests of shipping read it.
  assert.deepEqual(missing, ['svc_backup_wal_age_seconds'])
  const used = new Set(expressions().flatMap(metricsIn))
  assert.ok(used.size > 30)
  assert.deepEqual(
    [...used].filter((name) => !reported.has(name) && !missing.includes(name)),
    [],
  )
})

test('[OPS-40] a database that does not answer leaves out its numbers, not the page', async (t) => {
  const service = await startService('sqlite', {
    settings: { SMTP_URL: 'smtp://127.0.0.1:1', SVC_MAIL_FROM: 'svc@example.com' },
    mount: ({ metric }) => {
      metric({ name: 'svc_backup_verified_age_seconds', read: () => new Promise(() => {}) })
      metric({ name: 'svc_cards_waiting', read: () => Promise.reject(new Error('gone')) })
      metric({
        name: 'svc_cards_drawn_total',
        read: () => {
          throw new Error('gone')
        },
      })
    },
  })
  t.after(() => service.stop())
  const metrics = await read(service)
  assert.equal(metrics.has('svc_backup_verified_age_seconds'), false)
  assert.ok(metrics.has('svc_build_info'))
})
