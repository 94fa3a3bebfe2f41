import { type Metric, type Sample, single } from '../../platform/metrics/metrics.ts'
import type { Sfu } from '../../platform/ports/sfu.ts'
import type { Calls } from './calls.ts'

export type JoinCounts = ReturnType<typeof createJoinCounts>

/** Counts joins of calls for the metrics page. */
export function createJoinCounts() {
  const counts = new Map<string, number>()
  return {
    count(mode: 'p2p' | 'sfu' | 'none', outcome: string) {
      const labels = `{mode="${mode}",outcome="${outcome}"}`
      counts.set(labels, (counts.get(labels) ?? 0) + 1)
    },
    samples: (): Sample[] => [...counts],
  }
}

/** Metrics contain no project, channel or player. */
export function voiceMetrics(
  calls: Pick<Calls, 'counts'>,
  joins: JoinCounts,
  sfu: Pick<Sfu, 'load'>,
): Metric[] {
  const byMode = (what: 'calls' | 'members') => () =>
    (['p2p', 'sfu'] as const).map((mode): Sample => [`{mode="${mode}"}`, calls.counts(mode)[what]])

  return [
    { name: 'svc_voice_calls', read: byMode('calls') },
    { name: 'svc_voice_members', read: byMode('members') },
    { name: 'svc_voice_joins_total', read: joins.samples },
    {
      name: 'svc_voice_packets_total',
      read() {
        const { packetsIn, packetsOut } = sfu.load().totals
        return [
          ['{direction="in"}', packetsIn],
          ['{direction="out"}', packetsOut],
        ]
      },
    },
    {
      name: 'svc_voice_dropped_total',
      read: () =>
        Object.entries(sfu.load().totals.dropped).map(([reason, count]) => [`{reason="${reason}"}`, count]),
    },
    single('svc_voice_tcp_connections', () => sfu.load().tcpConnections),
    single('svc_voice_process_cpu_seconds_total', () => sfu.load().totals.cpuSeconds),
    single('svc_voice_process_resident_bytes', () => sfu.load().residentBytes),
    single('svc_voice_process_loop_delay_seconds', () => sfu.load().loopDelayMs / 1_000),
    single('svc_voice_process_restarts_total', () => sfu.load().totals.restarts),
  ]
}
