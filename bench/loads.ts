import { joining } from './entries/connections.ts'
import { broadcast, relay } from './entries/realtime.ts'
import { startLoad } from './load.ts'
import type { Measured } from './metrics.ts'
import type { Server } from './processes.ts'
import { type ReadName, startFilled, startFilledOnPostgres, tablesOf } from './targets/dashboard.ts'
import { startWithFunctions } from './targets/function-calls.ts'
import { type Around, gamesOn, perTurn, type Session, startGamers } from './targets/games.ts'
import { startRanked, startRankedOnPostgres } from './targets/ranked.ts'
import { realtimeOn } from './targets/realtime-targets.ts'
import type { Request } from './targets/requests.ts'
import { RENEWED, SEEDERS } from './targets/seeders.ts'
import { type ServiceOptions, startService } from './targets/service.ts'
import { startOnPostgres } from './targets/services.ts'

/** Named loads on one service, each for a time. Loads with a preparation call `around` without it. */
export type Loads = Record<string, (ms: number, around?: Around) => Promise<Measured>>

export const LOAD_GROUPS = [...Object.keys(SEEDERS), 'realtime', 'rooms', 'leaderboards', 'dashboard']

const NEEDS_FUNCTIONS = ['rooms', 'functions']

/** `rows`: of the tables that are filled, for leaderboards and the dashboard. `what`: the loads that will run. */
type StartOptions = ServiceOptions & { postgres?: boolean; rows?: number; what?: readonly string[] }
export type Started = Server & { databases?: number[]; requests?: Record<string, Request[]> }

/** Starts a service that can run these loads, on embedded engines or on a PostgreSQL and a Redis of its own. */
export async function startFor(
  opened: AsyncDisposableStack,
  group: string,
  { postgres, rows = 100_000, what = [], ...options }: StartOptions,
): Promise<Started> {
  if (group === 'leaderboards')
    return (postgres ? startRankedOnPostgres : startRanked)(opened, rows, {}, options)
  if (group === 'dashboard') {
    const tables = tablesOf(what as ReadName[])
    return (postgres ? startFilledOnPostgres : startFilled)(opened, rows, tables, options)
  }
  if (postgres) return startOnPostgres(opened, options)
  const service = await (NEEDS_FUNCTIONS.includes(group)
    ? startWithFunctions(options)
    : startService(options))
  opened.defer(service.end)
  return service
}

/** The loads that `compare.ts` and `profile.ts` can run on a new service: requests of a seeder, messages in rooms, rooms with code. */
export async function loadsOf(
  opened: AsyncDisposableStack,
  group: string,
  service: Started,
  connections: number,
): Promise<Loads> {
  if (group === 'realtime') return realtimeLoads(opened, service)
  if (group === 'rooms') return codeRoomLoads(opened, service)
  const seed = service.requests ? async () => service.requests ?? {} : SEEDERS[group]
  if (!seed) throw new Error(`--of ${LOAD_GROUPS.join('|')}`)
  const send = startLoad(opened, connections)
  const target = { databases: [], ...service }
  return Object.fromEntries(
    Object.entries(await seed(service, connections)).map(([name, request]) => [
      name,
      (ms, around = plainly) => around(() => send(target, [request].flat(), ms, RENEWED[name])),
    ]),
  )
}

const plainly: Around = (work) => work()

async function realtimeLoads(opened: AsyncDisposableStack, service: Server): Promise<Loads> {
  const realtimeTarget = await realtimeOn(service)
  const relayInRooms = relay(opened, realtimeTarget, 'RELAY', 25)
  const broadcastToAll = broadcast(opened, realtimeTarget)
  const join = joining(opened, realtimeTarget)
  return {
    relay: (ms, around = plainly) => around(() => relayInRooms('by room', ms)),
    'relay, spread': (ms, around = plainly) => around(() => relayInRooms('spread', ms)),
    broadcast: (ms, around = plainly) => around(() => broadcastToAll(ms)),
    join: (ms, around) => join(ms, around),
  }
}

async function codeRoomLoads(opened: AsyncDisposableStack, service: Server): Promise<Loads> {
  const gamers = startGamers(opened, await gamesOn(service))
  const play = (session: Session) => async (ms: number, around?: Around) =>
    perTurn(session, await gamers.measure(session, ms, around))
  return Object.fromEntries(
    [10, 20, 50, 100].map((rooms) => [
      String(rooms),
      play({ game: 'arena', rooms, perRoom: 8, perSecond: 20 }),
    ]),
  )
}
