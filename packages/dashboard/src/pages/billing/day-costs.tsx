import type { Usage } from '@svc/contract/money'

import { microUsd } from '../../format.ts'
import { today } from '../../platform.ts'
import { type DayCount, DayBars } from '../../ui/day-bars.tsx'
import { Card } from '../../ui/parts.tsx'

const DAY_MS = 86_400_000
/** The rest is shown as one part. */
const SHOWN_MAX = 3
const OTHERS = 'others'

/** The components that cost most, the most expensive one first. */
function partsOf({ components }: Usage): string[] {
  const costly = components
    .filter(({ costMicroUsd }) => costMicroUsd > 0)
    .toSorted((a, b) => b.costMicroUsd - a.costMicroUsd)
    .map(({ component }) => component)
  return costly.length > SHOWN_MAX + 1 ? [...costly.slice(0, SHOWN_MAX), OTHERS] : costly
}

/** The days of a month, until today, with their cost. */
function daysOf({ period, days }: Usage, parts: readonly string[]): DayCount[] {
  const used = new Map(days.map(({ date, components }) => [date, components]))
  const all: DayCount[] = []
  for (let at = Date.parse(`${period}-01`); ; at += DAY_MS) {
    const date = new Date(at).toISOString().slice(0, 10)
    if (date > today() || !date.startsWith(period)) return all
    const counts = parts.map(() => 0)
    let count = 0
    for (const { component, costMicroUsd } of used.get(date) ?? []) {
      const part = parts.indexOf(parts.includes(component) ? component : OTHERS)
      if (part !== -1) counts[part] = (counts[part] ?? 0) + costMicroUsd
      count += costMicroUsd
    }
    all.push({ date, count, counts })
  }
}

/** What each day of the month cost, by component. */
export function DayCosts({ usage }: { usage: Usage }) {
  const parts = partsOf(usage)
  if (parts.length === 0) return null
  return (
    <Card title="Cost per day" class="chart-card">
      <DayBars
        isOver={!today().startsWith(usage.period)}
        days={daysOf(usage, parts)}
        unit="cost"
        about="Cost per component and day (UTC)"
        parts={parts}
        format={microUsd}
      />
    </Card>
  )
}
