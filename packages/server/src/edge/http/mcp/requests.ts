import { addressesOf } from '@svc/contract/common/endpoint'
import type { NamedEndpoint } from '@svc/contract/common/endpoints'
import { type Problem, problem } from '@svc/contract/common/problems'

import { ApiError } from '../../../platform/api-error.ts'
import type { Environment } from '../../../platform/environment.ts'
import { argumentsOf, isWholeBody, WHOLE_BODY } from './tools.ts'

/** A request to the API, at an address for developers. */
export type ApiRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  body?: unknown
}

type Arguments = Record<string, unknown>

/**
 * The request of a call. The API itself checks all values; here are only the problems that would make another request of it: unknown
 * names, and path parameters that are missing or are no segment of a path.
 */
export function requestOf(endpoint: NamedEndpoint, environment: Environment, values: Arguments): ApiRequest {
  const [inPath, inQuery, inBody] = [endpoint.params, endpoint.query, endpoint.body].map(argumentsOf)
  const isWhole = isWholeBody(endpoint)
  const known = new Set([
    ...(inPath ?? []),
    ...(inQuery ?? []),
    ...(inBody ?? []),
    ...(isWhole ? [WHOLE_BODY] : []),
  ])
  const problems: Problem[] = Object.keys(values)
    .filter((name) => !known.has(name))
    .map((name) => problem(`$.${name.slice(0, 64)}`, 'is not an argument of this tool'))
  for (const name of inPath ?? []) {
    const value = values[name]
    if (value === undefined) problems.push(problem(`$.${name}`, 'is required'))
    else if (!isSegment(value))
      problems.push(problem(`$.${name}`, 'must be a text or a number that can be in a path'))
  }
  if (problems.length > 0) throw new ApiError('invalid_request', { errors: problems.slice(0, 20) })

  const address = addressesOf(endpoint).find(({ caller }) => caller === 'developer')
  if (!address) throw new Error(`${endpoint.name} has no address for developers`)
  const parameters: Arguments = { ...values, projectId: environment.projectId, env: environment.name }
  const path = address.path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(parameters[name])),
  )
  const query = new URLSearchParams(
    (inQuery ?? []).flatMap((name) => (values[name] === undefined ? [] : [[name, asText(values[name])]])),
  )
  const url = query.size > 0 ? `${path}?${query}` : path
  if (address.method === 'GET' || !endpoint.body) return { method: address.method, url }
  return { method: address.method, url, body: isWhole ? values[WHOLE_BODY] : pick(values, inBody ?? []) }
}

const SEGMENT_LENGTH_MAX = 1_000

/** `.` and `..` would lead to another path, also in percent encoding. Longer ones are nothing that exists, and no router takes them. */
const isSegment = (value: unknown): boolean =>
  typeof value === 'number' ||
  (typeof value === 'string' &&
    value !== '' &&
    value.length <= SEGMENT_LENGTH_MAX &&
    !/^\.{1,2}$/.test(value))

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const pick = (values: Arguments, names: readonly string[]): Arguments =>
  Object.fromEntries(names.flatMap((name) => (name in values ? [[name, values[name]]] : [])))
