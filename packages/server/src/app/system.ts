import { createJobStore } from '../capabilities/jobs/index.ts'
import { backupMetrics, createSampler, createSystem, systemRoutes } from '../capabilities/system/index.ts'
import { single } from '../platform/metrics/metrics.ts'
import { VERSION } from '../version.ts'
import type { BackupsModule } from './backups.ts'
import type { buildEdge } from './edge.ts'
import type { Foundation, Mounts } from './foundation.ts'
import type { buildRealtime } from './realtime.ts'

type SystemModuleDeps = {
  backups: BackupsModule
  edge: Pick<ReturnType<typeof buildEdge>, 'checks' | 'findDown' | 'metrics' | 'partStates'>
  realtime: Pick<ReturnType<typeof buildRealtime>, 'queries' | 'connectionsHere'>
}

/** The state of the service, for operators. */
export function buildSystem(foundation: Foundation, { backups, edge, realtime }: SystemModuleDeps) {
  const { db, clock, cluster, mail, dataFolder, outbox, settings } = foundation
  const { metrics, checks, findDown, partStates } = edge
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
    partStates,
    mailQueue: outbox.countQueue,
    jobs: createJobStore(db).list,
    storage: dataFolder.storage,
  })
  return {
    mount({ route, metric }: Mounts) {
      systemRoutes(route, system, backups.backups)
      metric({
        name: 'svc_build_info',
        read: () => [[`{version="${VERSION}",node="${process.versions.node}"}`, 1]],
      })
      metric(single('svc_log_lines_lost_total', foundation.logLinesLost))
      metric(single('svc_disk_free_bytes', async () => (await dataFolder.storage()).freeBytes))
      backupMetrics(backups.backups.state, clock, settings.backup.everyHours).forEach(metric)
    },
    everyMinute: sampler.sample,
  }
}
