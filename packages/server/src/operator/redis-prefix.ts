import type { ClusterOptions } from '../engines/cluster/cluster.ts'
import { requireCompatibleNodes } from '../engines/cluster/open.ts'

/** Versions whose database has no id of the installation use this prefix. */
const WITHOUT_ID = 'svc:'
/** Compatible with no other version. */
const NO_PROTOCOL = 1_000_000

/** Pub/sub ignores the number of the database in REDIS_URL: only the names separate installations. */
export const prefixOfInstallation = (id: string): string => `svc:${id}:`

type DatabaseState = { isNew: boolean; installationId: string | undefined }

/**
 * Throws if an incompatible node of this installation is running: one of another protocol, or one of an older version, which uses
 * other names in Redis. `fixedPrefix` is that of a setting.
 */
export async function requireCompatibleInstallation(
  redisUrl: string,
  { isNew, installationId }: DatabaseState,
  {
    fixedPrefix,
    ...options
  }: Omit<ClusterOptions, 'prefix' | 'protocol'> & { fixedPrefix: string | undefined },
): Promise<void> {
  const prefix = fixedPrefix ?? (installationId && prefixOfInstallation(installationId))
  if (prefix !== undefined) return requireCompatibleNodes(redisUrl, { ...options, prefix })
  // The first start with an id: a new installation, or an upgrade.
  if (isNew) return
  const { IncompatibleNodeError } = await import('../engines/cluster/membership.ts')
  try {
    await requireCompatibleNodes(redisUrl, { ...options, prefix: WITHOUT_ID, protocol: NO_PROTOCOL })
  } catch (error) {
    if (!(error instanceof IncompatibleNodeError)) throw error
    throw new Error(
      `Nodes of an older version run on this Redis (REDIS_URL), and use other names there. Stop all nodes before you start this version. ` +
        `To run next to them, set SVC_REDIS_PREFIX=${WITHOUT_ID}; if they belong to another service, set SVC_REDIS_PREFIX to a name of its own.`,
      { cause: error },
    )
  }
}
