import type { Clock } from '../../platform/clock.ts'
import type { Counters, CountersOptions } from './counters.ts'
import { createMemoryCounters } from './memory.ts'

/** Without `redisUrl` in memory, for a single node. Throws an error that mentions REDIS_URL if Redis cannot be reached. */
export const openCounters = async (
  redisUrl: string | undefined,
  clock: Clock,
  options: CountersOptions = {},
): Promise<Counters> =>
  redisUrl === undefined
    ? createMemoryCounters(clock, options)
    : (await import('./redis.ts')).openRedisCounters(redisUrl, clock, options)
