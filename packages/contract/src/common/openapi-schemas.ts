import type { Shape } from './json-schema.ts'

/** The schemas of the contract as the OpenAPI document shows them: in forms that generators of clients in other languages can read. */

/** Keywords that only the service reads. `published` replaces what other programs cannot read: see `PUBLISHED`. */
const OURS = new Set(['patternErrorMessage', 'trimmed', 'cleaned', 'author', 'published', 'keysOnly'])

/**
 * What the OpenAPI document says instead of this schema's `pattern` or `anyOf`. The service applies the strict rule. Patterns of the
 * document are limited to what RE2 (Go, Rust) and Python also read: no `\p{…}`, no `\u0000`, nothing that looks ahead or behind.
 */
export const PUBLISHED = <const P extends Pick<Shape, 'type' | 'format' | 'pattern'>>(published: P) => ({
  published,
})

/** Another name of a field, which the document leaves out: two names can become one in a generated client (`className`, `class_name`). */
export const ALIAS = { alias: true } as const

/** A copy in which every named schema is a reference. */
export function published(value: unknown, names: ReadonlyMap<unknown, string>): unknown {
  const name = names.get(value)
  return name ? { $ref: `#/components/schemas/${name}` } : publishedParts(value, names)
}

/** A copy of a named schema itself. */
export function publishedParts(value: unknown, names: ReadonlyMap<unknown, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => published(item, names))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(simplified(value, names))
      .filter(([key, part]) => !OURS.has(key) && part?.alias !== true)
      .map(([key, part]) => [key, published(part, names)]),
  )
}

function simplified(schema: Shape & { published?: Shape }, names: ReadonlyMap<unknown, string>): object {
  if (schema.published) {
    const { anyOf: _, pattern: __, ...rest } = schema
    return { ...rest, ...schema.published }
  }
  if (Array.isArray(schema.anyOf)) return simplifiedUnion(schema, names)
  if (Array.isArray(schema.enum)) return { type: 'string', ...schema }
  return withoutKeyPatterns(schema)
}

/** Constants as `enum`, and `null` as a second type. */
function simplifiedUnion(schema: Shape, names: ReadonlyMap<unknown, string>): object {
  const { anyOf = [], ...rest } = schema
  const [only, ...others] = anyOf.filter(({ type }) => type !== 'null')
  if (only === undefined) return schema
  if (others.length === 0) {
    if (names.has(only)) return schema
    const inner = simplified(only, names) as Shape
    if (inner.anyOf)
      return { ...rest, anyOf: [...inner.anyOf, ...anyOf.filter(({ type }) => type === 'null')] }
    if (typeof inner.type !== 'string') return schema
    return { ...orNull(inner), ...rest }
  }
  const values = [only, ...others].map((part) => part.const)
  const types = new Set(values.map((constant) => typeof constant))
  if (values.length < anyOf.length || values.includes(undefined) || types.size > 1) return schema
  return { ...rest, type: only.type, enum: values }
}

const orNull = ({
  const: only,
  enum: values = only === undefined ? undefined : [only],
  ...inner
}: Shape) => ({
  ...inner,
  type: [inner.type, 'null'],
  ...(values && { enum: [...values, null] }),
})

const ANY_KEY = '^.*$'

/** A record: generators know `additionalProperties`, but not `patternProperties`. */
function withoutKeyPatterns(schema: Shape): object {
  const [[pattern, value] = [], ...others] = Object.entries(schema.patternProperties ?? {})
  if (pattern === undefined || others.length > 0 || schema.properties) return schema
  const { patternProperties: _, additionalProperties: __, ...rest } = schema
  return { ...rest, ...(pattern !== ANY_KEY && { propertyNames: { pattern } }), additionalProperties: value }
}
