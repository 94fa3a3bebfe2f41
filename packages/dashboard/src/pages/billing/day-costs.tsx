import type { Usage } from '@svc/contract/money'

import { cents } from '../../format.ts'
import { today } from '../../platform.ts'
import { DayBars } from '../../ui/day-bars.tsx'
import { Card } from '../../ui/parts.tsx'

const DAY_MS = 86_400_000

/** The days of a month, until today, with what was charged on each. */
function daysOf({ period, days }: Usage) {
  const charged = new Map(days.map(({ date, chargedCents }) => [date, chargedCents]))
  const all: { date: string; count: number }[] = []
  for (let at = Date.parse(`${period}-01`); ; at += DAY_MS) {
    const date = new Date(at).toISOString().slice(0, 10)
    if (date > today() || !date.startsWith(period)) return all
    all.push({ date, count: charged.get(date) ?? 0 })
  }
}

export const DayCosts = ({ usage }: { usage: Usage }) =>
  usage.days.length === 0 ? null : (
    <Card title="Charged per day" class="chart-card">
      <DayBars
        isOver={!today().startsWith(usage.period)}
        days={daysOf(usage)}
        unit="charged"
        about="What was charged on each day, UTC"
        format={cents}
      />
    </Card>
  )
