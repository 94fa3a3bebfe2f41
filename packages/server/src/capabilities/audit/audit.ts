import type { AuditEntry } from '@svc/contract/audit'
import type { Actor, EnvironmentName } from '@svc/contract/common/schemas'

import { behalfOf } from '../../platform/agent.ts'
import { ApiError, invalidField } from '../../platform/api-error.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Project } from '../../platform/environment.ts'
import { pageOf } from '../../platform/http/row-pages.ts'
import { type AuditChange, SERVICE_CHAIN } from '../../platform/ports/audit.ts'
import type { Ids } from '../../platform/random.ts'
import type { AuditStore, EntryRow, Filter, Scope, Transaction } from './store.ts'

export type Audit = ReturnType<typeof createAudit>

type Query = { limit?: number; before?: string; env?: string; wholeProject?: boolean } & Filter

/**
 * How many entries one filtered page reads at most: a search for a rare action takes several short requests, not one long request.
 */
const SCANNED_MAX = 5_000

const ENVIRONMENTS = new Map<string, EnvironmentName>([
  ['development', 'development'],
  ['dev', 'development'],
  ['production', 'production'],
  ['prod', 'production'],
])

/** Records who changed what, in the transaction of the change, in one chain of hashes per project. */
export function createAudit(store: AuditStore, clock: Clock, ids: Ids) {
  /** The numbers of a chain have no gaps, so a range of numbers limits how many rows are read. */
  async function search(
    projectId: string,
    scope: Scope,
    beforeSequence: number,
    filter: Filter,
    limit: number,
  ) {
    const end = Math.min(beforeSequence, ((await store.head(projectId))?.sequence ?? 0) + 1)
    const begin = Math.max(1, end - SCANNED_MAX)
    const rows = await store.search({ projectId, begin, end, limit: limit + 1 }, scope, filter)
    const shown = rows.slice(0, limit)
    const last = rows.length > limit ? shown.at(-1)?.id : begin > 1 && (await store.idAt(projectId, begin))
    return { entries: shown.map(view), nextBefore: last || null }
  }

  async function sequenceBefore(projectId: string, before: string | undefined): Promise<number> {
    if (before === undefined) return Number.MAX_SAFE_INTEGER
    const sequence = await store.sequenceOf(projectId, before)
    if (sequence === undefined) throw invalidField('$.before', 'must be the nextBefore of a page')
    return sequence
  }

  async function page(
    projectId: string,
    beforeSequence: number,
    scope: Scope,
    { limit, reported }: { limit: number; reported: boolean },
  ) {
    const wanted = { projectId, before: beforeSequence, limit: limit + 1 }
    const rows = await (reported ? store.list(wanted, scope) : store.listShown(wanted, scope))
    const { shown, nextCursor } = pageOf(rows, limit)
    return { entries: shown.map(view), nextBefore: nextCursor }
  }

  return {
    /** Writes the entry in the transaction of the change: both are committed or neither is. */
    async record(transaction: Transaction, change: AuditChange): Promise<void> {
      const chain = store.in(transaction)
      const head = (await chain.hold(change.projectId)) ?? { sequence: 0, hash: '' }
      const entry = {
        projectId: change.projectId,
        sequence: head.sequence + 1,
        id: ids('aud'),
        at: timestamp(clock),
        env: change.env,
        actor: JSON.stringify(change.actor),
        action: change.action,
        target: change.target,
        // The audit log names the human behind an agent (AUD-02).
        details: JSON.stringify({ ...change.details, ...behalfOf(change.actor) }),
      }
      await chain.append({ ...entry, hash: hashOf(entry, head.hash) })
    },

    async list(
      project: Project,
      { limit = 50, before, env, wholeProject = false, reported, ...filter }: Query,
    ) {
      const environment = env === undefined ? null : ENVIRONMENTS.get(env)
      if (environment === undefined) throw new ApiError('environment_not_found')
      const scope = environment && { env: environment, wholeProject }
      const beforeSequence = await sequenceBefore(project.id, before)
      if (Object.keys(filter).length === 0)
        return page(project.id, beforeSequence, scope, { limit, reported: reported ?? false })
      const wanted = { ...filter, ...(reported !== undefined && { reported }) }
      return search(project.id, scope, beforeSequence, wanted, limit)
    },

    /** What operators have changed. */
    async listOfOperators({ limit = 50, before }: { limit?: number; before?: string }) {
      return page(SERVICE_CHAIN, await sequenceBefore(SERVICE_CHAIN, before), null, { limit, reported: true })
    },

    /** What was recorded after an entry, oldest first, and the number of the newest entry. Without a number: the newest one alone. */
    async changesAfter(projectId: string, sequence: number | undefined, limit: number) {
      const newest = (await store.head(projectId))?.sequence ?? 0
      if (sequence === undefined || newest <= sequence) return { sequence: newest, changes: [] }
      const rows = await store.after(projectId, sequence, limit)
      return { sequence: newest, changes: rows.map(({ env, action, target }) => ({ env, action, target })) }
    },

    /** Checks every chain from its first entry: a changed, removed or reordered row breaks it. For `svc-server audit verify`. */
    async verify(): Promise<{ projects: number; entries: number; broken: string[] }> {
      const result = { projects: 0, entries: 0, broken: [] as string[] }
      for (const projectId of await store.projects()) {
        const { entries, problem } = await verifyChain(store, projectId)
        result.projects += 1
        result.entries += entries
        if (problem) result.broken.push(`${projectId}: ${problem}`)
      }
      return result
    },
  }
}

const PAGE = 500

async function verifyChain(
  store: AuditStore,
  projectId: string,
): Promise<{ entries: number; problem?: string }> {
  let [sequence, hash] = [0, '']
  for (;;) {
    const page = await store.after(projectId, sequence, PAGE)
    for (const entry of page) {
      if (entry.sequence !== sequence + 1)
        return { entries: sequence, problem: `entry ${sequence + 1} is missing` }
      if (entry.hash !== hashOf(entry, hash))
        return { entries: sequence, problem: `entry ${entry.sequence} was changed` }
      sequence = entry.sequence
      hash = entry.hash
    }
    if (page.length < PAGE) break
  }
  const head = await store.head(projectId)
  if (head?.sequence !== sequence || head.hash !== hash)
    return { entries: sequence, problem: 'the newest entries are missing' }
  return { entries: sequence }
}

function hashOf(entry: Omit<EntryRow, 'hash'>, previousHash: string): string {
  const { projectId, sequence, id, at, env, actor, action, target, details } = entry
  return sha256(
    JSON.stringify([previousHash, projectId, sequence, id, at, env, actor, action, target, details]),
  )
}

const view = (row: EntryRow): AuditEntry => ({
  id: row.id,
  at: row.at,
  env: row.env as EnvironmentName | null,
  actor: JSON.parse(row.actor) as Actor,
  action: row.action,
  target: row.target,
  details: JSON.parse(row.details) as Record<string, unknown>,
})
