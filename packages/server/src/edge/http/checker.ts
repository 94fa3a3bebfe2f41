import type { Problem } from '@svc/contract/problems'
import type { TSchema } from 'typebox'
import type { TLocalizedValidationError } from 'typebox/error'

import { type Bounds, firstProblems } from './first-problems.ts'
import { isObject } from './interpreted.ts'

/** Asked first whether it fits: nearly everything does, and a list of no problems costs as much as the question. */
export type Checker = {
  fits(value: unknown): boolean
  problems(value: unknown): Problem[]
  /** A value that did not fit, without the optional fields that are null where null means nothing: they are taken as absent. */
  withoutNulls(value: unknown): unknown
}

/** The compiler of schemas is a third of all modules: it is loaded when the first one is needed. */
export async function checkerOf(schema: TSchema | undefined, bounds: Bounds): Promise<Checker> {
  if (!schema) return ANYTHING
  const { Compile } = await import('typebox/compile')
  const validator = Compile(schema)
  return {
    fits: (value) => validator.Check(value),
    problems: (value) => (validator.Check(value) ? [] : firstProblems(validator, value, bounds)),
    withoutNulls: (value) => withoutNulls(schema, validator, value),
  }
}

const ANYTHING: Checker = { fits: () => true, problems: () => [], withoutNulls: (value) => value }

type Validator = { Errors(value: unknown): readonly TLocalizedValidationError[] }

/** Of the outermost object only. Where null is a value of its own, the schema takes it. */
function withoutNulls(schema: TSchema, validator: Validator, value: unknown): unknown {
  if (!isObject(value)) return value
  const { properties = {}, required = [] } = schema as { properties?: object; required?: string[] }
  const nulls = Object.keys(properties).filter((name) => value[name] === null && !required.includes(name))
  if (nulls.length === 0) return value

  const errors = validator.Errors(Object.fromEntries(nulls.map((name) => [name, null])))
  const refused = new Set(errors.map(({ instancePath }) => instancePath))
  const isAbsent = (name: string) => nulls.includes(name) && refused.has(`/${name}`)
  return Object.fromEntries(Object.entries(value).filter(([name]) => !isAbsent(name)))
}
