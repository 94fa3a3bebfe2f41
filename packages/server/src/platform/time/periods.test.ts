import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import fc from 'fast-check'

import { createPeriods, dayAt } from './periods.ts'

/** Days that begin at 01:00, because clocks are set forward at midnight: their start and length. */
const WITHOUT_MIDNIGHT = [
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z', 23],
  ['Africa/Cairo', '2027-04-30', '2027-04-29T22:00:00.000Z', 23],
  ['Africa/Cairo', '2028-04-28', '2028-04-27T22:00:00.000Z', 23],
  ['America/Havana', '2026-03-08', '2026-03-08T05:00:00.000Z', 23],
  ['America/Havana', '2027-03-14', '2027-03-14T05:00:00.000Z', 23],
  ['America/Havana', '2028-03-12', '2028-03-12T05:00:00.000Z', 23],
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z', 23],
  ['America/Santiago', '2027-09-05', '2027-09-05T04:00:00.000Z', 23],
  ['America/Santiago', '2028-09-03', '2028-09-03T04:00:00.000Z', 23],
  ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00.000Z', 23],
  ['Asia/Beirut', '2027-03-28', '2027-03-27T22:00:00.000Z', 23],
  ['Asia/Beirut', '2028-03-26', '2028-03-25T22:00:00.000Z', 23],
  ['Atlantic/Azores', '2026-03-29', '2026-03-29T01:00:00.000Z', 23],
  ['Atlantic/Azores', '2027-03-28', '2027-03-28T01:00:00.000Z', 23],
  ['Atlantic/Azores', '2028-03-26', '2028-03-26T01:00:00.000Z', 23],
] as const

/** Days in which an hour occurs twice, around midnight or later, and days in zones whose offset from UTC is not whole hours. */
const OTHER_SWITCHES = [
  ['Africa/Cairo', '2026-10-29', '2026-10-28T21:00:00.000Z', 25],
  ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z', 25],
  ['America/Santiago', '2026-04-04', '2026-04-04T03:00:00.000Z', 25],
  ['Asia/Beirut', '2026-10-24', '2026-10-23T21:00:00.000Z', 25],
  ['Atlantic/Azores', '2026-10-25', '2026-10-25T00:00:00.000Z', 25],
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', 25],
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', 23],
  ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00.000Z', 24.5],
  ['Asia/Kathmandu', '2026-06-01', '2026-05-31T18:15:00.000Z', 24],
] as const

const WEEKS = [
  ['2026-01-01T00:00:00Z', '2026-W01'],
  ['2026-01-04T23:59:59.999Z', '2026-W01'],
  ['2026-01-05T00:00:00Z', '2026-W02'],
  ['2026-11-15T12:00:00Z', '2026-W46'],
  ['2026-12-31T23:59:59.999Z', '2026-W53'],
  ['2027-01-03T23:59:59.999Z', '2026-W53'],
  ['2027-01-04T00:00:00Z', '2027-W01'],
  ['2024-12-30T00:00:00Z', '2025-W01'],
  ['2028-01-01T00:00:00Z', '2027-W52'],
] as const

const dayOf = (zone: string, at: string | number) =>
  dayAt(zone, typeof at === 'number' ? at : Date.parse(at)).day

describe('[STA-05] the day of a zone', () => {
  for (const [zone, day, beginsAt, hours] of [...WITHOUT_MIDNIGHT, ...OTHER_SWITCHES]) {
    test(`${day} in ${zone} begins at ${beginsAt} and lasts ${hours} hours`, () => {
      const beginsAtMs = Date.parse(beginsAt)
      const endsAtMs = beginsAtMs + hours * 3_600_000

      for (const atMs of [beginsAtMs, beginsAtMs + 1, (beginsAtMs + endsAtMs) / 2, endsAtMs - 1])
        assert.equal(dayOf(zone, atMs), day)
      assert.notEqual(dayOf(zone, beginsAtMs - 1), day)
      assert.notEqual(dayOf(zone, endsAtMs), day)
      assert.deepEqual([shown(zone, beginsAtMs), shown(zone, endsAtMs - 1)], [day, day])
    })
  }

  test('a day does not start twice when clocks are set back across midnight', () => {
    assert.equal(dayOf('America/St_Johns', '2010-11-07T02:29:59Z'), '2010-11-06')
    assert.equal(dayOf('America/St_Johns', '2010-11-07T02:30:30Z'), '2010-11-07')
    assert.equal(shown('America/St_Johns', Date.parse('2010-11-07T02:31:30Z')), '2010-11-06')
    assert.equal(dayOf('America/St_Johns', '2010-11-07T02:31:30Z'), '2010-11-07')
  })

  test('a calendar day that the zone skips never occurs (Pacific/Apia, 2011-12-30)', () => {
    assert.equal(dayOf('Pacific/Apia', '2011-12-30T09:59:59Z'), '2011-12-29')
    assert.equal(dayOf('Pacific/Apia', '2011-12-30T10:00:00Z'), '2011-12-31')
  })
})

for (const [at, week] of WEEKS) {
  test(`[STA-05] weeks begin on Monday: ${at} is in ${week}`, () => {
    assert.equal(dayAt('UTC', Date.parse(at)).week, week)
  })
}

test('[STA-05] months end with their last day, in the zone', () => {
  const monthOf = (zone: string, at: string) => dayAt(zone, Date.parse(at)).month
  assert.equal(monthOf('UTC', '2028-02-29T23:59:59.999Z'), '2028-02')
  assert.equal(monthOf('UTC', '2028-03-01T00:00:00Z'), '2028-03')
  assert.equal(monthOf('Asia/Tokyo', '2026-11-30T14:59:59.999Z'), '2026-11')
  assert.equal(monthOf('Asia/Tokyo', '2026-11-30T15:00:00Z'), '2026-12')
  assert.equal(monthOf('Pacific/Kiritimati', '2026-12-31T10:00:00Z'), '2027-01')
})

const zones = fc.constantFrom('UTC', 'Etc/GMT+12', ...Intl.supportedValuesOf('timeZone'))
const moments = fc.date({ min: new Date('2026-01-01'), max: new Date('2031-01-01'), noInvalidDate: true })

test('the day is the date that the zone shows, and week and month are those of the date', () => {
  fc.assert(
    fc.property(zones, moments, (zone, at) => {
      const { day, week, month } = dayAt(zone, at.getTime())
      assert.equal(day, shown(zone, at.getTime()))
      assert.equal(month, day.slice(0, 7))
      assert.equal(week, isoWeek(day))
    }),
    { numRuns: 2_000 },
  )
})

test('cached periods equal computed ones, in any order of requests', () => {
  const periodsAt = createPeriods()
  fc.assert(
    fc.property(fc.constantFrom('UTC', 'America/Havana', 'Asia/Beirut'), moments, (zone, at) => {
      for (const minutes of [0, 1, 60, 24 * 60]) {
        const then = at.getTime() + minutes * 60_000
        assert.deepEqual(periodsAt(zone, new Date(then)), dayAt(zone, then))
      }
    }),
    { numRuns: 500 },
  )
})

/** The local time in the zone, computed with Intl, which is independent of Temporal. */
function shown(zone: string, atMs: number): string {
  const known = formats.get(zone)
  const format = known ?? new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' })
  formats.set(zone, format)
  return format.format(atMs)
}
const formats = new Map<string, Intl.DateTimeFormat>()

/** ISO 8601: a week belongs to the year of its Thursday. */
function isoWeek(day: string): string {
  const date = new Date(`${day}T00:00:00Z`)
  const thursday = date.getTime() + (4 - (date.getUTCDay() || 7)) * 86_400_000
  const year = new Date(thursday).getUTCFullYear()
  const week = Math.floor((thursday - Date.UTC(year, 0, 1)) / (7 * 86_400_000)) + 1
  return `${year}-W${String(week).padStart(2, '0')}`
}
