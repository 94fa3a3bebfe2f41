import { USAGE_COMPONENTS, type UsageComponent } from '@svc/contract/money'

import { type Clock, timestamp } from '../../platform/clock.ts'
import { setBounded } from '../../platform/memory/bounded-map.ts'
import { periodAt } from './periods.ts'
import type { UsageRow, UsageStore } from './usage-store.ts'

type MeterDeps = {
  clock: Clock
  /** The owner of an environment, also of a deleted one. */
  ownerOf(environmentId: string): Promise<string | undefined>
  /** For the operator's log. */
  reportLost(problem: { environment?: string; err?: unknown }): void
}

export type Meter = ReturnType<typeof createMeter>

const OWNERS_MAX = 10_000
const ROWS_PER_WRITE = 500

/**
 * Sums usage in memory; every node writes its sums once a minute and when it stops. A crash loses at most a minute, in the
 * developer's favour.
 */
export function createMeter(store: Pick<UsageStore, 'add'>, { clock, ownerOf, reportLost }: MeterDeps) {
  const sums = new Map<string, number[]>()
  const owners = new Map<string, string>()

  function note(environmentId: string, component: UsageComponent, quantity: number): void {
    let ofEnvironment = sums.get(environmentId)
    if (ofEnvironment === undefined) {
      ofEnvironment = USAGE_COMPONENTS.map(() => 0)
      sums.set(environmentId, ofEnvironment)
    }
    const at = INDEX[component]
    ofEnvironment[at] = (ofEnvironment[at] as number) + quantity
  }

  async function ownerOfKnown(environmentId: string): Promise<string | undefined> {
    const developerId = owners.get(environmentId) ?? (await ownerOf(environmentId))
    if (developerId !== undefined) setBounded(owners, environmentId, developerId, OWNERS_MAX)
    return developerId
  }

  /** Throws while the database is unavailable. */
  async function readOwners(): Promise<Map<string, string | undefined>> {
    const known = new Map<string, string | undefined>()
    for (const environment of sums.keys()) known.set(environment, await ownerOfKnown(environment))
    return known
  }

  /**
   * Usage counts for the month in which it is written. All owners are known before the first
   * sum is taken: what is not written stays in memory.
   */
  function takeRows(ownersOf: ReadonlyMap<string, string | undefined>): UsageRow[] {
    const rows: UsageRow[] = []
    const updatedAt = timestamp(clock)
    const month = { period: periodAt(Date.parse(updatedAt)), updatedAt }
    for (const [environment, developerId] of ownersOf) {
      const quantities = sums.get(environment) ?? []
      sums.delete(environment)
      if (developerId === undefined) {
        reportLost({ environment })
        continue
      }
      USAGE_COMPONENTS.forEach((component, at) => {
        const quantity = Math.floor(quantities[at] ?? 0)
        if (quantity > 0) rows.push({ developerId, environment, component, quantity, ...month })
      })
    }
    return rows
  }

  async function write(): Promise<Set<string>> {
    const rows = sums.size === 0 ? [] : takeRows(await readOwners())
    const written = new Set<string>()
    for (let from = 0; from < rows.length; from += ROWS_PER_WRITE) {
      const part = rows.slice(from, from + ROWS_PER_WRITE)
      try {
        await store.add(part)
      } catch (error) {
        // It may have been committed: a second attempt could charge twice.
        reportLost({ err: error })
        continue
      }
      for (const { developerId } of part) written.add(developerId)
    }
    return written
  }

  return {
    note,

    /** Returns the developers whose usage was written. */
    write,

    /** What was used until now is still the old owner's, if this node knew the owner; what follows is the new one's. */
    async ownerChanged(): Promise<void> {
      await write()
      owners.clear()
    },
  }
}

const INDEX = Object.fromEntries(USAGE_COMPONENTS.map((component, at) => [component, at])) as Record<
  UsageComponent,
  number
>
