import type { Actor, EnvironmentName } from '@svc/contract/common/schemas'

import { type Clock, timestamp } from '../../platform/clock.ts'
import type { Owners } from './owners/owners.ts'
import type { Audit } from './ports.ts'
import type { FunctionsRow, FunctionsStore, Transaction } from './store.ts'

/** Whose functions change. `name` is null for a change of the whole project. */
export type ChangedEnvironment = { id: string; projectId: string; name: EnvironmentName | null }

/** A change with its audit entry. `row` is written with the next generation; without it, what runs stays as it is. */
export type Change = { row?: FunctionsRow; action: string; target?: string; details?: object }

export type Changes = ReturnType<typeof createChanges>

/** Changes the functions of an environment, one change after the other; the audit entry is part of the transaction. */
export function createChanges(
  store: FunctionsStore,
  { owners, audit, clock }: { owners: Pick<Owners, 'apply'>; audit: Audit; clock: Clock },
) {
  /** `decide` returns undefined if nothing changes. Resolves when the owner continues with the new row. */
  return async function change(
    { id, projectId, name }: ChangedEnvironment,
    actor: Actor,
    decide: (mine: ReturnType<FunctionsStore['in']>, transaction: Transaction) => Promise<Change | undefined>,
  ): Promise<void> {
    const hasNewRow = await store.change(id, async (transaction) => {
      const mine = store.in(transaction)
      const decided = await decide(mine, transaction)
      if (!decided) return false
      const { row, action, target = id, details = {} } = decided
      if (row) await mine.write({ ...row, generation: row.generation + 1, updatedAt: timestamp(clock) })
      const entry = { projectId, env: name, actor, action, target, details: { ...details } }
      await audit.record(transaction, entry)
      return row !== undefined
    })
    if (hasNewRow) await owners.apply(id)
  }
}
