import type { TSchema } from 'typebox'

import { codePoints, hasType, isInRange, matches, type Shape, typeName } from '../common/json-schema.ts'

/** A problem of a config document, with its path (CFG-02). */
export type ConfigProblem = { path: string; message: string; rule: ConfigRule }

/** The rules that a problem of the config document can violate. */
export type ConfigRule =
  | 'type'
  | 'required'
  | 'unknown_key'
  | 'pattern'
  | 'length'
  | 'range'
  | 'choice'
  | 'too_many'
  | 'duplicate'
  | 'requires'
  | 'players'
  | 'undefined_stat'
  | 'time_zone'
  | 'url'
  | 'origin'

/** Called for each problem, with the path of the value. */
export type Report = (path: string, rule: ConfigRule, message: string) => void

/**
 * Compares a value with its shape, reports the problems, and returns the valid parts in the same places. A validator of typebox
 * would stop after a few errors, and cannot suggest the right name for a misspelled key. Depth and work are bounded by the shape,
 * never by the value.
 */
export function validParts(schema: TSchema, value: unknown, path: string, report: Report): unknown {
  const shape = schema as Shape
  const alternative = shape.anyOf?.find(({ type }) => type === typeName(value))
  if (alternative) return validParts(alternative, value, path, report)

  const refusal = refusalOf(shape, value)
  if (refusal) report(path, ...refusal)
  else if (Array.isArray(value)) return validItems(shape, value, path, report)
  else if (typeof value === 'object' && value !== null) return validFields(shape, value, path, report)
  else return value
}

type Refusal = [rule: ConfigRule, message: string] | undefined

/** Checks a value itself, without its parts. */
function refusalOf(shape: Shape, value: unknown): Refusal {
  if (shape.enum)
    return shape.enum.includes(value) ? undefined : ['choice', `must be one of ${listed(shape.enum)}`]
  if ('const' in shape)
    return shape.const === value ? undefined : ['choice', `must be ${String(shape.const)}`]
  if (shape.anyOf || !hasType(shape.type, value))
    return ['type', `must be ${typesOf(shape)}, not ${named(value)}`]
  if (typeof value === 'number' && !isInRange(shape, value)) return ['range', `must be ${rangeOf(shape)}`]
  return typeof value === 'string' ? refusalOfText(shape, value) : undefined
}

function refusalOfText(shape: Shape, text: string): Refusal {
  const {
    minLength = 0,
    maxLength = Infinity,
    pattern,
    patternErrorMessage = 'has an invalid format',
  } = shape
  if (text.length < minLength) return ['length', 'must not be empty']
  if (text.length > maxLength && codePoints(text, maxLength) > maxLength) {
    return ['length', `must have at most ${maxLength} characters`]
  }
  return pattern === undefined || matches(pattern, text) ? undefined : ['pattern', patternErrorMessage]
}

function validItems(
  { items = {}, maxItems = Infinity }: Shape,
  list: unknown[],
  path: string,
  report: Report,
) {
  if (list.length > maxItems) {
    report(path, 'too_many', `must have at most ${maxItems} entries, not ${list.length}`)
  }
  return list.slice(0, maxItems).map((item, index) => validParts(items, item, `${path}[${index}]`, report))
}

/** If a section has thousands of unknown keys, only the first are reported. */
const UNKNOWN_REPORTED_MAX = 100

function validFields(shape: Shape, value: object, path: string, report: Report) {
  const { required = [], minProperties = 0, maxProperties = Infinity } = shape
  const entries = Object.entries(value).filter(([, field]) => field !== undefined)
  for (const key of required) {
    if (!Object.hasOwn(value, key)) report(fieldPath(path, key), 'required', 'is required')
  }
  if (entries.length < minProperties) report(path, 'length', 'must not be empty')
  if (entries.length > maxProperties) report(path, 'too_many', `must have at most ${maxProperties} entries`)

  const valid: Record<string, unknown> = {}
  const unknown: string[] = []
  for (const [key, field] of entries.slice(0, maxProperties)) {
    const shapeOfField = fieldShape(shape, key)
    if (shapeOfField) valid[key] = validParts(shapeOfField, field, fieldPath(path, key), report)
    else unknown.push(key)
  }
  for (const key of unknown.slice(0, UNKNOWN_REPORTED_MAX)) {
    report(fieldPath(path, key), 'unknown_key', unknownKey(shape, key))
  }
  return valid
}

function fieldShape({ properties = {}, patternProperties = {} }: Shape, key: string): Shape | undefined {
  if (Object.hasOwn(properties, key)) return properties[key]
  return Object.entries(patternProperties).find(([pattern]) => matches(pattern, key))?.[1]
}

function unknownKey({ title = 'key', properties, patternProperties }: Shape, key: string): string {
  if (patternProperties) return `is no ${title} like en, ja or pt-BR`
  const known = Object.keys(properties ?? {})
  const close = closest(key, known)
  return `unknown ${title} ${quoted(key)}; ${close ? `did you mean ${quoted(close)}?` : `known here: ${known.join(', ')}`}`
}

/** The known name that differs from the text by one or two letters; case does not matter. */
export function closest(written: string, known: readonly string[]): string | undefined {
  if (written.length > 40) return undefined
  const editDistances = known.map((name) => distance(written.toLowerCase(), name.toLowerCase()))
  const fewest = Math.min(...editDistances)
  return fewest <= 2 && fewest < written.length / 2 ? known[editDistances.indexOf(fewest)] : undefined
}

/** Levenshtein's: inserted, removed or replaced letters. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

const rangeOf = ({ minimum, maximum, exclusiveMinimum }: Shape) =>
  exclusiveMinimum === undefined ? `from ${minimum} to ${maximum}` : `more than ${exclusiveMinimum}`

const TYPE_NAMES: Record<string, string> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a text',
}

const typesOf = ({ type, anyOf }: Shape): string =>
  anyOf ? 'a text, or one text per language code' : (TYPE_NAMES[type ?? ''] ?? 'something else')

function named(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return TYPE_NAMES[typeName(value)] ?? typeName(value)
}

const listed = (values: readonly unknown[]) => values.map(String).join(', ')

/** Shortens a text of the document for a message. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)

/** The JSON path of a member of the object at `path`. */
export const fieldPath = (path: string, key: string): string =>
  /^[A-Za-z_$][\w$]{0,60}$/.test(key) ? `${path}.${key}` : `${path}[${quoted(key)}]`
