import { parseArgs } from 'node:util'

import { abuse, stopReading, idle, restart } from './load-abuse.ts'
import { load } from './load-run.ts'

/**
 * node --conditions=source packages/server/test/realtime/load.ts [--only load|idle|hanging|abuse|restart] [--idle 10000 --active
 * 2000 --seconds 60]
 *
 * A process needs a file descriptor for every socket. If `ulimit -n` prints less than 13,000, raise it first, for example with
 * `ulimit -n 16000`.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    idle: { type: 'string', default: '10000' },
    active: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '60' },
    sockets: { type: 'string', default: '1000' },
  },
})
const numberOf = (name: 'idle' | 'active' | 'seconds' | 'sockets') => Number(values[name])

const runs: Record<string, () => Promise<object>> = {
  load: () =>
    load({
      idle: numberOf('idle'),
      active: numberOf('active'),
      seconds: numberOf('seconds'),
      log: (line) => console.log(line),
    }),
  idle: () => idle(3_000),
  hanging: () => stopReading(50),
  abuse: () => abuse(10),
  restart: () => restart(numberOf('sockets')),
}
for (const [name, run] of Object.entries(runs))
  if (name.includes(values.only)) console.log(name, JSON.stringify(await run()))
