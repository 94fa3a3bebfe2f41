/** What the dashboard shows and when an alert fires: `npm run generate` writes docs/operations from it. */

/** Units of Grafana. */
type Unit = 's' | 'bytes' | 'short' | 'percentunit' | 'reqps' | 'cps' | 'Bps' | 'pps'
export type Query = { expr: string; legend: string }
/** `stat`: one large number, with a colour from these steps on. */
export type Panel = {
  title: string
  about: string
  unit: Unit
  queries: readonly Query[]
  stat?: { green?: number; orange?: number; red: number }
  isStacked?: boolean
}
export type Row = { title: string; panels: readonly Panel[] }

const panel = (
  title: string,
  unit: Unit,
  about: string,
  queries: Record<string, string>,
  more: Partial<Pick<Panel, 'stat' | 'isStacked'>> = {},
): Panel => ({
  title,
  unit,
  about,
  queries: Object.entries(queries).map(([legend, expr]) => ({ legend, expr })),
  ...more,
})

const rate = (metric: string, by = '') => `sum${by && ` by (${by})`} (rate(${metric}[$__rate_interval]))`
const quantile = (share: number, metric: string, by = '') =>
  `histogram_quantile(${share}, sum by (${by && `${by}, `}le) (rate(${metric}_bucket[$__rate_interval])))`
const quantiles = (metric: string) => ({
  p50: quantile(0.5, metric),
  p95: quantile(0.95, metric),
  p99: quantile(0.99, metric),
})

const REQUESTS = 'svc_http_requests_total'
const FAILED = `${REQUESTS}{status=~"5.."}`
const SECONDS = 'svc_http_request_duration_seconds'

export const ROWS: readonly Row[] = [
  {
    title: 'At a glance',
    panels: [
      panel(
        'Nodes',
        'short',
        'Nodes that answer',
        { nodes: 'count(svc_build_info)' },
        { stat: { red: 0, green: 1 } },
      ),
      panel(
        'Requests',
        'reqps',
        'Requests answered per second',
        { requests: rate(REQUESTS) },
        { stat: { red: Infinity } },
      ),
      panel(
        'Errors',
        'percentunit',
        'Share of requests with a status of 500 or more',
        { errors: `(${rate(FAILED)} or vector(0)) / ${rate(REQUESTS)}` },
        { stat: { orange: 0.005, red: 0.02 } },
      ),
      panel(
        'p99',
        's',
        'Of 100 requests, 99 are faster',
        { p99: quantile(0.99, SECONDS) },
        { stat: { orange: 0.5, red: 1 } },
      ),
      panel(
        'Connections',
        'short',
        'Open WebSocket connections',
        { connections: 'sum(svc_realtime_connections)' },
        { stat: { red: Infinity } },
      ),
      panel(
        'Backup',
        's',
        'Age of the newest backup',
        { age: 'min(svc_backup_age_seconds)' },
        { stat: { orange: 100_000, red: 129_600 } },
      ),
    ],
  },
  {
    title: 'Traffic and errors',
    panels: [
      panel(
        'Requests by status',
        'reqps',
        'Answers per second',
        { '{{status}}': rate(REQUESTS, 'status') },
        { isStacked: true },
      ),
      panel('Busiest routes', 'reqps', 'The ten routes with the most requests', {
        '{{method}} {{route}}': `topk(10, ${rate(REQUESTS, 'method, route')})`,
      }),
      panel('Failures by route', 'reqps', 'Answers with a status of 500 or more', {
        '{{method}} {{route}} {{status}}': rate(FAILED, 'method, route, status'),
      }),
      panel('Errors that nobody handled', 'cps', 'Bugs: every one is in the log with its stack', {
        'escaped, {{source}}': rate('svc_escaped_errors_total', 'source'),
        'log lines lost': rate('svc_log_lines_lost_total'),
      }),
    ],
  },
  {
    title: 'Latency',
    panels: [
      panel(
        'All requests',
        's',
        'From the first byte of the request to the first of the answer',
        quantiles(SECONDS),
      ),
      panel('Slowest routes (p99)', 's', 'The ten slowest routes', {
        '{{method}} {{route}}': `topk(10, ${quantile(0.99, SECONDS, 'method, route')})`,
      }),
      panel(
        'Event loop',
        's',
        '99th percentile of the delay in the last minute: above 0.1 s something blocks the process',
        { '{{instance}}': 'nodejs_eventloop_lag_p99_seconds' },
      ),
    ],
  },
  {
    title: 'Realtime',
    panels: [
      panel(
        'Connections',
        'short',
        'Open WebSocket connections of each node',
        { '{{instance}}': 'svc_realtime_connections' },
        { isStacked: true },
      ),
      panel('Frames', 'cps', 'Frames per second from clients and to clients', {
        received: rate('svc_realtime_frames_total'),
        sent: rate('svc_realtime_deliveries_total'),
      }),
      panel(
        'Closes by code',
        'cps',
        '1000 and 1001: the client left; 1006: lost; 1012: restart; 4029: too many or too slow',
        { '{{code}}': rate('svc_realtime_closes_total', 'code') },
        { isStacked: true },
      ),
      panel('Rooms and channels', 'short', 'Rooms, channels and players who wait for a match', {
        rooms: 'sum(svc_rooms)',
        channels: 'sum(svc_channels)',
        'waiting for a match': 'sum(svc_matchmaking_waiting)',
      }),
    ],
  },
  {
    title: 'Database and cluster',
    panels: [
      panel(
        'Wait for a lock',
        's',
        'How long writes wait for their turn',
        quantiles('svc_lock_wait_seconds'),
      ),
      panel(
        'Sync to the disk',
        's',
        'SQLite: one sync of the write-ahead log',
        quantiles('svc_sqlite_sync_seconds'),
      ),
      panel('Write-ahead log', 'bytes', 'SQLite: grows while something reads the file for long', {
        '{{instance}}': 'svc_sqlite_wal_bytes',
      }),
      panel('Transactions waiting', 'short', 'PostgreSQL: transactions without a connection', {
        '{{instance}}': 'svc_postgres_waiting',
      }),
      panel('Removal of old rows', 's', 'Since when the oldest row of a table should have been gone', {
        '{{table}}': 'max by (table) (svc_removal_overdue_seconds)',
      }),
      panel('Nodes', 'short', 'Nodes that each node knows, and nodes lost', {
        'known by {{instance}}': 'svc_cluster_nodes',
        'lost in 10 minutes': 'sum(increase(svc_cluster_lost_total[10m]))',
      }),
    ],
  },
  {
    title: 'Functions and webhooks',
    panels: [
      panel(
        'Requests to functions',
        'reqps',
        'By outcome; an error is a status of 500 or more, or no answer',
        { '{{outcome}}': rate('svc_functions_requests_total', 'outcome') },
        { isStacked: true },
      ),
      panel(
        'Processes',
        'short',
        'Processes of functions that run',
        { '{{instance}}': 'svc_functions_processes' },
        { isStacked: true },
      ),
      panel('Starts', 'cps', 'Started processes', {
        '{{outcome}}': rate('svc_functions_starts_total', 'outcome'),
      }),
      panel('Limits reached', 'cps', 'Requests that a limit has ended', {
        '{{limit}}': rate('svc_functions_limits_total', 'limit'),
      }),
      panel('Webhooks', 'cps', 'Calls of webhooks of developers', {
        '{{outcome}}': rate('svc_webhook_deliveries_total', 'outcome'),
      }),
    ],
  },
  {
    title: 'Voice and peer-to-peer',
    panels: [
      panel('People in calls', 'short', 'By mode', {
        '{{mode}}': 'sum by (mode) (svc_voice_members)',
        'calls, {{mode}}': 'sum by (mode) (svc_voice_calls)',
      }),
      panel('Joins', 'cps', 'Requests to join a call', {
        '{{mode}} {{outcome}}': rate('svc_voice_joins_total', 'mode, outcome'),
      }),
      panel('Packets', 'pps', 'Of the relay server', {
        '{{direction}}': rate('svc_voice_packets_total', 'direction'),
        'not forwarded, {{reason}}': rate('svc_voice_dropped_total', 'reason'),
      }),
      panel('Relay server', 'percentunit', 'Share of a core', {
        '{{instance}}': 'rate(svc_voice_process_cpu_seconds_total[$__rate_interval])',
      }),
      panel('TURN', 'Bps', 'Bytes per second through the embedded relay', {
        bytes: rate('svc_turn_bytes_total'),
      }),
      panel('TURN allocations', 'short', 'At most 16,000', { '{{instance}}': 'svc_turn_allocations' }),
    ],
  },
  {
    title: 'Cards, mail, money, backups',
    panels: [
      panel('Cards', 'cps', 'Cards drawn, by outcome', {
        '{{outcome}}': rate('svc_cards_drawn_total', 'outcome'),
      }),
      panel('Waiting', 'short', 'Cards that wait to be drawn, and mails that wait to be sent', {
        cards: 'sum(svc_cards_waiting)',
        mails: 'max(svc_mail_waiting)',
      }),
      panel(
        'Money',
        'short',
        'Differences that the last verification found: must be 0',
        { mismatches: 'max(svc_money_mismatches)' },
        { stat: { red: 1 } },
      ),
      panel('Age of backups', 's', 'The newest, and the newest that was verified', {
        newest: 'min(svc_backup_age_seconds)',
        verified: 'min(svc_backup_verified_age_seconds)',
        'point in time': 'max(svc_backup_wal_age_seconds)',
      }),
      panel('Size of backups', 'bytes', 'The newest backup', { '{{instance}}': 'svc_backup_bytes' }),
    ],
  },
  {
    title: 'Machine',
    panels: [
      panel('CPU', 'percentunit', '1 is one core; the event loop of a node cannot use more', {
        '{{instance}}': 'rate(process_cpu_seconds_total[$__rate_interval])',
      }),
      panel('Memory', 'bytes', 'Resident memory, and the JavaScript heap in use', {
        '{{instance}}': 'process_resident_memory_bytes',
        'heap of {{instance}}': 'nodejs_heap_size_used_bytes',
      }),
      panel('Free disk', 'bytes', 'On the disk of the data folder', {
        '{{instance}}': 'svc_disk_free_bytes',
      }),
      panel('Open files', 'percentunit', 'Share of the limit of the process', {
        '{{instance}}': 'process_open_fds / process_max_fds',
      }),
    ],
  },
]
