import type { Usage } from '@svc/contract/money'

import { costsOf, type PriceList, type Quantities } from './prices.ts'

type Day = Usage['days'][number]
type DayUsage = { date: string; component: string; quantity: number }
export type Charge = { at: string; reference: string }

/** The days of a month with usage or a charge, oldest first. */
export function daysOf(prices: PriceList, usage: readonly DayUsage[], charges: readonly Charge[]): Day[] {
  const days = new Map<string, Day>()
  const dayAt = (date: string) => {
    const day = days.get(date) ?? { date, chargedCents: 0, components: [] }
    days.set(date, day)
    return day
  }
  for (const [date, cents] of chargesByDay(charges)) dayAt(date).chargedCents = cents
  for (const [date, components] of costsByDay(prices, usage)) dayAt(date).components = components
  return [...days.values()].sort((a, b) => (a.date < b.date ? -1 : 1))
}

/** Each charge names what was due in all: a day costs the difference between its last one and the last one before it. */
function chargesByDay(charges: readonly Charge[]): Map<string, number> {
  const dueByDay = new Map<string, number>()
  for (const { at, reference } of charges)
    dueByDay.set(at.slice(0, 10), Number(reference.slice(reference.lastIndexOf(':') + 1)))
  let dueBefore = 0
  for (const [date, due] of dueByDay) {
    dueByDay.set(date, due - dueBefore)
    dueBefore = due
  }
  return dueByDay
}

/** A day costs what it adds to the cost of the month, so that rounding loses nothing: the days sum to the month. */
function costsByDay(prices: PriceList, usage: readonly DayUsage[]): Map<string, Day['components']> {
  const sums: Record<string, number> = {}
  const byDay = new Map<string, Day['components']>()
  for (const [date, used] of Map.groupBy(usage, (row) => row.date)) {
    const before = costsOf(prices, sums as Quantities).components
    for (const { component, quantity } of used) sums[component] = (sums[component] ?? 0) + quantity
    const components = costsOf(prices, sums as Quantities).components.flatMap(
      ({ component, quantity, costMicroUsd }, at) => {
        const earlier = before[at]
        const added = quantity - (earlier?.quantity ?? 0)
        return added === 0
          ? []
          : { component, quantity: added, costMicroUsd: costMicroUsd - (earlier?.costMicroUsd ?? 0) }
      },
    )
    byDay.set(date, components)
  }
  return byDay
}
