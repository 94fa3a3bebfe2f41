import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/clock.ts'
import type { Ids } from '../../platform/random.ts'
import type { Queries, RevocationRow, RevocationStore } from './store.ts'

/**
 * What was revoked. `subject` is the player id, the hash of the key, or the developer whose money is overdue or paid now; a config and
 * leaderboards have no subject but their environment.
 */
export type Revocation = {
  kind: 'player' | 'player_deleted' | 'key' | 'config' | 'money' | 'leaderboards' | 'voice'
  environmentId: string | null
  subject: string
}

/**
 * Looks at the current state and acts on it: the same revocation may come twice, and late. If it throws, it is called again at the
 * next read.
 */
type Handler = (revocation: Revocation) => Promise<unknown> | void

export type RevocationDeps = { ids: Ids; report(error: unknown): void }
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
 * How every node learns of bans, sign-outs, deletions, revoked keys and pushed configs, whatever the bus does: they are written to one
 * table, in the transaction of the change, and each node reads the new rows once a second.
 *
 * To add a kind: name it in `Revocation`, `note` it in the transaction that decides it, and
 * `on` it in the app, where the handler looks the current state up.
 */
export function createRevocations(store: RevocationStore, { ids, report }: RevocationDeps) {
  const handlers = new Map<Revocation['kind'], Handler>()
  /** What was handled, by id, as long as a read may return it again. */
  const handled = new Map<string, number>()
  /** What a handler failed on. */
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
    deleteBefore(nowMs - LONG_OVERLAP_MS - OVERLAP_MS)
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

  function deleteBefore(atMs: number) {
    for (const [id, at] of handled) if (at < atMs) handled.delete(id)
    for (const [id, row] of failed) if (row.atMs < atMs) failed.delete(id)
  }

  /** A read that began before this call may miss what was committed before this call: then one more follows. */
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
    /** In the transaction of the change. */
    note: async (queries: Queries, { kind, environmentId, subject }: Revocation): Promise<void> => {
      const atMs = Math.floor(store.databaseNowMs())
      await store.insert(queries, { id: ids('rev'), atMs, kind, environmentId, subject })
    },

    on: (kind: Revocation['kind'], handler: Handler) => void handlers.set(kind, handler),

    /** Once a second on every node: one query, however many connections there are. */
    read,

    purgeExpired: () => store.removeUpTo(Math.floor(store.databaseNowMs()) - RETENTION_MS),
  }
}
