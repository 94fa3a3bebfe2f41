import type { Endpoint } from '@svc/contract/common/endpoint'
import { type Problem, PROBLEMS_MAX } from '@svc/contract/common/problems'
import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'

import { ApiError, invalidField } from '../../../platform/api-error.ts'
import { lazy } from '../../../platform/memory/lazy.ts'
import { checkerOf } from '../../json/checker.ts'
import { isObject, requireInterpretable } from '../../json/interpreted.ts'
import { trimmingOf } from './trimming.ts'
import { unknownFieldsOf } from './unknown-fields.ts'

type Parts = { params: unknown; query: unknown; body: unknown }
export type Input = (request: FastifyRequest) => Promise<Parts>

/** The parts of a request that the contract defines, validated once; the code behind the edge trusts the types. */
export function inputOf(endpoint: Endpoint): Input {
  const { route, params, query, body, bodyProblems, rawMember: carried } = endpoint
  // The config document has its own rules and its own code (CFG-02).
  const mustBeObject = !endpoint.rawBody && !endpoint.bytesBody && (!body || 'type' in body)
  const unknownFields = route.startsWith('GET ') ? undefined : unknownFieldsOf(query)
  const trimmed = (body && trimmingOf(body)) ?? ((value: unknown) => value)
  const readParams = params && fromText(params)
  const readQuery = query && fromText(query)
  // Compiled at the first request, because most endpoints are not called right after the start.
  const compiled = lazy(async () => ({
    params: await checkerOf(params),
    query: await checkerOf(query),
    body: await checkerOf(body),
  }))

  return async (request) => {
    if (mustBeObject && request.body !== undefined && !isObject(request.body)) throw notAnObject()
    const checks = await compiled()
    const input: Parts = {
      params: readParams?.(request.params as Record<string, unknown>),
      query: readQuery?.(request.query as Record<string, unknown>),
      body: body && trimmed(request.body ?? absentBody(body)),
    }
    if (input.body !== undefined) requireInterpretable(input.body, request.bodyText, carried)
    const unknown = unknownFields?.(request.query as Texts)
    const fits =
      checks.params.fits(input.params) && checks.query.fits(input.query) && checks.body.fits(input.body)
    if (fits && unknown === undefined) return input
    const errors = [
      ...(unknown ?? []),
      ...PARTS.flatMap((part) => checks[part].problems(input[part])),
      ...Iterator.from(bodyProblems?.(input.body) ?? []).take(PROBLEMS_MAX),
    ]
    throw new ApiError('invalid_request', { errors: onePerPlace(errors).slice(0, PROBLEMS_MAX) })
  }
}

/** Also where the contract has no body, or none that is required: a list is never what the caller wants to send (GEN-06). */
const notAnObject = () => invalidField('$', 'must be an object')

const PARTS = ['params', 'query', 'body'] as const

/** Only the first problem of each path. */
const onePerPlace = (problems: readonly Problem[]) =>
  problems.filter(({ path }, at) => problems.findIndex((other) => other.path === path) === at)

/** A missing body counts as an empty object if the contract has an object, so that calls without required fields need no body. */
const absentBody = (schema: TSchema) => ('type' in schema && schema.type === 'object' ? {} : undefined)

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
