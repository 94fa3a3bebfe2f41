import type pg from 'pg'

/**
 * Standbys of the server that this account sees. Without the role pg_monitor their kind is hidden; then the setting decides, which
 * says how many the server waits for.
 */
export async function readReplication(read: (query: pg.QueryConfig) => Promise<pg.QueryResult>) {
  const { rows } = await read({ text: QUERY })
  const { standbys, synchronous, hidden, names } = rows[0]
  const isWaitedFor = names !== '' && hidden > 0
  return { standbys: Number(standbys), synchronous: isWaitedFor ? 1 : Number(synchronous) }
}

const QUERY = `select count(*) as standbys,
  count(*) filter (where sync_state in ('sync', 'quorum')) as synchronous,
  count(*) filter (where sync_state is null) as hidden,
  current_setting('synchronous_standby_names') as names
  from pg_stat_replication`
