import type { Address } from '@svc/contract/endpoint'
import type { NamedEndpoint } from '@svc/contract/endpoints'
import * as fc from 'fast-check'

import { anyCaller, rightCaller } from './callers.ts'
import { bodyOf, pathOf, queryOf } from './parts.ts'
import type { Header, Request } from './request.ts'
import { type Trick, tricks } from './tricks.ts'
import type { World } from './world.ts'

export type Target = { endpoint: NamedEndpoint; address: Address }

const PARTS = ['path', 'query', 'body', 'caller'] as const

/** Requests to one address of one endpoint, a third of each kind. */
export function requestsTo({ endpoint, address }: Target, world: World): fc.Arbitrary<Request> {
  const person = world.personFor(endpoint.name)
  const right = rightCaller(address, person)
  const parts = {
    path: pathOf(endpoint, address, person, world),
    query: queryOf(endpoint),
    body: bodyOf(endpoint, world),
    caller: { right, off: fc.oneof(right, anyCaller(world)) },
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

/** Pages are no rows of the contract: they must only stay well, and answer errors in the one shape. */
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

const hostile = (requests: fc.Arbitrary<Request>, tricksMin: number): fc.Arbitrary<Request> =>
  fc
    .tuple(requests, fc.array(tricks, { minLength: tricksMin, maxLength: 2 }))
    .map(([request, played]) => played.reduce((changed: Request, trick: Trick) => trick(changed), request))
