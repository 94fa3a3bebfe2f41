import { nowMs } from './platform.ts'

/** Numbers and times in the language of the browser. The service uses UTC and ISO 8601. */
const locale = isLanguage(navigator.language) ? navigator.language : 'en'
const whole = numbers({})
const short = numbers({ notation: 'compact', maximumFractionDigits: 1 })
const rate = numbers({ maximumFractionDigits: 1 })
const percent = numbers({ style: 'percent', maximumFractionDigits: 0 })
const dollars = numbers({ style: 'currency', currency: 'USD' })
const smallDollars = numbers({ style: 'currency', currency: 'USD', maximumFractionDigits: 6 })
const shortDay = times({ day: 'numeric', month: 'short' })
const dayUtc = times({ day: 'numeric', month: 'short', timeZone: 'UTC' })
const longDayUtc = times({ weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' })
const monthUtc = times({ month: 'long', year: 'numeric', timeZone: 'UTC' })
const date = times({ day: 'numeric', month: 'short', year: 'numeric' })
const fullDay = times({ dateStyle: 'full' })
const exact = times({ dateStyle: 'medium', timeStyle: 'medium' })
const time = times({ timeStyle: 'medium' })
const minutes = times({ hour: '2-digit', minute: '2-digit' })
const relative = once(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' }))

/** Like 1,234. */
export const number = (value: number) => whole(value)
/** Like 12K, for numbers of five digits and more. */
export const compact = (value: number) => (value < 10_000 ? whole(value) : short(value))
/** Like 1.5, with at most one digit after the point. */
export const perSecond = (value: number) => rate(value)
/** Like 42%. */
export const ratio = (value: number) => percent(value)
/** An amount in cents, like $1.50. */
export const cents = (value: number) => dollars(value / 100)
/** Amounts in millionths of a dollar, such as the price of one request. */
export const microUsd = (value: number) => (value % 10_000 === 0 ? dollars : smallDollars)(value / 1_000_000)
/** For a headline: whole cents; less than a cent in full. */
export const roughUsd = (value: number) => (value < 10_000 ? microUsd(value) : dollars(value / 1_000_000))
/** A UTC day, like 5 Nov. */
export const day = (iso: string) => dayUtc(new Date(iso))
/** A UTC day, like Thursday, 5 November. */
export const longDay = (iso: string) => longDayUtc(new Date(iso))
/** Like November 2026. */
export const month = (iso: string) => monthUtc(new Date(iso))
/** The date in the time zone of the browser. */
export const onDate = (iso: string) => date(new Date(iso))
/** Today, Yesterday, or like Thursday, 5 November 2026, in the time zone of the browser. */
export function dayTitle(iso: string): string {
  const title = fullDay(new Date(iso))
  if (title === fullDay(nowMs())) return 'Today'
  return title === fullDay(nowMs() - 86_400_000) ? 'Yesterday' : title
}
/** Date and time with seconds, in the time zone of the browser. */
export const exactly = (iso: string) => exact(new Date(iso))
/** The time with seconds, in the time zone of the browser. */
export const clockTime = (ms: number) => time(new Date(ms))
/** Like 5 Nov, in the time zone of the browser. */
export const dayAndMonth = (ms: number) => shortDay(new Date(ms))
/** Like 14:05, in the time zone of the browser. */
export const hourAndMinute = (ms: number) => minutes(new Date(ms))
/** A number with its noun, like 1 row or 2 rows. */
export const counted = (count: number, one: string, many: string) =>
  `${whole(count)} ${count === 1 ? one : many}`

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** Like "5 min ago"; a date after 30 days. */
export function ago(iso: string): string {
  const ms = Date.parse(iso) - nowMs()
  if (Math.abs(ms) > 30 * 86_400_000) return onDate(iso)
  for (const [unit, size] of UNITS)
    if (Math.abs(ms) >= size) return relative().format(Math.trunc(ms / size), unit)
  return 'just now'
}

/** Like 45s, 12m, 3h, 2d. */
export function age(iso: string): string {
  const seconds = Math.max(0, (nowMs() - Date.parse(iso)) / 1_000)
  if (seconds < 60) return `${Math.floor(seconds)}s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}

/** Like 4.2 MB. */
export function bytes(size: number): string {
  if (size < 1_024) return `${whole(size)} B`
  if (size < 1_048_576) return `${(size / 1_024).toFixed(1)} KB`
  if (size < 1_073_741_824) return `${(size / 1_048_576).toFixed(1)} MB`
  return `${(size / 1_073_741_824).toFixed(1)} GB`
}

function numbers(options: Intl.NumberFormatOptions) {
  const format = once(() => new Intl.NumberFormat(locale, options))
  return (value: number) => format().format(value)
}

function times(options: Intl.DateTimeFormatOptions) {
  const format = once(() => new Intl.DateTimeFormat(locale, options))
  return (value: Date | number) => format().format(value)
}

/** All formats together take a phone longer to make than the page takes to appear. */
function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

/** Some browsers have a name there that is not a language, such as "C" on a machine without a locale. */
function isLanguage(name: string): boolean {
  try {
    return Intl.getCanonicalLocales(name).length === 1
  } catch {
    return false
  }
}

const ENGINE_TITLES: Record<string, string> = { blobs: 'Storage', bus: 'Messaging', counters: 'Rate limits' }

/** The name of an engine of the service, as operators know it. */
export const engineTitle = (name: string): string =>
  ENGINE_TITLES[name] ?? name.charAt(0).toUpperCase() + name.slice(1)
