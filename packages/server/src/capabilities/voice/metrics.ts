import type { Sfu } from '../../platform/ports/sfu.ts'
import type { Calls } from './calls.ts'

type Lines = readonly [labels: string, value: number][]
/** A metric for the operator, with labels in the format of Prometheus. */
export type Figure = { name: string; type: 'gauge' | 'counter'; help: string; read(): Lines }
export type JoinCounts = ReturnType<typeof createJoinCounts>

/** Counts joins of calls for the metrics page. */
export function createJoinCounts() {
  const counts = new Map<string, number>()
  return {
    count(mode: 'p2p' | 'sfu' | 'none', outcome: string) {
      const labels = `{mode="${mode}",outcome="${outcome}"}`
      counts.set(labels, (counts.get(labels) ?? 0) + 1)
    },
    lines: (): Lines => [...counts],
  }
}

/** The help of metrics whose name says what they measure. */
const OF_RELAY = 'Of the relay server'

/** Metrics contain no project, channel or player. */
export function voiceFigures(
  calls: Pick<Calls, 'counts'>,
  joins: JoinCounts,
  sfu: Pick<Sfu, 'load'>,
): Figure[] {
  const byMode = (what: 'calls' | 'members') => (): Lines =>
    (['p2p', 'sfu'] as const).map((mode) => [`{mode="${mode}"}`, calls.counts(mode)[what]])
  const figure = (name: string, type: Figure['type'], help: string, read: () => Lines): Figure => ({
    name: `svc_voice_${name}`,
    type,
    help,
    read,
  })
  type ReadLoad = (load: ReturnType<Sfu['load']>) => number
  const ofRelay = (name: string, type: Figure['type'], help: string, read: ReadLoad) =>
    figure(name, type, help, () => [['', read(sfu.load())]])

  return [
    figure('calls', 'gauge', 'Calls on this node', byMode('calls')),
    figure('members', 'gauge', 'People in calls on this node', byMode('members')),
    figure('joins_total', 'counter', 'Requests to join a call', joins.lines),
    figure('packets_total', 'counter', 'Packets of the relay server', () => {
      const { packetsIn, packetsOut } = sfu.load().totals
      return [
        ['{direction="in"}', packetsIn],
        ['{direction="out"}', packetsOut],
      ]
    }),
    figure('dropped_total', 'counter', 'Packets that were not forwarded', () =>
      Object.entries(sfu.load().totals.dropped).map(([reason, count]) => [`{reason="${reason}"}`, count]),
    ),
    ofRelay('tcp_connections', 'gauge', 'Clients that use TCP', (load) => load.tcpConnections),
    ofRelay('process_cpu_seconds_total', 'counter', OF_RELAY, ({ totals }) => totals.cpuSeconds),
    ofRelay('process_resident_bytes', 'gauge', OF_RELAY, (load) => load.residentBytes),
    ofRelay('process_loop_delay_seconds', 'gauge', OF_RELAY, (load) => load.loopDelayMs / 1_000),
    ofRelay('process_restarts_total', 'counter', OF_RELAY, ({ totals }) => totals.restarts),
  ]
}
