import type { Bus } from '../../platform/ports/bus.ts'
import { createMemoryBus } from './memory.ts'
import type { BusOptions } from './options.ts'

/** Without `redisUrl` in memory, for a single node. Throws an error that mentions REDIS_URL if Redis cannot be reached. */
export const openBus = async (redisUrl: string | undefined, options: BusOptions = {}): Promise<Bus> =>
  // Unused drivers are not loaded: they would take a third of the start time.
  redisUrl === undefined
    ? createMemoryBus(options)
    : (await import('./redis.ts')).openRedisBus(redisUrl, options)
