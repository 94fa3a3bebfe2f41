import * as fc from 'fast-check'
import type { TSchema } from 'typebox'

import { anyCharacter } from '../../src/testing/any-character.ts'

/** The part of JSON Schema that the contract uses. */
type Shape = {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Shape[]
  properties?: Record<string, Shape>
  required?: string[]
  patternProperties?: Record<string, Shape>
  items?: Shape
  minLength?: number
  maxLength?: number
  pattern?: string
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
}

export type Values = fc.Arbitrary<unknown>

/** Strings that have broken other programs. JSON writes lone surrogates and U+0000 as \\u escapes. */
export const ODD_TEXTS = [
  ...'\u0000|a\u0000b|\ud800|x\udc00|\udc00\ud800|\ufeff|\u2028|\u0085|\u007f|\t| |'.split('|'),
  ...'\u00e9|e\u0301|\u202eevil\u202c|zero\u200bwidth\u200d|👩‍👩‍👧‍👦|🇩🇪|ﷺ|İ|ß|Å|\u{10ffff}'.split('|'),
  ...'__proto__|constructor|toString|hasOwnProperty|null|undefined|NaN|-1|1e9|0x10|%00|../../etc/passwd'.split(
    '|',
  ),
  ...`' or 1=1 --|"; drop table projects; --|<script>alert(1)</script>|\${7*7}`.split('|'),
  ...[64, 65, 10_000].flatMap((length) => ['a', 'ä', '😀', ' '].map((character) => character.repeat(length))),
]

const cache = new WeakMap<object, Values>()

/** Values that the schema allows. */
export function valid(schema: TSchema | Shape): Values {
  const known = cache.get(schema)
  if (known) return known
  const made = validOf(schema as Shape)
  cache.set(schema, made)
  return made
}

function validOf(shape: Shape): Values {
  if ('const' in shape) return fc.constant(shape.const)
  if (shape.enum) return fc.constantFrom(...shape.enum)
  if (shape.anyOf) return fc.oneof(...shape.anyOf.map(valid))
  switch (shape.type ?? 'anything') {
    case 'string':
      return textOf(shape)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'integer':
      return fc.integer({
        min: shape.minimum ?? -1_000_000,
        max: Math.min(shape.maximum ?? 1_000_000, 2 ** 31 - 1),
      })
    case 'number':
      return fc.double({ noNaN: true, min: shape.exclusiveMinimum ?? -1e6, max: 1e6, minExcluded: true })
    case 'array':
      return fc.array(valid(shape.items ?? {}), { minLength: shape.minItems ?? 0, maxLength: 3 })
    case 'object':
      return objectOf(shape)
    default:
      return fc.jsonValue({ maxDepth: 3 })
  }
}

function objectOf({ properties, required = [], patternProperties }: Shape): Values {
  if (properties) {
    const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, valid(field)]))
    return fc.record(fields, { requiredKeys: required, noNullPrototype: true })
  }
  const [[pattern, item] = ['^[a-z]{1,9}$', {}]] = Object.entries(patternProperties ?? {})
  const keys = fc.stringMatching(new RegExp(pattern, 'u'))
  return fc.dictionary(keys, valid(item), { minKeys: 1, maxKeys: 3, noNullPrototype: true })
}

function textOf({ pattern, minLength = 0, maxLength = 1_000 }: Shape): fc.Arbitrary<string> {
  if (pattern === undefined)
    return fc.string({ unit: anyCharacter, minLength, maxLength: Math.min(maxLength, minLength + 40) })
  // The generator does not support look-ahead. Without it, some generated values are only almost valid.
  const readable = pattern.replaceAll(/\(\?!(?:[^()]|\([^()]*\))*\)/g, '')
  return fc
    .stringMatching(new RegExp(readable, 'u'))
    .map((text) => Array.from(text).slice(0, maxLength).join(''))
}

/** Valid values with one fault: a field that is missing, additional, of the wrong type, at its limit, one past it, or unusual. */
export const nearValid = (schema: TSchema | Shape): Values =>
  fc.oneof(wrong, offOf(schema as Shape), offOf(schema as Shape))

const wrong: Values = fc.oneof(
  fc.constantFrom(null, true, 0, -1, 1.5, 1e21, Number.MAX_SAFE_INTEGER, [], {}, [[]], ['x'], { length: 1 }),
  fc.constantFrom(...ODD_TEXTS),
  fc.string({ unit: anyCharacter, maxLength: 200 }),
)

function offOf(shape: Shape): Values {
  if (shape.anyOf) return fc.oneof(...shape.anyOf.map(nearValid))
  switch (shape.type ?? 'anything') {
    case 'string':
      return fc.oneof(atLimits(shape), fc.constantFrom(...ODD_TEXTS))
    case 'integer':
    case 'number':
      return fc.constantFrom(
        ...[shape.minimum ?? 0, shape.maximum ?? 2 ** 53].flatMap((limit) => [
          limit - 1,
          limit,
          limit + 1,
          limit + 0.5,
        ]),
      )
    case 'array':
      return fc.oneof(tooMany(shape), fc.array(nearValid(shape.items ?? {}), { minLength: 1, maxLength: 3 }))
    case 'object':
      return shape.properties
        ? oneFieldOff(shape, shape.properties)
        : fc.dictionary(fc.constantFrom(...ODD_TEXTS), wrong)
    default:
      return wrong
  }
}

/** Lengths count code points, so both a letter and a character outside the BMP are used. */
const atLimits = ({ minLength = 0, maxLength = 1_000 }: Shape): Values =>
  fc
    .tuple(
      fc.constantFrom('a', 'é', '😀'),
      fc.constantFrom(minLength - 1, minLength, maxLength, maxLength + 1, 10 * maxLength),
    )
    .map(([character, length]) => character.repeat(Math.max(0, length)))

const tooMany = ({ items = {}, maxItems = 100 }: Shape): Values =>
  valid(items).map((item) => Array.from({ length: maxItems + 1 }, () => item))

function oneFieldOff(shape: Shape, properties: Record<string, Shape>): Values {
  const names = Object.keys(properties)
  const extra = fc
    .tuple(valid(shape), fc.constantFrom(...ODD_TEXTS), wrong)
    .map(([value, name, more]) => withField(value, name, more))
  if (names.length === 0) return extra

  return fc.constantFrom(...names).chain((name) =>
    fc.oneof(
      extra,
      valid(shape).map((value) =>
        Object.fromEntries(Object.entries(value as object).filter(([key]) => key !== name)),
      ),
      fc
        .tuple(valid(shape), nearValid(properties[name] ?? {}))
        .map(([value, off]) => withField(value, name, off)),
    ),
  )
}

/** Defines an own property, also for `__proto__`. */
const withField = (value: unknown, name: string, field: unknown) =>
  Object.defineProperty({ ...(value as object) }, name, {
    value: field,
    enumerable: true,
    configurable: true,
  })
