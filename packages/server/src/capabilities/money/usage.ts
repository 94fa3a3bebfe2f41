import { setTimeout as pause } from 'node:timers/promises'

import type { Usage } from '@svc/contract/money'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, MINUTE_MS, timestamp } from '../../platform/clock.ts'
import { runSequentially } from '../../platform/jobs/run-sequentially.ts'
import type { SlidingCounters } from '../../platform/time/sliding-limit.ts'
import { daysOf } from './days.ts'
import type { Ledger } from './ledger.ts'
import type { Meter } from './meter.ts'
import { createPace } from './pace.ts'
import { currentPeriod, isOver, monthsAgo, recentPeriods } from './periods.ts'
import { balanceOf } from './postings.ts'
import { costsOf, MICRO_USD_PER_CENT, NO_PRICES, type PriceList, quantitiesOf, readPrices } from './prices.ts'
import type { PeriodRow, UsageStore } from './usage-store.ts'

export type UsageDeps = {
  clock: Clock
  ledger: Pick<Ledger, 'change' | 'funds'>
  meter: Pick<Meter, 'write'>
  /** Lets the parts of the service note what they have used until now. */
  collectUsage(): Promise<void>
  counters: SlidingCounters
  prices: PriceList
  /** False: usage is shown at cost 0, and nothing is charged. */
  isCharged: boolean
}

export type UsageCharges = ReturnType<typeof createUsage>

const DEVELOPERS_AT_ONCE_MAX = 500
const CHARGES_AT_ONCE_MAX = 2
/** Between charges, so that players' requests do not wait: 10,000 developers take less than a minute. */
const PAUSE_MS = 8
/** The days of this month and of the twelve before it are kept. */
const DAYS_KEPT_MONTHS = 13

const NO_PRICES_TEXT = JSON.stringify(NO_PRICES)

type UsageQueries = Pick<UsageStore, 'list' | 'period'>

/** The usage of developers, its cost, and the charges. */
export function createUsage(store: UsageStore, deps: UsageDeps) {
  const { clock, ledger, meter, counters, collectUsage, isCharged } = deps
  const pace = createPace(clock)
  const prices = isCharged ? deps.prices : NO_PRICES

  async function read(queries: UsageQueries, developerId: string, period: string) {
    const [rows, month] = [await queries.list(developerId, period), await queries.period(developerId, period)]
    const costs = costsOf(pricesOf(month), quantitiesOf(rows))
    const updatedAt =
      rows
        .map((row) => row.updatedAt)
        .sort()
        .at(-1) ?? null
    return { month, costs, updatedAt, hasUsage: rows.length > 0, chargedCents: month?.chargedCents ?? 0 }
  }

  const pricesOf = (month: PeriodRow | undefined) => (month && isCharged ? readPrices(month.prices) : prices)

  /**
   * Charges the difference between what is due and what was charged before. Any node may do this any number of times: the
   * difference is computed while the developer's money is locked.
   */
  async function charge(developerId: string, period: string): Promise<void> {
    const isLast = isOver(clock, period)
    const seen = await read(store, developerId, period)
    const isDue = seen.costs.dueCents > seen.chargedCents
    if (seen.month?.closedAt || !seen.hasUsage || (seen.month && !isDue && !isLast)) return

    await ledger.change(developerId, async (book, transaction) => {
      const usage = store.in(transaction)
      const { month, costs, chargedCents } = await read(usage, developerId, period)
      if (month?.closedAt) return
      const due = Math.max(costs.dueCents, chargedCents)
      await book({
        type: 'usage',
        cents: due - chargedCents,
        reference: `usage:${developerId}:${period}:${due}`,
        description: `Usage of ${period}`,
      })
      const closedAt = isLast ? timestamp(clock) : null
      const charged = { developerId, period, chargedCents: due, closedAt }
      // A month that is closed while nothing is charged keeps no prices that its usage would be compared with.
      if (month) await usage.setCharged({ ...charged, prices: isCharged ? month.prices : NO_PRICES_TEXT })
      else await usage.insertPeriod({ ...charged, prices: JSON.stringify(prices) })
    })
  }

  /** Charges developers whose usage has reached their balance, so that usage beyond it lasts at most a minute. */
  async function chargeIfSpent(developerId: string): Promise<void> {
    const period = currentPeriod(clock)
    const { costs, chargedCents } = await read(store, developerId, period)
    const balance = balanceOf(await ledger.funds(developerId))
    const openCents = costs.dueCents - chargedCents
    if (openCents > 0 && openCents >= balance) return charge(developerId, period)
    const costMicroUsd = costs.totalMicroUsd
    const openMicroUsd = costMicroUsd - chargedCents * MICRO_USD_PER_CENT
    const leftMicroUsd = balance * MICRO_USD_PER_CENT - openMicroUsd
    pace.note({ developerId, costMicroUsd, openMicroUsd, leftMicroUsd })
  }

  async function writeAndCharge(): Promise<void> {
    const developers = await meter.write()
    if (!isCharged) return
    await runSequentially([...developers].map((developerId) => () => chargeIfSpent(developerId)))
  }

  async function chargeMonth(period: string): Promise<void> {
    const failures: unknown[] = []
    let developers: string[] = []
    do {
      developers = await store.listOpen(period, developers.at(-1) ?? '', DEVELOPERS_AT_ONCE_MAX)
      for (let from = 0; from < developers.length; from += CHARGES_AT_ONCE_MAX) {
        const part = developers.slice(from, from + CHARGES_AT_ONCE_MAX)
        const results = await Promise.allSettled(part.map((id) => charge(id, period)))
        if (part.length === CHARGES_AT_ONCE_MAX) await pause(PAUSE_MS)
        failures.push(...results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])))
      }
    } while (developers.length === DEVELOPERS_AT_ONCE_MAX)
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} charges failed`)
  }

  return {
    /** Once a minute on every node, and when it stops. */
    writeAndCharge,

    /** Once a second on every node: charges earlier if a balance may not last until the next minute. */
    async chargeEarly(): Promise<void> {
      if (!pace.takeDue()) return
      await collectUsage()
      await writeAndCharge()
    },

    /** Once per hour on one node: charges all developers, and closes past months. */
    chargeAll: () => runSequentially(recentPeriods(clock).map((period) => () => chargeMonth(period))),

    /** Once a day on one node: months that no node could close in time. */
    async chargeOldMonths(): Promise<void> {
      const recent = recentPeriods(clock).at(-1) ?? ''
      for (let period = await store.nextPeriod('', recent); period !== undefined;) {
        await chargeMonth(period)
        period = await store.nextPeriod(period, recent)
      }
    },

    /** Writes the sums of this node, and charges everything that this developer has used. */
    async chargeNow(developerId: string): Promise<void> {
      await meter.write()
      for (const period of await store.openPeriods(developerId)) await charge(developerId, period)
    },

    /** Once a day on one node. */
    purgeOldDays: (stopping?: AbortSignal) =>
      store.removeDays(`${monthsAgo(clock, DAYS_KEPT_MONTHS - 1)}-01`, stopping),

    async read(
      developerId: string,
      { period = currentPeriod(clock), refresh }: { period?: string; refresh?: boolean },
    ): Promise<Usage> {
      if (period > currentPeriod(clock)) throw new ApiError('invalid_request', FUTURE)
      if (refresh) await refreshIfDue(developerId)
      const { month, costs, chargedCents, updatedAt } = await read(store, developerId, period)
      const { components, totalMicroUsd } = costs
      const days = daysOf(
        pricesOf(month),
        await store.days(developerId, period),
        await store.charges(developerId, period),
      )
      return { period, components, totalMicroUsd, chargedCents, days, updatedAt }
    },
  }

  /** Writes the sums of this node and charges; at most once a minute per developer. */
  async function refreshIfDue(developerId: string): Promise<void> {
    const { isAdmitted } = await counters.admit(`money-refresh:${developerId}`, MINUTE_MS, 1)
    if (!isAdmitted) return
    await meter.write()
    await charge(developerId, currentPeriod(clock))
  }
}

const FUTURE = { errors: [{ path: '$.period', message: 'must not be in the future' }] }
