/** The day, the ISO week and the month of a time in a time zone: 2026-11-15, 2026-W46, 2026-11. */
export type Periods = { zone: string; day: string; week: string; month: string }

type Day = Periods & { beginsAtMs: number; endsAtMs: number }

const ZONES_MAX = 1_000

/** Weeks and months begin with a day, so the result is cached until the day ends; computing it takes 30 µs. */
export function createPeriods() {
  const days = new Map<string, Day>()

  return (zone: string, at: Date): Periods => {
    const nowMs = at.getTime()
    const known = days.get(zone)
    if (known && nowMs >= known.beginsAtMs && nowMs < known.endsAtMs) return known

    const day = dayAt(zone, nowMs)
    if (days.size >= ZONES_MAX) days.clear()
    days.set(zone, day)
    return day
  }
}

/** A day begins at its real start, which in some zones and years is not midnight (STA-05). */
export function dayAt(zone: string, nowMs: number): Day {
  const shown = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone).toPlainDate()
  const next = shown.add({ days: 1 })
  // If clocks are set back across midnight, they show yesterday's date again; the day that has begun continues.
  const date = beginOf(next, zone) > nowMs ? shown : next
  return {
    zone,
    day: date.toString(),
    week: `${date.yearOfWeek}-W${String(date.weekOfYear).padStart(2, '0')}`,
    month: date.toPlainYearMonth().toString(),
    beginsAtMs: beginOf(date, zone),
    endsAtMs: beginOf(date.add({ days: 1 }), zone),
  }
}

const beginOf = (date: Temporal.PlainDate, zone: string): number =>
  date.toZonedDateTime(zone).epochMilliseconds

/** When a period begins and ends in a zone, from its label: 2026-11-15, 2026-W46, 2026-11. */
export function boundsOf(zone: string, period: 'daily' | 'weekly' | 'monthly', label: string) {
  const first = firstDayOf(period, label)
  const next = first.add(NEXT[period])
  return { startsAt: isoAt(beginOf(first, zone)), endsAt: isoAt(beginOf(next, zone)) }
}

const NEXT = { daily: { days: 1 }, weekly: { days: 7 }, monthly: { months: 1 } }

function firstDayOf(period: 'daily' | 'weekly' | 'monthly', label: string): Temporal.PlainDate {
  if (period === 'daily') return Temporal.PlainDate.from(label)
  if (period === 'monthly') return Temporal.PlainDate.from(`${label}-01`)
  const [year, week] = label.split('-W').map(Number)
  // The first week of a year is the one with 4 January (ISO 8601).
  const inFirstWeek = Temporal.PlainDate.from({ year: year ?? 0, month: 1, day: 4 })
  return inFirstWeek.add({ days: ((week ?? 1) - 1) * 7 + 1 - inFirstWeek.dayOfWeek })
}

const isoAt = (atMs: number) => new Date(atMs).toISOString()
