import type * as TypeBox from 'typebox'
import type { TProperties, TSchema } from 'typebox'

export type { Static, TObject, TProperties, TSchema } from 'typebox'

type Options = Record<string, unknown>

const isOptional = (schema: TSchema) => '~optional' in schema

const OfAnyText = '^.*$'

/**
 * The functions of TypeBox that the contract uses, with TypeBox's types and results (`schema.test.ts` compares them). TypeBox itself
 * has 370 modules, which every start of the service would load: 115 ms of CPU time and 12 MB.
 */
export const Type = {
  String: (options?: Options) => ({ type: 'string', ...options }),
  Integer: (options?: Options) => ({ type: 'integer', ...options }),
  Number: (options?: Options) => ({ type: 'number', ...options }),
  Boolean: (options?: Options) => ({ type: 'boolean', ...options }),
  Null: (options?: Options) => ({ type: 'null', ...options }),
  Unknown: (options?: Options) => ({ ...options }),
  Literal: (value: string | number | boolean, options?: Options) => ({
    type: typeof value,
    const: value,
    ...options,
  }),
  Enum: (values: readonly unknown[], options?: Options) => ({ enum: values, ...options }),
  Union: (anyOf: readonly TSchema[], options?: Options) => ({ anyOf, ...options }),
  Array: (items: TSchema, options?: Options) => ({ type: 'array', items, ...options }),
  Record: (key: { pattern?: string }, value: TSchema, options?: Options) => ({
    type: 'object',
    patternProperties: { [key.pattern ?? OfAnyText]: value },
    ...options,
  }),
  Object(properties: TProperties, options?: Options) {
    const required = Object.keys(properties).filter((name) => !isOptional(properties[name] ?? {}))
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
  },
  /** Marks a property that may be left out. The mark is not part of the JSON Schema. */
  Optional: (schema: TSchema) => Object.defineProperty({ ...schema }, '~optional', { value: true }),
  Unsafe: (schema: TSchema) => schema,
} as unknown as Pick<
  typeof TypeBox.Type,
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe'
>
