/** The part of JSON Schema that the contract is written in, for code that reads schemas as data. */
export type Shape = {
  type?: string
  title?: string
  description?: string
  default?: unknown
  examples?: readonly unknown[]
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Shape[]
  properties?: Record<string, Shape>
  patternProperties?: Record<string, Shape>
  additionalProperties?: Shape | boolean
  required?: readonly string[]
  minProperties?: number
  maxProperties?: number
  items?: Shape
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  /** What a text of this pattern must be: `must be …`. */
  patternErrorMessage?: string
  format?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  /** Whose text it is (`BY_PLAYER`). */
  author?: string
  keysOnly?: boolean
}

/** The type of a value as JSON Schema names it, except `integer`. */
export function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Whether a value has a type of JSON Schema. */
export function hasType(type: string | undefined, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'number') return Number.isFinite(value)
  return type === typeName(value)
}

/** Whether a number is inside the bounds of its schema. */
export const isInRange = (
  { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity }: Shape,
  value: number,
): boolean => value >= minimum && value <= maximum && value > exclusiveMinimum

/** Lengths count Unicode code points, of which each is one or two units of a string. Longer texts than `max` are not counted. */
export const codePoints = (text: string, max: number): number =>
  text.length > 2 * max ? Infinity : Array.from(text).length

const patterns = new Map<string, RegExp>()

/** Whether a text matches a pattern of the contract; each pattern is compiled once. */
export function matches(pattern: string, text: string): boolean {
  const known = patterns.get(pattern) ?? new RegExp(pattern, 'u')
  patterns.set(pattern, known)
  return known.test(text)
}
