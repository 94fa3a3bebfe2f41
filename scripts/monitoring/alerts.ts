/**
 * `page`: somebody must act now. `ticket`: somebody must act in the next days. `todo` is the one sentence that the person who is
 * called needs.
 */
export type Alert = {
  name: string
  severity: 'page' | 'ticket'
  expr: string
  /** How long the expression must hold. */
  for: string
  summary: string
  todo: string
}

const page = (name: string, wait: string, expr: string, summary: string, todo: string): Alert => ({
  name,
  severity: 'page',
  for: wait,
  expr,
  summary,
  todo,
})
const ticket = (...args: Parameters<typeof page>): Alert => ({ ...page(...args), severity: 'ticket' })

/** Without the routes `app`: files, and functions, whose code is not the operator's. */
const OWN = 'route!="app"'
const p99 = (metric: string, labels = '') =>
  `histogram_quantile(0.99, sum by (job, instance, le) (rate(${metric}_bucket${labels}[10m])))`

export const ALERTS: readonly Alert[] = [
  page(
    'SvcDown',
    '2m',
    'up{job="svc"} == 0',
    'A node does not answer Prometheus',
    'Look at the state of the process and its last log lines (systemctl status svc, journalctl -u svc -n 100); start it again if it has ended.',
  ),
  page(
    'SvcErrors',
    '5m',
    `sum by (job) (rate(svc_http_requests_total{${OWN},status=~"5.."}[5m])) / sum by (job) (rate(svc_http_requests_total{${OWN}}[5m])) > 0.02`,
    'More than 2 % of the requests fail with a status of 500 or more',
    'Run svc doctor to see which part does not answer, and read the log lines of level error.',
  ),
  ticket(
    'SvcSlow',
    '10m',
    `${p99('svc_http_request_duration_seconds', `{${OWN}}`)} > 1`,
    'One request in a hundred takes longer than a second',
    'Look at the rows Latency and Database of the dashboard: a full processor needs more cores or nodes, a slow disk or PostgreSQL a faster one.',
  ),
  ticket(
    'SvcBusy',
    '15m',
    'rate(process_cpu_seconds_total[5m]) > 0.9 and on (job, instance) svc_build_info',
    'A node uses nearly a whole core',
    'Add a node, or give this one less work: one node cannot use much more than one core for requests.',
  ),
  page(
    'SvcRestarts',
    '0m',
    'changes(process_start_time_seconds[15m]) > 2 and on (job, instance) svc_build_info',
    'A node has started more than twice in 15 minutes',
    'Read the log lines before each start; out of memory is in the log of the kernel (journalctl -k).',
  ),
  ticket(
    'SvcEscapedErrors',
    '0m',
    'increase(svc_escaped_errors_total{source="service"}[15m]) > 0',
    'An error of the service was handled by no code',
    'Report the line "an error escaped" of the log as a bug, with its stack.',
  ),
  ticket(
    'SvcOpenFiles',
    '10m',
    'process_open_fds / process_max_fds > 0.8 and on (job, instance) svc_build_info',
    'A node has opened 80 % of the files that it may open',
    'Raise the limit (LimitNOFILE=65536 in the unit of systemd, or ulimit -n) and restart the node.',
  ),
  page(
    'SvcDiskFull',
    '5m',
    'svc_disk_free_bytes < 2e9',
    'Less than 2 GB are free on the disk of the data folder',
    'Free or add space now: without it no write is accepted; copies of old upgrades in backups/ can be deleted.',
  ),
  ticket(
    'SvcDiskFillsUp',
    '1h',
    'predict_linear(svc_disk_free_bytes[6h], 3 * 86400) < 0',
    'The disk of the data folder is full in three days at this rate',
    'See what grows (du -sh on the data folder), and add space.',
  ),
  ticket(
    'SvcLogLinesLost',
    '0m',
    'increase(svc_log_lines_lost_total[15m]) > 0',
    'Log lines could not be written',
    'Check that the disk of the log has space and that the program that reads the log keeps up.',
  ),
  ticket(
    'SvcWalLarge',
    '10m',
    'svc_sqlite_wal_bytes > 256e6',
    'The write-ahead log of SQLite does not shrink',
    'Find the program that reads the database file for long (fuser -v svc.sqlite), such as a copy or a shell, and end it.',
  ),
  ticket(
    'SvcSyncSlow',
    '10m',
    `${p99('svc_sqlite_sync_seconds')} > 0.5`,
    'The disk takes longer than half a second to sync',
    'Look for other programs that write to the same disk (iostat -x 5), or move the data folder to a faster one.',
  ),
  ticket(
    'SvcLockWait',
    '10m',
    `${p99('svc_lock_wait_seconds')} > 1`,
    'Writes wait longer than a second for their turn',
    'Look for long transactions (on PostgreSQL in pg_stat_activity) and for one player or game that writes very often.',
  ),
  ticket(
    'SvcRemovalBehind',
    '1h',
    'max by (job, table) (svc_removal_overdue_seconds) > 2 * 86400',
    'Old rows of a table should have been removed two days ago',
    'Read the log lines "a scheduled job failed", and see whether the database is slow: personal data is stored for longer than the table of the privacy page says.',
  ),
  ticket(
    'SvcJobsGivenUp',
    '0m',
    'sum by (job, name) (increase(svc_jobs_given_up_total[2h])) > 0',
    'A scheduled job has failed at every attempt',
    'Read the log lines "a scheduled job failed", which have its name and the reason; its next slot goes on with what is left.',
  ),
  page(
    'SvcPostgresWaiting',
    '5m',
    'svc_postgres_waiting > 20',
    'Transactions wait for a connection to PostgreSQL',
    'Look at the load and the locks of PostgreSQL (pg_stat_activity); if it is idle, restart the node.',
  ),
  ticket(
    'SvcMailWaiting',
    '30m',
    'max by (job) (svc_mail_waiting) > 100',
    'More than 100 mails wait to be sent',
    'Run svc doctor against the service and read the reasons in the log lines "mail not delivered".',
  ),
  ticket(
    'SvcFunctionsFull',
    '10m',
    'increase(svc_functions_limits_total{limit="processes"}[10m]) > 0',
    'Functions were refused, because too many processes run',
    'Raise FUNCTIONS_PROCESSES_MAX if there is memory (30 MB for each), or add a node.',
  ),
  ticket(
    'SvcCardsFail',
    '0m',
    'increase(svc_cards_drawn_total{outcome=~"crashed|timeout"}[30m]) > 5',
    'Cards could not be drawn',
    'Read the log lines "was not drawn": they name the environment and the reason; a busy machine needs more cores.',
  ),
  ticket(
    'SvcVoiceRestarts',
    '0m',
    'increase(svc_voice_process_restarts_total[30m]) > 2',
    'The relay server of voice calls has ended several times',
    'Read the log lines that begin with "voice:"; they contain the reason.',
  ),
  ticket(
    'SvcTurnFull',
    '10m',
    'svc_turn_allocations > 12800',
    'The embedded TURN relay has 80 % of the allocations that it can have',
    'Set up coturn and TURN_URLS before it refuses players.',
  ),
  page(
    'SvcMoneyMismatch',
    '0m',
    'max by (job) (svc_money_mismatches) > 0',
    'Balances, ledger and payments do not agree',
    'Run svc-server money verify, which lists the differences, and correct nothing before their cause is known.',
  ),
  page(
    'SvcBackupOld',
    '10m',
    'min by (job) (svc_backup_age_seconds) > max by (job) (svc_backup_age_max_seconds)',
    'The newest backup is older than 1.5 times SVC_BACKUP_HOURS',
    'Read the log line "a backup failed", and make one by hand: svc backup.',
  ),
  ticket(
    'SvcBackupNotVerified',
    '10m',
    'min by (job) (svc_backup_verified_age_seconds) > 2 * max by (job) (svc_backup_age_max_seconds)',
    'No backup of the last three periods of SVC_BACKUP_HOURS has passed its verification',
    'Read the log for the reason, and restore the newest backup into an empty folder to see whether it can be used.',
  ),
  ticket(
    'SvcBackupMissing',
    '24h',
    'svc_sqlite_wal_bytes unless on (job, instance) svc_backup_age_seconds',
    'A service on SQLite has no backup in its data folder',
    'Turn scheduled backups on, or ignore this alert if you copy backups elsewhere and delete them here.',
  ),
  page(
    'SvcPointInTimeStopped',
    '5m',
    'svc_backup_wal_age_seconds > 600',
    'Writes of the last ten minutes are not copied for a point in time',
    'Read the log line "point in time", which has the reason: a full disk, or S3 that does not answer.',
  ),
  ticket(
    'SvcNodeLost',
    '0m',
    'increase(svc_cluster_lost_total[10m]) > 0',
    'A node was lost that had not announced its stop',
    'Look at the machine of the node that is missing: the others have taken over its rooms.',
  ),
  page(
    'SvcNodesDisagree',
    '5m',
    'max by (job) (svc_cluster_nodes) != min by (job) (svc_cluster_nodes)',
    'Nodes do not know the same number of nodes',
    'Check that every node reaches the same Redis, and that no node has another REDIS_URL or SVC_REDIS_PREFIX.',
  ),
  ticket(
    'SvcVersionsDiffer',
    '2h',
    'count by (job) (count by (job, version) (svc_build_info)) > 1',
    'Nodes of different versions run for more than two hours',
    'Finish the upgrade, or go back: replace the remaining nodes one by one.',
  ),
  ticket(
    'SvcTracesDropped',
    '30m',
    'rate(svc_traces_dropped_total[10m]) > 0',
    'Spans do not reach the collector',
    'Check OTEL_EXPORTER_OTLP_ENDPOINT and the collector; requests are not affected.',
  ),
]
