import type { Task } from './task.ts'

type Values = Record<string, unknown>

/** The task of a command line `money …` or `invites …`, or the problem as a sentence. */
export function moneyTask(words: readonly string[], values: Values): Task | string {
  const [subject, verb, ...rest] = words
  const command = `${subject} ${verb} ${rest.length}`
  switch (command) {
    case 'money verify 0':
      return { name: 'money verify' }
    case 'money adjust 2':
      return adjustment(rest, values['reason'])
    case 'invites create 0':
      return newInvites(values)
    case 'invites list 0':
      return { name: 'invites list' }
    case 'invites revoke 1':
      return { name: 'invites revoke', code: rest[0] ?? '' }
    default:
      return `There is no command "${words.join(' ')}".`
  }
}

const CENTS = /^-?[1-9]\d{0,8}$/

function adjustment([email = '', cents = '']: readonly string[], reason: unknown): Task | string {
  if (!CENTS.test(cents)) return `"${cents}" is not a number of cents other than 0.`
  if (typeof reason !== 'string' || reason.trim() === '' || reason.length > 200)
    return 'An adjustment needs a --reason of 1 to 200 characters; the developer sees it.'
  return { name: 'money adjust', email, cents: Number(cents), reason: reason.trim() }
}

const LIMITS = { count: 10_000, uses: 1_000_000, days: 3_650 }

function newInvites(values: Values): Task | string {
  const numbers: { count?: number; uses?: number; days?: number } = {}
  for (const name of ['count', 'uses', 'days'] as const) {
    const text = values[name]
    if (text === undefined) continue
    const isNumber = typeof text === 'string' && /^[1-9]\d{0,6}$/.test(text) && Number(text) <= LIMITS[name]
    if (!isNumber) return `--${name} must be a whole number from 1 to ${LIMITS[name]}.`
    numbers[name] = Number(text)
  }
  const label = values['label']
  if (label !== undefined && (typeof label !== 'string' || label.length > 80))
    return 'A --label has at most 80 characters.'
  return {
    name: 'invites create',
    count: numbers.count ?? 1,
    usesMax: numbers.uses ?? 1,
    days: numbers.days,
    label,
  }
}
