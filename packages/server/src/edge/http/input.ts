import type { Endpoint } from '@svc/contract/endpoint'
import { type Problem, problemsOf } from '@svc/contract/problems'
import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'

import { ApiError } from '../../platform/api-error.ts'
import { lazy } from '../../platform/lazy.ts'

export type Input = (request: FastifyRequest) => Promise<{ params: unknown; query: unknown; body: unknown }>

/** The parts of a request that a contract names, checked once; behind the edge the types are trusted. */
export function inputOf({ params, query, body }: Endpoint): Input {
  // At the first request: the compiler is a third of all modules, and most endpoints are not called in the first second.
  const checkers = lazy(() => Promise.all([checker(params), checker(query), checker(body)]))

  return async (request) => {
    const [checkParams, checkQuery, checkBody] = await checkers()
    const input = {
      params: params && fromText(params, request.params as Record<string, string>),
      query: query && fromText(query, request.query as Record<string, unknown>),
      body: body && (request.body ?? absentBody(body, request.body)),
    }
    const problems = [...checkParams(input.params), ...checkQuery(input.query), ...checkBody(input.body)]
    if (problems.length > 0) throw new ApiError('invalid_request', { errors: problems })
    return input
  }
}

/** No body at all is an empty object where an object is asked for, so that calls without required fields need none. */
const absentBody = (schema: TSchema, given: unknown) =>
  given === undefined && 'type' in schema && schema.type === 'object' ? {} : given

/** As many problems as a person reads; a hostile body must not be answered with megabytes. */
const PROBLEMS_MAX = 100

const NO_PROBLEMS: Problem[] = []

async function checker(schema: TSchema | undefined): Promise<(value: unknown) => Problem[]> {
  if (!schema) return () => NO_PROBLEMS
  const { Compile } = await import('typebox/compile')
  const validator = Compile(schema)
  return (value) =>
    validator.Check(value) ? NO_PROBLEMS : problemsOf(validator.Errors(value)).slice(0, PROBLEMS_MAX)
}

type Properties = Record<string, { type?: string; default?: unknown; anyOf?: unknown }>

/** Parameters arrive as text; the schema says which of them are numbers or booleans, and what the absent ones are. */
function fromText(schema: TSchema, values: Record<string, unknown>): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Properties }
  const result: Record<string, unknown> = { ...values }
  for (const [name, { type, default: byDefault }] of Object.entries(properties)) {
    const value = result[name]
    if (value === undefined && byDefault !== undefined) result[name] = byDefault
    if (typeof value !== 'string') continue
    if ((type === 'integer' || type === 'number') && /^-?\d{1,15}(\.\d{1,15})?$/.test(value))
      result[name] = Number(value)
    if (type === 'boolean' && (value === 'true' || value === 'false')) result[name] = value === 'true'
  }
  return result
}
