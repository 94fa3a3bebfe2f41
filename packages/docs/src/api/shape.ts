import type { Shape } from '@svc/contract/common/json-schema'
import type { TSchema } from 'typebox'

export type { Shape }

export const shapeOf = (schema: TSchema): Shape => schema as Shape

const isNull = ({ type }: Shape) => type === 'null'

/** The values of a map other than its named properties. */
export function valuesOf({ patternProperties, additionalProperties }: Shape): Shape | undefined {
  if (typeof additionalProperties === 'object') return additionalProperties
  return Object.values(patternProperties ?? {})[0]
}

/** `"development" | "production"`, `string[]`, `integer | null`: a type as a programmer writes it. */
export function typeOf(shape: Shape): string {
  if (shape.const !== undefined) return JSON.stringify(shape.const)
  if (shape.enum) return shape.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (shape.anyOf) return [...new Set(shape.anyOf.map(typeOf))].join(' | ')
  if (shape.type === 'array') return arrayOf(typeOf(shape.items ?? {}))
  const values = valuesOf(shape)
  if (values) return `map of ${typeOf(values)}`
  return shape.type ?? 'any JSON'
}

const arrayOf = (type: string) => (type.includes(' ') ? `(${type})[]` : `${type}[]`)

/** The bounds of a value in words. */
export function boundsOf(shape: Shape): string[] {
  const only = shape.anyOf?.filter((variant) => !isNull(variant))
  const [alone] = only ?? []
  if (alone && only?.length === 1) return boundsOf(alone)
  return [
    between(shape.minLength || undefined, shape.maxLength, 'character'),
    between(shape.minimum, shape.maximum),
    shape.exclusiveMinimum !== undefined && `more than ${shape.exclusiveMinimum}`,
    shape.exclusiveMaximum !== undefined && `less than ${shape.exclusiveMaximum}`,
    between(shape.minItems || undefined, shape.maxItems, 'item'),
    between(undefined, shape.maxProperties, 'property'),
    shape.default !== undefined && `default ${JSON.stringify(shape.default)}`,
  ].filter((bound) => bound !== false)
}

function between(min: number | undefined, max: number | undefined, unit?: string): string | false {
  if (min !== undefined && min === max) return `exactly ${counted(min, unit)}`
  if (min !== undefined && max !== undefined) return `${count(min)} to ${counted(max, unit)}`
  if (max !== undefined) return `at most ${counted(max, unit)}`
  if (min !== undefined) return `at least ${counted(min, unit)}`
  return false
}

/** `1 character`, `80 characters`, `12 properties`, `2,000`. */
function counted(value: number, unit: string | undefined): string {
  if (unit === undefined) return count(value)
  return `${count(value)} ${value === 1 ? unit : `${unit}s`.replace(/ys$/, 'ies')}`
}

const thousands = new Intl.NumberFormat('en-US')
const count = (value: number) => (Number.isSafeInteger(value) ? thousands.format(value) : String(value))

/** The objects inside a value whose fields are shown as a table: itself, its items, its variants. */
export function objectsIn(shape: Shape): Shape[] {
  if (shape.properties) return [shape]
  if (shape.anyOf) return shape.anyOf.flatMap(objectsIn)
  const inner = shape.items ?? valuesOf(shape)
  return inner ? objectsIn(inner) : []
}
