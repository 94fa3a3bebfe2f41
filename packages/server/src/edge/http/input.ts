import type { Endpoint } from '@svc/contract/endpoint'
import { LIMITS } from '@svc/contract/limits'
import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'

import { ApiError } from '../../platform/api-error.ts'
import { andThen, type Awaitable } from '../../platform/awaitable.ts'
import { lazy } from '../../platform/lazy.ts'
import { checkerOf } from './checker.ts'
import { requireInterpretable } from './interpreted.ts'

type Parts = { params: unknown; query: unknown; body: unknown }
export type Input = (request: FastifyRequest) => Awaitable<Parts>

/** The parts of a request that a contract names, checked once; behind the edge the types are trusted. */
export function inputOf({ params, query, body, rawMember: carried }: Endpoint): Input {
  const readParams = params && fromText(params)
  const readQuery = query && fromText(query)
  // At the first request: most endpoints are not called in the first second.
  const compiled = lazy(async () => ({
    params: await checkerOf(params, BOUNDS),
    query: await checkerOf(query, BOUNDS),
    body: await checkerOf(body, BOUNDS),
  }))

  return (request) =>
    andThen(compiled(), (checks) => {
      const input: Parts = {
        params: readParams?.(request.params as Record<string, unknown>),
        query: readQuery?.(request.query as Record<string, unknown>),
        body: body && (request.body ?? absentBody(body, request.body)),
      }
      if (input.body !== undefined) requireInterpretable(input.body, request.bodyText, carried)
      if (checks.params.fits(input.params) && checks.query.fits(input.query) && checks.body.fits(input.body))
        return input
      const errors = PARTS.flatMap((part) => checks[part].problems(input[part]))
      throw new ApiError('invalid_request', { errors })
    })
}

const PARTS = ['params', 'query', 'body'] as const

/** No body at all is an empty object where an object is asked for, so that calls without required fields need none. */
const absentBody = (schema: TSchema, given: unknown) =>
  given === undefined && 'type' in schema && schema.type === 'object' ? {} : given

const BOUNDS = { problemsMax: 100, itemsMax: LIMITS.deployedFilesMax + 1 }

type Property = { type?: string; default?: unknown }
type Texts = Record<string, unknown>

/** Parameters arrive as text; the schema says which of them are numbers or booleans, and what the absent ones are. */
function fromText(schema: TSchema): (values: Texts) => Texts {
  const { properties = {} } = schema as { properties?: Record<string, Property> }
  const readers = Object.entries(properties).filter(
    ([, { type, default: byDefault }]) => type !== 'string' || byDefault !== undefined,
  )
  if (readers.length === 0) return (values) => values

  return (values) => {
    const result: Texts = { ...values }
    for (const [name, { type, default: byDefault }] of readers) {
      const value = result[name]
      if (value === undefined && byDefault !== undefined) result[name] = byDefault
      if (typeof value !== 'string') continue
      if ((type === 'integer' || type === 'number') && /^-?\d{1,15}(\.\d{1,15})?$/.test(value))
        result[name] = Number(value)
      if (type === 'boolean' && (value === 'true' || value === 'false')) result[name] = value === 'true'
    }
    return result
  }
}
