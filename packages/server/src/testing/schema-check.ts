import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/schema'

const validators = new Map<TSchema, Validator>()

/**
 * The problem of a value according to a schema of the contract. A schema is compiled when it is first needed: a test uses few of
 * them.
 */
export function misfit(schema: TSchema, value: unknown): string | undefined {
  let validator = validators.get(schema)
  if (!validator) validators.set(schema, (validator = Compile(schema)))
  return validator.Check(value) ? undefined : JSON.stringify(validator.Errors(value))
}
