import type { Address } from '@svc/contract/common/endpoint'
import type { NamedEndpoint } from '@svc/contract/common/endpoints'
import * as fc from 'fast-check'

import { anyCaller, rightCaller } from './callers.ts'
import type { Fixtures } from './fixtures.ts'
import { type Mutation, anyMutation } from './mutations.ts'
import { bodyOf, pathOf, queryOf } from './request-parts.ts'
import type { Header, Request } from './request.ts'

export type Target = { endpoint: NamedEndpoint; address: Address }

const PARTS = ['path', 'query', 'body', 'caller'] as const

/** Requests to one path of one endpoint, a third of each kind. */
export function requestsTo({ endpoint, address }: Target, fixtures: Fixtures): fc.Arbitrary<Request> {
  const developer = fixtures.developerFor(endpoint.name)
  const right = rightCaller(address, developer)
  const parts = {
    path: pathOf(endpoint, address, developer, fixtures),
    query: queryOf(endpoint),
    body: bodyOf(endpoint, fixtures),
    caller: { right, off: fc.oneof(right, anyCaller(fixtures)) },
  }

  const withOff = (kind: Request['kind'], off?: (typeof PARTS)[number]): fc.Arbitrary<Request> =>
    fc
      .record({
        path: parts.path[off === 'path' ? 'off' : 'right'],
        query: parts.query[off === 'query' ? 'off' : 'right'],
        body: parts.body[off === 'body' ? 'off' : 'right'],
        caller: parts.caller[off === 'caller' ? 'off' : 'right'],
        idempotencyKey: fc.option(fc.stringMatching(/^[A-Za-z0-9_.:-]{1,8}$/), { freq: 3 }),
      })
      .map(({ path, query, body, caller, idempotencyKey }) => {
        const headers: Header[] = [...caller]
        if (body) headers.push(['Content-Type', 'application/json'])
        if (idempotencyKey) headers.push(['Idempotency-Key', idempotencyKey])
        const { method, path: pattern } = address
        return {
          kind,
          target: endpoint.name,
          method,
          pattern: pattern.split('/').slice(1),
          path,
          query,
          headers,
          body,
          atAddress: true,
        }
      })

  return fc.oneof(
    withOff('valid'),
    fc.oneof(...PARTS.map((part) => withOff('near-valid', part))),
    hostile(fc.oneof(withOff('hostile'), withOff('hostile', 'caller')), 1),
  )
}

/** Pages are not in the contract: they must only not fail, and return errors in the common format. */
export function requestsToPage(page: string): fc.Arbitrary<Request> {
  const parts = page.split('/').slice(1)
  const request = {
    kind: 'hostile',
    target: page,
    method: 'GET',
    pattern: parts,
    headers: [],
    body: undefined,
    atAddress: false,
  } as const
  const query = queryOf({
    query: { properties: { state: { type: 'string' }, code: { type: 'string' }, error: { type: 'string' } } },
  })
  const provider = fc.constantFrom('google', 'github', 'x')
  const plain = fc.record({ query: fc.oneof(query.right, query.off), provider })
  return hostile(
    plain.map(({ query: text, provider: name }) => ({
      ...request,
      headers: [],
      query: text,
      path: parts.map((part) => (part === ':provider' ? name : part)),
    })),
    0,
  )
}

const hostile = (requests: fc.Arbitrary<Request>, mutationsMin: number): fc.Arbitrary<Request> =>
  fc
    .tuple(requests, fc.array(anyMutation, { minLength: mutationsMin, maxLength: 2 }))
    .map(([request, mutations]) =>
      mutations.reduce((changed: Request, mutation: Mutation) => mutation(changed), request),
    )
