import type { TSchema } from 'typebox'

import { fieldPath } from '../config/shape.ts'
import { codePoints, hasType, isInRange, matches, type Shape, typeName } from './json-schema.ts'

/** A problem of a request: its path, and a sentence with the expected value (GEN-06). */
export type Problem = { path: string; message: string }

/** The maximum number of problems: a hostile request must not cause a response of megabytes. */
export const PROBLEMS_MAX = 100

/** `problem('$.name', 'is taken')` reads "name is taken". */
export const problem = (path: string, predicate: string): Problem => ({
  path,
  message: `${path === '$' ? 'the body' : path.replace(/^\$\.?/, '')} ${predicate}`,
})

/**
 * All problems, described by the schema: `displayName must be text of 1 to 32 characters`. A value is never repeated, because it
 * may be a secret. Called only for values that a validator has rejected; `problems.test.ts` checks that both agree.
 */
export function problemsIn(schema: TSchema, value: unknown, problemsMax = PROBLEMS_MAX): Problem[] {
  return problemsAt(schema as Shape, value, '$')
    .take(problemsMax)
    .toArray()
}

/** A generator, so that the caller can stop the search early. */
function* problemsAt(shape: Shape, value: unknown, path: string): Generator<Problem, void> {
  if (shape.anyOf) return yield* problemsOfChoice(shape.anyOf, value, path)
  const refusal = refusalOf(shape, value)
  if (refusal !== undefined) yield problem(path, refusal)
  if (Array.isArray(value)) return yield* problemsOfItems(shape, value, path)
  if (isObject(value)) return yield* problemsOfFields(shape, value, path)
}

/** For an object or a list, the problems of its fields are more helpful than one problem of the whole. */
function* problemsOfChoice(
  choices: readonly Shape[],
  value: unknown,
  path: string,
): Generator<Problem, void> {
  if (choices.some((choice) => problemsAt(choice, value, path).next().done)) return
  const meant =
    isObject(value) || Array.isArray(value) ? choices.find((one) => isOfType(one, value)) : undefined
  if (meant) return yield* problemsAt(meant, value, path)
  yield problem(path, `must be ${expectedOf({ anyOf: choices })}`)
}

/** A list that is too long is not checked beyond its limit. */
function* problemsOfItems({ items, maxItems = Infinity }: Shape, list: unknown[], path: string) {
  if (!items) return
  for (let i = 0; i < list.length && i < maxItems; i++) yield* problemsAt(items, list[i], `${path}[${i}]`)
}

function* problemsOfFields(shape: Shape, value: Record<string, unknown>, path: string) {
  const { required = [], properties = {}, patternProperties = {} } = shape
  for (const name of required)
    if (value[name] === undefined) yield problem(fieldPath(path, name), 'is required')
  for (const [name, property] of Object.entries(properties))
    if (Object.hasOwn(value, name) && value[name] !== undefined)
      yield* problemsAt(property, value[name], fieldPath(path, name))
  // The keys of a record are any text.
  for (const property of Object.values(patternProperties))
    for (const [name, field] of Object.entries(value))
      yield* problemsAt(property, field, fieldPath(path, name))
}

/** Checks a value itself, without its parts. */
function refusalOf(shape: Shape, value: unknown): string | undefined {
  if (!isOfType(shape, value)) return `must be ${expectedOf(shape)}`
  if (typeof value === 'string') return refusalOfText(shape, value)
  if (typeof value === 'number') return isInRange(shape, value) ? undefined : `must be ${expectedOf(shape)}`
  if (!Array.isArray(value)) return undefined
  const { minItems = 0, maxItems = Infinity } = shape
  return value.length >= minItems && value.length <= maxItems ? undefined : `must be ${expectedOf(shape)}`
}

function refusalOfText(shape: Shape, text: string): string | undefined {
  const { minLength = 0, maxLength = Infinity, pattern, patternErrorMessage } = shape
  const length = codePoints(text, maxLength)
  if (length < minLength || length > maxLength) return `must be ${expectedOf(shape)}`
  if (pattern === undefined || matches(pattern, text)) return undefined
  return patternErrorMessage ?? `must be ${expectedOf(shape)}`
}

/** As in "must be …". */
function expectedOf(shape: Shape): string {
  const choices = constantsOf(shape)
  if (choices?.length === 1) return String(choices[0])
  if (choices) return `one of ${choices.map(String).join(', ')}`
  if (shape.anyOf) return shape.anyOf.map(expectedOf).join(' or ')
  switch (shape.type ?? 'object') {
    case 'string':
      return textOf(shape)
    case 'integer':
      return `a whole number${rangeOf(shape)}`
    case 'number':
      return `a number${rangeOf(shape)}`
    case 'array':
      return `a list${countOf(shape.minItems ?? 0, shape.maxItems, 'entries')}`
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'null'
    default:
      return 'an object'
  }
}

function constantsOf({ const: constant, enum: values, anyOf }: Shape): readonly unknown[] | undefined {
  if (constant !== undefined) return [constant]
  if (values) return values
  const all = anyOf?.map((choice) => choice.const)
  return all?.includes(undefined) ? undefined : all
}

/** A text with only a pattern is described by the pattern. */
const textOf = ({ minLength = 0, maxLength, patternErrorMessage }: Shape): string =>
  minLength === 0 && maxLength === undefined && patternErrorMessage !== undefined
    ? patternErrorMessage.replace(/^must be /, '')
    : `text${countOf(minLength, maxLength, 'characters')}`

function countOf(min: number, max: number | undefined, what: string): string {
  if (max !== undefined) return min === 0 ? ` of at most ${max} ${what}` : ` of ${min} to ${max} ${what}`
  if (min === 0) return ''
  return min === 1 ? ' that is not empty' : ` of at least ${min} ${what}`
}

function rangeOf({ minimum, maximum, exclusiveMinimum }: Shape): string {
  if (exclusiveMinimum !== undefined)
    return ` above ${exclusiveMinimum}${maximum === undefined ? '' : `, at most ${maximum}`}`
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return ` of at least ${minimum}`
  return maximum === undefined ? '' : ` of at most ${maximum}`
}

function isOfType(shape: Shape, value: unknown): boolean {
  const constants = constantsOf(shape)
  if (constants) return constants.includes(value)
  return shape.type === undefined || hasType(shape.type, value)
}

const isObject = (value: unknown): value is Record<string, unknown> => typeName(value) === 'object'
