import assert from 'node:assert/strict'

import { addressesOf, type Endpoint, errorsOf } from '@svc/contract/endpoint'
import { PARTS } from '@svc/contract/endpoints'
import { ERRORS, type ErrorCode } from '@svc/contract/errors'
import { Compile, type Validator } from 'typebox/compile'

type Row = { endpoint: Endpoint; method: string; segments: string[]; response: Validator }

const rows: Row[] = PARTS.flatMap(({ endpoints }) =>
  endpoints.flatMap((endpoint) => {
    const response = Compile(endpoint.response)
    return addressesOf(endpoint).map(({ method, path }) => ({
      endpoint,
      method,
      segments: path.split('/'),
      response,
    }))
  }),
)

/** The row of the contract that an address belongs to; a fixed word wins over a parameter, as in the router. */
export function rowOf(method: string, url: string): Row | undefined {
  const segments = (url.split('?')[0] ?? '').split('/')
  const fits = rows.filter(
    (row) =>
      row.method === method &&
      row.segments.length === segments.length &&
      row.segments.every((part, i) => part.startsWith(':') || part === segments[i]),
  )
  return fits.toSorted((a, b) => parametersIn(a) - parametersIn(b))[0]
}

const parametersIn = ({ segments }: Row) => segments.filter((part) => part.startsWith(':')).length

/** Every answer in every test is held against the contract: shape, status, and that the code is one the endpoint names. */
export function assertInContract(method: string, url: string, status: number, body: unknown) {
  const row = rowOf(method, url)
  if (!row) return
  const said = `${method} ${url} → ${status} ${JSON.stringify(body)?.slice(0, 500)}`

  if (status === 304 && row.endpoint.etag) return assert.equal(body, '', said)
  if (status < 400) {
    assert.equal(status, row.endpoint.status ?? 200, said)
    assert.ok(row.response.Check(body), `${said}\n${JSON.stringify(row.response.Errors(body))}`)
    return
  }
  const { code } = (body as { error: { code: ErrorCode } }).error
  assert.ok(code in ERRORS, said)
  assert.equal(status, ERRORS[code].status, said)
  assert.ok(
    errorsOf(row.endpoint).includes(code),
    `${said}\nthe contract does not name ${code} for ${row.endpoint.route}`,
  )
}
