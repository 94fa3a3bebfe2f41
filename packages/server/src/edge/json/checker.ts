import { type Problem, PROBLEMS_MAX, problemsIn } from '@svc/contract/common/problems'
import type { TSchema } from 'typebox'

/** `fits` is called first: nearly all values fit, and an empty list of problems costs as much as this check. */
export type Checker = {
  fits(value: unknown): boolean
  problems(value: unknown): Problem[]
}

/**
 * The schema compiler has hundreds of modules, so it is loaded when the first schema is needed. `typebox/compile` would load all of
 * `typebox/value`, too, and generates the same code.
 */
export async function checkerOf(schema: TSchema | undefined, problemsMax = PROBLEMS_MAX): Promise<Checker> {
  if (!schema) return ANYTHING
  const { Compile } = await import('typebox/schema')
  const validator = Compile(schema)
  return {
    fits: (value) => validator.Check(value),
    problems: (value) => (validator.Check(value) ? [] : problemsIn(schema, value, problemsMax)),
  }
}

const ANYTHING: Checker = { fits: () => true, problems: () => [] }
