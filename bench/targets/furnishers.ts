import type { Server } from '../processes.ts'
import { furnishFiles } from './file-servers.ts'
import { furnishPlayers } from './players.ts'
import type { Request } from './requests.ts'
import { furnishSaves } from './saves.ts'
import { furnishStats } from './stats.ts'

export const CONNECTIONS = 32

/** What a fresh service is asked for, by name, once it holds what that needs. */
type Furnish = (service: Server) => Promise<Record<string, Request | Request[]>>

export const FURNISHERS: Partial<Record<string, Furnish>> = {
  saves: furnishSaves,
  stats: furnishStats,
  players: (service) => furnishPlayers(service, CONNECTIONS),
  hosting: furnishFiles,
}
