import assert from 'node:assert/strict'

import { addressesOf, type Endpoint, errorsOf } from '@svc/contract/common/endpoint'
import { PARTS } from '@svc/contract/common/endpoints'
import { ERRORS, type ErrorCode } from '@svc/contract/common/errors'

import { misfit } from './schema-check.ts'

type Row = { endpoint: Endpoint; method: string; segments: string[] }

const rows: Row[] = PARTS.flatMap(({ endpoints }) =>
  endpoints.flatMap((endpoint) =>
    addressesOf(endpoint).map(({ method, path }) => ({ endpoint, method, segments: path.split('/') })),
  ),
)
const shapeOf = (method: string, segments: readonly string[]) => `${method} ${segments.length}`
const rowsByShape = Map.groupBy(rows, ({ method, segments }) => shapeOf(method, segments))

/** The endpoint of the contract for a URL; a fixed segment has priority over a parameter, as in the router. */
export function rowOf(method: string, url: string): Row | undefined {
  const segments = (url.split('?')[0] ?? '').split('/')
  const fits = (rowsByShape.get(shapeOf(method, segments)) ?? []).filter((row) =>
    row.segments.every((part, i) => part.startsWith(':') || part === segments[i]),
  )
  return fits.toSorted((a, b) => parametersIn(a) - parametersIn(b))[0]
}

const parametersIn = ({ segments }: Row) => segments.filter((part) => part.startsWith(':')).length

/** Checks every response in every test against the contract: shape, status, and that the endpoint lists the error code. */
export function assertInContract(method: string, url: string, status: number, body: unknown) {
  const row = rowOf(method, url)
  const problem = row && problemWith(row.endpoint, status, body)
  if (problem !== undefined)
    assert.fail(`${method} ${url} → ${status} ${JSON.stringify(body)?.slice(0, 500)}\n${problem}`)
}

function problemWith(endpoint: Endpoint, status: number, body: unknown): string | undefined {
  if (status === 304 && endpoint.etag) return body === '' ? undefined : 'a 304 has no body'
  if (status < 400) {
    const expected = endpoint.status ?? 200
    return status === expected ? misfit(endpoint.response, body) : `the contract says ${expected}`
  }
  const { code } = (body as { error: { code: ErrorCode } }).error
  if (!(code in ERRORS)) return `${code} is not an error code`
  if (status !== ERRORS[code].status) return `${code} has the status ${ERRORS[code].status}`
  if (code === 'not_found' && !errorsOf(endpoint).includes(code))
    return `no route is mounted for ${endpoint.route}: add it to routes.ts of its capability`
  if (!errorsOf(endpoint).includes(code)) return `the contract does not name ${code} for ${endpoint.route}`
}
