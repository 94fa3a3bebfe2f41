import { parseArgs } from 'node:util'

import { broadcast, relay } from './entries/realtime.ts'
import { startLoad } from './load.ts'
import { freePort, type Server } from './processes.ts'
import { profiled } from './targets/profiler.ts'
import { realtimeOn } from './targets/realtime-targets.ts'
import type { Request } from './targets/requests.ts'
import { CONNECTIONS, SEEDERS } from './targets/seeders.ts'
import { startService } from './targets/service.ts'
import { startOnPostgres } from './targets/services.ts'

/** Profiles the service under one kind of load: `node --conditions=source bench/profile.ts --of saves --what read`. */
const { values } = parseArgs({
  options: {
    of: { type: 'string', default: 'saves' },
    what: { type: 'string', default: 'read' },
    postgres: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '6' },
    lines: { type: 'string', default: '30' },
  },
})
type Loads = Record<string, (ms: number) => Promise<unknown>>

const WARM_UP_MS = 4_000

await using opened = new AsyncDisposableStack()
const inspectorPort = await freePort()
const nodeArgs = [`--inspect=127.0.0.1:${inspectorPort}`]
const service = values.postgres ? await startOnPostgres(opened, nodeArgs) : await startService({ nodeArgs })
opened.defer(service.end)
const seed = SEEDERS[values.of]
const loads = seed ? httpLoads(service, await seed(service)) : await realtimeLoads(service)
const load = loads[values.what]
if (!load)
  throw new Error(`--of ${Object.keys(SEEDERS).join('|')}|realtime --what ${Object.keys(loads).join('|')}`)

await load(WARM_UP_MS)
const selfTimes = await profiled(inspectorPort, () => load(Number(values.seconds) * 1_000))
for (const { share, name } of selfTimes.slice(0, Number(values.lines))) {
  console.log(`${(share * 100).toFixed(1).padStart(5)} %  ${name}`)
}

function httpLoads(server: Server, requests: Record<string, Request | Request[]>): Loads {
  const send = startLoad(opened, CONNECTIONS)
  const target = { ...server, databases: [] }
  return Object.fromEntries(
    Object.entries(requests).map(([name, request]) => [name, (ms) => send(target, [request].flat(), ms)]),
  )
}

async function realtimeLoads(server: Server): Promise<Loads> {
  const realtimeTarget = await realtimeOn(server)
  const relayInRooms = relay(opened, realtimeTarget, 'RELAY', 25)
  return {
    relay: (ms) => relayInRooms('by room', ms),
    'relay, spread': (ms) => relayInRooms('spread', ms),
    broadcast: broadcast(opened, realtimeTarget),
  }
}
