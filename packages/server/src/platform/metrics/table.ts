/** What a metric is. `labels` are names only: no label ever has an id, a name or an address as its value. */
type Description = { type: 'gauge' | 'counter' | 'histogram'; help: string; labels?: readonly string[] }

const gauge = (help: string, ...labels: string[]): Description => ({ type: 'gauge', help, labels })
const counter = (help: string, ...labels: string[]): Description => ({ type: 'counter', help, labels })
const histogram = (help: string, ...labels: string[]): Description => ({ type: 'histogram', help, labels })

/**
 * Every metric of the service. The code that has the number registers it by its name (`metrics.ts`); the table of the guide, the
 * dashboard and the alerts are made from these names.
 */
export const METRICS = {
  svc_build_info: gauge(
    'Always 1; the labels have the versions of the service and of Node',
    'version',
    'node',
  ),

  svc_http_requests_total: counter('HTTP requests answered', 'method', 'route', 'status'),
  svc_http_request_duration_seconds: histogram(
    'Seconds from the first byte of a request to the first of its answer',
    'method',
    'route',
  ),
  svc_escaped_errors_total: counter('Errors that no code has caught, by what they belong to', 'source'),
  svc_log_lines_lost_total: counter(
    'Log lines that could not be written, for example because the disk was full',
  ),
  svc_traces_dropped_total: counter('Spans that could not be sent to the collector'),

  svc_realtime_connections: gauge('Open WebSocket connections of this node'),
  svc_realtime_logins_waiting: gauge(
    'Open WebSocket connections of this node whose login waits, because many others are being looked up',
  ),
  svc_realtime_frames_total: counter('Frames that clients have sent'),
  svc_realtime_deliveries_total: counter('Frames that were sent to clients'),
  svc_realtime_closes_total: counter('Closed WebSocket connections, by close code', 'code'),
  svc_rooms: gauge('Rooms that this node runs'),
  svc_channels: gauge('Channels that this node runs'),
  svc_matchmaking_waiting: gauge('Players who wait for a match in queues of this node'),

  svc_sqlite_wal_bytes: gauge('Bytes of the write-ahead log of SQLite'),
  svc_sqlite_sync_seconds: histogram('Seconds of one sync of the write-ahead log to the disk'),
  svc_postgres_waiting: gauge('Transactions that wait for a connection to PostgreSQL'),
  svc_lock_wait_seconds: histogram(
    'Seconds that a write has waited for its turn: on SQLite for the writer, on PostgreSQL for a lock',
  ),
  svc_removal_overdue_seconds: gauge(
    'Seconds since the oldest row that should be removed by its age should have been gone, as this node saw it last',
    'table',
  ),
  svc_jobs_given_up_total: counter('Runs of scheduled jobs that failed at every attempt', 'name'),
  svc_disk_free_bytes: gauge('Free bytes on the disk of the data folder'),

  svc_mail_waiting: gauge('Mails of the whole service that wait to be sent by SMTP'),
  svc_webhook_deliveries_total: counter('Calls of webhooks of developers, by outcome', 'outcome'),

  svc_functions_processes: gauge('Processes of functions that run on this node'),
  svc_functions_starts_total: counter('Started processes of functions, by outcome', 'outcome'),
  svc_functions_requests_total: counter('Requests to functions on this node, by outcome', 'outcome'),
  svc_functions_limits_total: counter('Requests to functions that a limit has ended, by limit', 'limit'),

  svc_cards_drawn_total: counter('Cards that were requested from the drawing process, by outcome', 'outcome'),
  svc_cards_waiting: gauge('Cards that wait to be drawn'),

  svc_voice_calls: gauge('Calls on this node, by mode', 'mode'),
  svc_voice_members: gauge('People in calls on this node, by mode', 'mode'),
  svc_voice_joins_total: counter('Requests to join a call', 'mode', 'outcome'),
  svc_voice_packets_total: counter('Packets of the relay server', 'direction'),
  svc_voice_dropped_total: counter('Packets that the relay server did not forward', 'reason'),
  svc_voice_tcp_connections: gauge('Clients of the relay server that use TCP'),
  svc_voice_process_cpu_seconds_total: counter('CPU seconds of the relay server'),
  svc_voice_process_resident_bytes: gauge('Bytes of memory of the relay server'),
  svc_voice_process_loop_delay_seconds: gauge('Seconds by which the event loop of the relay server is late'),
  svc_voice_process_restarts_total: counter('Restarts of the relay server'),
  svc_turn_allocations: gauge('Open allocations of the embedded TURN relay'),
  svc_turn_bytes_total: counter('Bytes of players that the embedded TURN relay has forwarded'),

  svc_money_mismatches: gauge('Differences that the last verification of money found'),

  svc_backup_age_seconds: gauge('Seconds since the newest backup was made'),
  svc_backup_age_max_seconds: gauge(
    'Seconds after which the newest backup is old: 1.5 times SVC_BACKUP_HOURS',
  ),
  svc_backup_verified_age_seconds: gauge('Seconds since the newest backup that was verified was made'),
  svc_backup_wal_age_seconds: gauge('Seconds that the oldest write waits to be copied for a point in time'),
  svc_backup_bytes: gauge('Bytes of the newest backup'),

  svc_cluster_nodes: gauge('Nodes that this node knows, itself included'),
  svc_cluster_lost_total: counter('Nodes that were lost without having announced their stop'),

  process_cpu_seconds_total: counter('CPU seconds of the process, user and system'),
  process_resident_memory_bytes: gauge('Bytes of memory of the process'),
  process_open_fds: gauge('Open file descriptors of the process'),
  process_max_fds: gauge('File descriptors that the process may open'),
  process_start_time_seconds: gauge('Unix time in seconds at which the process started'),
  nodejs_heap_size_used_bytes: gauge('Bytes of the JavaScript heap in use'),
  nodejs_eventloop_lag_p99_seconds: gauge(
    '99th percentile of the delay of the event loop in the last minute, in seconds',
  ),
} satisfies Record<string, Description>

/** The name of a metric of this service. */
export type MetricName = keyof typeof METRICS
