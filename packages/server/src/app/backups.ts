import { createBackups } from '../capabilities/system/index.ts'
import { HOUR_MS } from '../platform/clock.ts'
import { SERVICE_CHAIN } from '../platform/ports/audit.ts'
import type { Foundation } from './foundation.ts'

export type BackupsModule = ReturnType<typeof buildBackups>

/** Backups: when they are written, and how the last one went. */
export function buildBackups({ tools, db, audit, dataFolder, log }: Foundation) {
  const backups = createBackups({
    ...tools,
    archives: dataFolder.archives,
    recordBegun: (actor, target) =>
      db.transaction((transaction) =>
        audit.record(transaction, {
          projectId: SERVICE_CHAIN,
          env: null,
          actor,
          action: 'backup.create',
          target,
          details: {},
        }),
      ),
    reportDone: (done) => log.info(done, 'a backup was written and verified'),
    reportNotice: (notice) => log.warn(notice, 'a backup has a notice'),
    reportFailure: (failure) => log.error(failure, 'a backup failed'),
  })

  return {
    backups,
    mount() {},
    everyMinute: backups.refresh,
    // Every hour, although most are not due then: how long ago the last one was decides, not the hour of the day.
    jobs: [{ name: 'system.backup', everyMs: HOUR_MS, run: backups.createIfDue }],
  }
}
