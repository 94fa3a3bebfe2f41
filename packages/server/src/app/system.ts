import { createJobStore } from '../capabilities/jobs/index.ts'
import { createBackups, createSampler, createSystem, systemRoutes } from '../capabilities/system/index.ts'
import { HOUR_MS } from '../platform/clock.ts'
import { runSequentially } from '../platform/jobs/run-sequentially.ts'
import { SERVICE_CHAIN } from '../platform/ports/audit.ts'
import { VERSION } from '../version.ts'
import type { buildEdge } from './edge.ts'
import type { Foundation, Mounts } from './foundation.ts'
import type { buildRealtime } from './realtime.ts'

type SystemModuleDeps = {
  edge: Pick<ReturnType<typeof buildEdge>, 'checks' | 'findDown' | 'metrics'>
  realtime: Pick<ReturnType<typeof buildRealtime>, 'queries' | 'connectionsHere'>
}

/** The state of the service and its backups, for operators. */
export function buildSystem(foundation: Foundation, { edge, realtime }: SystemModuleDeps) {
  const { tools, db, audit, clock, cluster, mail, dataFolder, outbox, log, settings } = foundation
  const { metrics, checks, findDown } = edge
  const shared = settings.redisUrl === undefined ? 'memory' : 'redis'

  const sampler = createSampler({
    clock,
    totals: metrics.totals,
    bucketsMs: metrics.bucketsMs,
    connections: realtime.connectionsHere,
    usage() {
      const { user, system } = process.cpuUsage()
      return { cpuMicros: user + system, memoryBytes: process.memoryUsage.rss() }
    },
  })
  const system = createSystem({
    clock,
    queries: realtime.queries,
    sampler,
    node: {
      id: cluster.nodeId,
      version: VERSION,
      heapBytes: () => process.memoryUsage().heapUsed,
      eventLoopP99Ms: metrics.eventLoopP99Ms,
    },
    checks: { ...checks, mail: mail.ping },
    kinds: {
      database: db.engine,
      bus: shared,
      counters: shared,
      blobs: settings.blobs.url === undefined ? 'files' : 's3',
      mail: mail.name,
    },
    findDown,
    mailQueue: outbox.countQueue,
    jobs: createJobStore(db).list,
    storage: dataFolder.storage,
  })
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
    reportNotice: (notice) => log.warn(notice, 'a backup is incomplete'),
    reportFailure: (failure) => log.error(failure, 'a backup failed'),
  })

  return {
    mount({ route, figure }: Mounts) {
      systemRoutes(route, system, backups)
      figure({
        name: 'svc_log_lines_lost_total',
        type: 'counter',
        help: 'Log lines that could not be written, for example because the disk was full',
        read: () => [['', foundation.logLinesLost()]],
      })
    },
    backups: { state: backups.state },
    everyMinute: () => runSequentially([sampler.sample, backups.refresh]),
    // Every hour, although most are not due then: how long ago the last one was decides, not the hour of the day.
    jobs: [{ name: 'system.backup', everyMs: HOUR_MS, run: backups.createIfDue }],
  }
}
