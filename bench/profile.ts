import { parseArgs } from 'node:util'

import { LOAD_GROUPS, loadsOf, startFor } from './loads.ts'
import { freePort } from './processes.ts'
import { profiled } from './targets/profiler.ts'
import { CONNECTIONS } from './targets/seeders.ts'

/** Profiles the service under one kind of load: `node --conditions=source bench/profile.ts --of saves --what read`. */
const { values } = parseArgs({
  options: {
    of: { type: 'string', default: 'saves' },
    what: { type: 'string', default: 'read' },
    postgres: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '6' },
    lines: { type: 'string', default: '30' },
    rows: { type: 'string', default: '100000' },
  },
})

const WARM_UP_MS = 4_000

await using opened = new AsyncDisposableStack()
const inspectorPort = await freePort()
const nodeArgs = [`--inspect=127.0.0.1:${inspectorPort}`]
const service = await startFor(opened, values.of, {
  nodeArgs,
  postgres: values.postgres,
  rows: Number(values.rows),
  what: [values.what],
})
const loads = await loadsOf(opened, values.of, service, CONNECTIONS)
const load = loads[values.what]
if (!load) throw new Error(`--of ${LOAD_GROUPS.join('|')} --what ${Object.keys(loads).join('|')}`)

await load(WARM_UP_MS)
await load(Number(values.seconds) * 1_000, async (work) => {
  const { result, selfTimes } = await profiled(inspectorPort, work)
  for (const { share, name } of selfTimes.slice(0, Number(values.lines)))
    console.log(`${(share * 100).toFixed(1).padStart(5)} %  ${name}`)
  return result
})
