import { fdatasync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turnOfTheLoop, setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { columns, statement, type Tables } from '../../packages/server/src/engines/database/database.ts'
import { openDatabase } from '../../packages/server/src/engines/database/open.ts'
import { systemClock } from '../../packages/server/src/platform/clock.ts'
import { type Metrics, percentile } from '../metrics.ts'
import { runWorkerLoop } from '../worker-loop.ts'

/** Each of `writers` writes its next row when the previous one is durable. Optionally a reader reads at fixed times. */
export type Writing = { writers: number; addedMs: number; readEveryMs?: number; ms: number }

type Store = { write(id: string): Promise<unknown>; read(id: string): Promise<unknown> }

const SEALED = 'x'.repeat(300)

/** A sync with the delay of the task. */
const disk = { syncs: 0, addedMs: 0 }

const { values } = parseArgs({ options: { kind: { type: 'string' }, data: { type: 'string', default: '' } } })
const store = values.kind === 'engine' ? await openEngine(values.data) : openBare(values.data)
let rows = 0

/** Duration of every tick of the event loop, without idle time. */
const loop = monitorEventLoopDelay({ samplePerIteration: true })
loop.enable()

runWorkerLoop(async ({ writers, addedMs, readEveryMs, ms }: Writing): Promise<Metrics> => {
  disk.syncs = 0
  disk.addedMs = addedMs
  loop.reset()
  const [cpu, startedAt] = [process.cpuUsage(), performance.now()]
  const until = startedAt + ms

  const reading = readEveryMs === undefined ? [] : readAt(readEveryMs, until)
  const written = await Promise.all(Array.from({ length: writers }, () => writeOn(until)))

  const seconds = (performance.now() - startedAt) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  const latencies = ascending(written.flat())
  const reads = ascending(await reading)
  return {
    cpuMicros: (user + system) / latencies.length,
    perSecond: latencies.length / seconds,
    writesPerSync: latencies.length / disk.syncs,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    ...(reads.length > 0 && { readP50Ms: percentile(reads, 0.5), readP99Ms: percentile(reads, 0.99) }),
    blockedMs: loop.max / 1e6,
  }
})

async function writeOn(until: number): Promise<number[]> {
  const latencies: number[] = []
  while (performance.now() < until) {
    const startedAt = performance.now()
    await store.write(nextId())
    latencies.push(performance.now() - startedAt)
  }
  return latencies
}

/** Measured from the moment a read was due, so that a read that could not start counts as slow. */
async function readAt(everyMs: number, until: number): Promise<number[]> {
  const latencies: number[] = []
  for (let due = performance.now() + everyMs; due < until; due += everyMs) {
    if (due > performance.now()) await sleep(Math.ceil(due - performance.now()))
    await store.read(idOf(rows))
    latencies.push(performance.now() - due)
  }
  return latencies
}

async function openEngine(dataDir: string): Promise<Store> {
  const insert = statement((q, secret: Tables['secrets']) =>
    q.insertInto('secrets').values(columns(secret, ['id', 'sealed', 'updatedAt'])),
  )
  const find = statement((q, { id }: { id: string }) =>
    q.selectFrom('secrets').selectAll().where('id', '=', id),
  )

  const sync = (descriptor: number, done: (error: Error | null) => void) => {
    disk.syncs++
    fdatasync(descriptor, disk.addedMs === 0 ? done : (error) => void setTimeout(done, disk.addedMs, error))
  }
  const db = await openDatabase({ dataDir, clock: systemClock, log: () => {}, sqlite: { sync } })
  return {
    write: (id) => db.run(insert, { id, sealed: SEALED, updatedAt: '' }),
    read: (id) => db.first(find, { id }),
  }
}

/** One commit per write, made durable by SQLite's own sync on the main thread: a service without optimisation. */
function openBare(dataDir: string): Store {
  const database = new DatabaseSync(join(dataDir, 'bare.sqlite'))
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    create table secrets (id text primary key, sealed text not null, "updatedAt" text not null)`)
  const insert = database.prepare('insert into secrets values (?, ?, ?)')
  const find = database.prepare('select * from secrets where id = ?')
  const pause = new Int32Array(new SharedArrayBuffer(4))

  return {
    async write(id) {
      insert.run(id, SEALED, '')
      disk.syncs++
      // The sync happens inside SQLite, so the delay is added after it, on the same thread.
      if (disk.addedMs > 0) Atomics.wait(pause, 0, 0, disk.addedMs)
      await turnOfTheLoop()
    },
    read: async (id) => find.get(id),
  }
}

const nextId = () => idOf(++rows)

/** Ascending ids, like those of the service. */
const idOf = (row: number) => `row_${String(row).padStart(26, '0')}`

const ascending = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b)
