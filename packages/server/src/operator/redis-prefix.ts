import type { ClusterOptions } from '../engines/cluster/cluster.ts'
import { requireCompatibleNodes } from '../engines/cluster/open.ts'

/** Pub/sub ignores the number of the database in REDIS_URL: only the names separate installations. */
export const prefixOfInstallation = (id: string): string => `svc:${id}:`

/**
 * Throws if a node of this installation is running whose protocol is not compatible. `installationId` is undefined for a new
 * installation; `fixedPrefix` is that of a setting.
 */
export async function requireCompatibleInstallation(
  redisUrl: string,
  installationId: string | undefined,
  {
    fixedPrefix,
    ...options
  }: Omit<ClusterOptions, 'prefix' | 'protocol'> & { fixedPrefix: string | undefined },
): Promise<void> {
  const prefix = fixedPrefix ?? (installationId && prefixOfInstallation(installationId))
  if (prefix !== undefined) await requireCompatibleNodes(redisUrl, { ...options, prefix })
}
