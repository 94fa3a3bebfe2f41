import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { startLoad } from './load.ts'
import { median } from './metrics.ts'
import { cpuMs } from './process-stats.ts'
import { freshFolder } from './processes.ts'
import { seedSaves } from './targets/saves.ts'
import { startService } from './targets/service.ts'

/**
 * Compares save writes with and without point in time (SVC_BACKUP_WAL_SECONDS), in alternating turns of two services that are restarted
 * several times. The CPU time is that of the whole run, because segments are written after a turn, too.
 *
 *     node --conditions=source bench/shipping.ts --starts 5 --turns 20
 */
const { values } = parseArgs({
  options: {
    starts: { type: 'string', default: '3' },
    turns: { type: 'string', default: '20' },
    connections: { type: 'string', default: '32' },
  },
})
const WARM_UP_MS = 6_000
const TURN_MS = 1_000
const EVERY_SECONDS = 2

const ratios: number[] = []
for (let start = 1; start <= Number(values.starts); start++) {
  await using opened = new AsyncDisposableStack()
  const load = startLoad(opened, Number(values.connections))
  const services = []
  // The order changes: a process may be faster because it was started first.
  for (const seconds of start % 2 ? [0, EVERY_SECONDS] : [EVERY_SECONDS, 0]) {
    const dataDir = freshFolder()
    const service = await startService({ dataDir, settings: { SVC_BACKUP_WAL_SECONDS: String(seconds) } })
    opened.defer(service.end)
    const { write } = await seedSaves(service)
    const target = { ...service, databases: [] }
    await load(target, write, WARM_UP_MS)
    services.push({ seconds, dataDir, target, write, answered: 0, p99: [] as number[], before: 0 })
  }
  await sleep(2 * EVERY_SECONDS * 1_000)
  for (const service of services) service.before = cpuMs(service.target.pid)
  for (let turn = 0; turn < Number(values.turns); turn++)
    for (const service of services) {
      const { perSecond = 0, p99Ms = 0 } = await load(service.target, service.write, TURN_MS)
      service.answered += (perSecond * TURN_MS) / 1_000
      service.p99.push(p99Ms)
    }
  await sleep(2 * EVERY_SECONDS * 1_000)

  const measured = services.map(({ seconds, dataDir, target, answered, p99, before }) => ({
    seconds,
    micros: ((cpuMs(target.pid) - before) * 1_000) / answered,
    p99Ms: median(p99),
    stored: bytesIn(join(dataDir, 'backups')) / answered,
  }))
  const [off, on] = measured.toSorted((one, other) => one.seconds - other.seconds)
  if (!off || !on) throw new Error('two services are compared')
  ratios.push(on.micros / off.micros)
  console.log(
    `start ${start}: off ${off.micros.toFixed(1)} µs, p99 ${off.p99Ms.toFixed(1)} ms; on ${on.micros.toFixed(1)} µs, p99 ${on.p99Ms.toFixed(1)} ms, ` +
      `${on.stored.toFixed(0)} bytes stored per write; ratio ${(on.micros / off.micros).toFixed(3)}`,
  )
}
console.log(`CPU with point in time: ${median(ratios).toFixed(3)} times that without`)

function bytesIn(folder: string): number {
  if (!existsSync(folder)) return 0
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.reduce(
    (sum, entry) => sum + (entry.isFile() ? statSync(join(entry.parentPath, entry.name)).size : 0),
    0,
  )
}
