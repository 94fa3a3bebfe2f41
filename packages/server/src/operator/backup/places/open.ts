import { join } from 'node:path'

import { systemClock } from '../../../platform/clock.ts'
import type { BackupSettings } from '../settings.ts'
import { openFolderPlace } from './folder.ts'
import type { Place } from './place.ts'

/** `SVC_BACKUP_URL`, or `backups/` in the data folder. */
export async function openPlace({
  dataDir,
  backup,
}: Pick<BackupSettings, 'dataDir' | 'backup'>): Promise<Place> {
  if (backup.url === undefined || !backup.credentials) return openFolderPlace(join(dataDir, 'backups'))
  const { openBucketPlace } = await import('./bucket.ts')
  return openBucketPlace(backup.url, backup.credentials, systemClock)
}
