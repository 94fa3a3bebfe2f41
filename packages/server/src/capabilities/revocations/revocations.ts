import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/clock.ts'
import type { Ids } from '../../platform/random.ts'
import type { Queries, RevocationRow, RevocationStore } from './store.ts'

/**
 * What was revoked. `subject` is the player id, the hash of the key or of an agent's token, the developer who became overdue or has paid, the project and
 * the developer whose role changed (with a blank between), or the project with another owner; configs and leaderboards have only an
 * environment.
 */
export type Revocation = {
  kind:
    | 'player'
    | 'player_deleted'
    | 'key'
    | 'config'
    | 'money'
    | 'leaderboards'
    | 'voice'
    | 'member'
    | 'owner'
    | 'agent'
  environmentId: string | null
  subject: string
}

/**
 * Must read the current state and act on it, because a revocation may arrive twice, and late. If it throws, it is called again at
 * the next read.
 */
type Handler = (revocation: Revocation) => Promise<unknown> | void

type RevocationDeps = { ids: Ids; report(error: unknown): void }
export type Revocations = ReturnType<typeof createRevocations>

/**
 * A row gets its time when it is written and becomes visible when its transaction commits, which is nearly always within a second. So
 * each read begins this much before the last one, and every 15th begins a minute before: no transaction takes longer than that.
 */
const OVERLAP_MS = 5 * SECOND_MS
const LONG_OVERLAP_MS = MINUTE_MS
const LONG_OVERLAP_EVERY = 15
const RETENTION_MS = HOUR_MS

/**
 * Every node learns of bans, sign-outs, deletions, revoked keys and pushed configs, also if bus messages are lost: they are written
 * to one table, in the transaction of the change, and each node reads the new rows once per second.
 *
 * To add a kind: add it to `Revocation`, call `note` in the transaction of the change, and add a handler with `on` in the app that
 * reads the current state.
 */
export function createRevocations(store: RevocationStore, { ids, report }: RevocationDeps) {
  const handlers = new Map<Revocation['kind'], Handler>()
  /** The handled revocations by id, as long as a read may return them again. */
  const handled = new Map<string, number>()
  /** The revocations whose handler failed. */
  const failed = new Map<string, RevocationRow>()
  let readAtMs = store.databaseNowMs()
  let reads = 0
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  async function readOnce(): Promise<void> {
    const nowMs = store.databaseNowMs()
    const overlapMs = ++reads % LONG_OVERLAP_EVERY === 0 ? LONG_OVERLAP_MS : OVERLAP_MS
    const rows = await store.after(Math.floor(readAtMs - overlapMs))
    readAtMs = nowMs
    const due = rows.filter(({ id }) => !handled.has(id) && !failed.has(id))
    await Promise.all([...failed.values(), ...due].map(handle))
    forgetOld(nowMs)
  }

  async function handle(row: RevocationRow): Promise<void> {
    try {
      await handlers.get(row.kind as Revocation['kind'])?.(row as Revocation)
      failed.delete(row.id)
      handled.set(row.id, row.atMs)
    } catch (error) {
      failed.set(row.id, row)
      report(error)
    }
  }

  /** What has failed is tried for as long as its row is kept: the database may be slow for minutes. */
  function forgetOld(nowMs: number) {
    for (const [id, atMs] of handled) if (atMs < nowMs - LONG_OVERLAP_MS - OVERLAP_MS) handled.delete(id)
    for (const [id, { atMs }] of failed) if (atMs < nowMs - RETENTION_MS) failed.delete(id)
  }

  /** A read that is already running may miss rows that were committed before this call, so one more follows. */
  async function read(): Promise<void> {
    if (!running) {
      running = readOnce().finally(() => (running = undefined))
      return running
    }
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined
        return read()
      })
    return next
  }

  return {
    /** Call in the transaction of the change. */
    note: async (queries: Queries, { kind, environmentId, subject }: Revocation): Promise<void> => {
      const atMs = Math.floor(store.databaseNowMs())
      await store.insert(queries, { id: ids('rev'), atMs, kind, environmentId, subject })
    },

    on: (kind: Revocation['kind'], handler: Handler) => void handlers.set(kind, handler),

    /** Runs once per second on every node: one query, for any number of connections. */
    read,

    purgeExpired: (stopping?: AbortSignal) =>
      store.removeUpTo(Math.floor(store.databaseNowMs()) - RETENTION_MS, stopping),
  }
}
