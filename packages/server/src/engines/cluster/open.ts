import type { Cluster } from '../../platform/ports/cluster.ts'
import type { ClusterOptions } from './cluster.ts'
import { createMemoryCluster } from './memory.ts'

/** Without `redisUrl` in memory, for a single node. Throws an error that mentions REDIS_URL if Redis cannot be reached. */
export const openCluster = async (
  redisUrl: string | undefined,
  options: ClusterOptions = {},
): Promise<Cluster> =>
  // Unused drivers are not loaded: they would take a third of the start time.
  redisUrl === undefined
    ? createMemoryCluster(options)
    : (await import('./redis.ts')).openRedisCluster(redisUrl, options)

/** Throws if an incompatible node is running. */
export const requireCompatibleNodes = async (
  redisUrl: string | undefined,
  options: ClusterOptions = {},
): Promise<void> =>
  redisUrl === undefined
    ? undefined
    : (await import('./compatible-nodes.ts')).requireCompatibleNodes(redisUrl, options)
