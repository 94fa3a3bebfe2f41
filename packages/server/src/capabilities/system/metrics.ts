import { type Clock, HOUR_MS, SECOND_MS } from '../../platform/clock.ts'
import { type Metric, single } from '../../platform/metrics/metrics.ts'
import type { BackupState } from './backups.ts'

type ReadState = () => Pick<BackupState, 'writtenAt' | 'verified'> | undefined

/**
 * A backup is old when the next one is late by half of `SVC_BACKUP_HOURS`. Without a schedule it is, as with one backup a day, after 36
 * hours.
 */
export const backupAgeMsMax = (everyHours: number): number => 1.5 * (everyHours || 24) * HOUR_MS

/** The age of backups by the clock of this machine. Without a backup there is none of these metrics. */
export function backupMetrics(readState: ReadState, clock: Clock, everyHours: number): Metric[] {
  const secondsSince = (at: string | null | undefined) =>
    at == null ? undefined : Math.max(0, (clock.now().getTime() - Date.parse(at)) / SECOND_MS)
  return [
    single('svc_backup_age_seconds', () => secondsSince(readState()?.writtenAt)),
    single('svc_backup_verified_age_seconds', () => secondsSince(readState()?.verified?.at)),
    single('svc_backup_age_max_seconds', () =>
      readState()?.writtenAt == null ? undefined : backupAgeMsMax(everyHours) / SECOND_MS,
    ),
    single('svc_backup_bytes', () => readState()?.verified?.bytes),
  ]
}
