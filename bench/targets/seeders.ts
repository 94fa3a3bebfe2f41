import type { Server } from '../processes.ts'
import { seedFiles } from './bare/file-servers.ts'
import { seedFunctions } from './function-calls.ts'
import { seedPlayers } from './players.ts'
import type { Request } from './requests.ts'
import { seedSaves } from './saves.ts'
import { seedStats } from './stats.ts'

export const CONNECTIONS = 32

/** Creates the data that the requests of so many connections need in a new service; returns the requests by name. */
type Seed = (service: Server, connections: number) => Promise<Record<string, Request | Request[]>>

export const SEEDERS: Partial<Record<string, Seed>> = {
  saves: (service) => seedSaves(service),
  stats: (service) => seedStats(service),
  players: seedPlayers,
  hosting: seedFiles,
  functions: seedFunctions,
}

/** Loads whose answers contain what the next request needs. */
export const RENEWED: Partial<Record<string, { renewed: string }>> = { refresh: { renewed: 'refreshToken' } }
