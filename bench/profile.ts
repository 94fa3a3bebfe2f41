import { parseArgs } from 'node:util'

import { startLoad } from './load.ts'
import { freePort, type Server } from './processes.ts'
import { furnishPlayers } from './targets/players.ts'
import { profiled } from './targets/profiler.ts'
import type { Request } from './targets/requests.ts'
import { furnishSaves } from './targets/saves.ts'
import { startService } from './targets/service.ts'
import { startOnPostgres } from './targets/services.ts'
import { furnishStats } from './targets/stats.ts'

/** Where the time of the service goes under one kind of request: `node --conditions=source bench/profile.ts --of saves --what read`. */
const { values } = parseArgs({
  options: {
    of: { type: 'string', default: 'saves' },
    what: { type: 'string', default: 'read' },
    postgres: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '6' },
    lines: { type: 'string', default: '30' },
  },
})
const CONNECTIONS = 32
const WARM_UP_MS = 4_000
const FURNISH: Record<string, (service: Server) => Promise<Record<string, Request[]>>> = {
  saves: furnishSaves,
  stats: furnishStats,
  players: (service) => furnishPlayers(service, CONNECTIONS),
}

await using opened = new AsyncDisposableStack()
const inspectorPort = await freePort()
const nodeArgs = [`--inspect=127.0.0.1:${inspectorPort}`]
const service = values.postgres ? await startOnPostgres(opened, nodeArgs) : await startService({ nodeArgs })
opened.defer(service.end)
const requests = await FURNISH[values.of]?.(service)
const asked = requests?.[values.what]
if (!asked)
  throw new Error(`--of ${Object.keys(FURNISH).join('|')} --what ${Object.keys(requests ?? {}).join('|')}`)

const load = startLoad(opened, CONNECTIONS)
const target = { ...service, databases: [] }
await load(target, asked, WARM_UP_MS)
const selfTimes = await profiled(inspectorPort, () => load(target, asked, Number(values.seconds) * 1_000))
for (const { share, name } of selfTimes.slice(0, Number(values.lines))) {
  console.log(`${(share * 100).toFixed(1).padStart(5)} %  ${name}`)
}
