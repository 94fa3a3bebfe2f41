import { type Clock, SECOND_MS } from '../../platform/clock.ts'
import { type Metric, single } from '../../platform/metrics/metrics.ts'

type ReadState = () => Promise<{ createdAt: Date; verifiedAt: Date | undefined; bytes: number } | undefined>

/** The age of backups by the clock of this machine. Without a backup there is none of these metrics. */
export function backupMetrics(readState: ReadState, clock: Clock): Metric[] {
  const secondsSince = (at: Date | undefined) =>
    at && Math.max(0, (clock.now().getTime() - at.getTime()) / SECOND_MS)
  return [
    single('svc_backup_age_seconds', async () => secondsSince((await readState())?.createdAt)),
    single('svc_backup_verified_age_seconds', async () => secondsSince((await readState())?.verifiedAt)),
    single('svc_backup_bytes', async () => (await readState())?.bytes),
  ]
}
