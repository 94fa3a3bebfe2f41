import * as fc from 'fast-check'

import * as hostile from './hostile.ts'
import type { Header, Request } from './request.ts'

/** A change that no correct client would make. */
export type Mutation = (request: Request) => Request

const oneOf = <T>(
  values: readonly T[],
  change: (request: Request, value: T) => Partial<Request>,
): fc.Arbitrary<Mutation> =>
  fc.constantFrom(...values).map((value) => (request) => ({ ...request, ...change(request, value) }))

const someBody = (bodies: fc.Arbitrary<Buffer>): fc.Arbitrary<Mutation> =>
  bodies.map((body) => (request) => ({ ...request, ...withBody(request, body) }))

const withBody = (request: Request, body: Buffer) => ({
  body,
  ...replacingHeader(request, ['Content-Type', 'application/json']),
})

const replacingHeader = ({ headers }: Request, added: Header) => ({
  headers: [...headers.filter(([name]) => name !== added[0]), added],
})

const cutOff = (request: Request, at: number): Request =>
  request.body?.length ? { ...request, body: request.body.subarray(0, at % request.body.length) } : request

const withLength = (
  request: Request,
  { headers, body }: (typeof hostile.LENGTHS)[number],
): Partial<Request> => ({
  headers: [...request.headers, ...headers],
  ...(body && { body }),
  incomplete: true,
})

/** Replaces a parameter if there is one: the router accepts an unusual text only there. */
const inPlaceOf =
  (at: number, text: string): Mutation =>
  (request) => {
    const { path, pattern, atAddress } = request
    const parameters = [...pattern.keys()].filter((i) => pattern[i]?.startsWith(':'))
    const place = parameters[at % parameters.length]
    if (place === undefined) return { ...request, path: path.with(at % path.length, text), atAddress: false }
    return { ...request, path: path.with(place, text), atAddress: atAddress && hostile.isParameter(text) }
  }

/** Weighted: the most expensive mutations are the rarest. */
export const anyMutation: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 80, arbitrary: oneOf(hostile.BODIES, withBody) },
  { weight: 20, arbitrary: oneOf(hostile.BROKEN_UTF8, withBody) },
  { weight: 1, arbitrary: oneOf([hostile.LARGER_THAN_ALLOWED], withBody) },
  { weight: 40, arbitrary: someBody(fc.json({ maxDepth: 6 }).map((text) => Buffer.from(text))) },
  { weight: 20, arbitrary: someBody(fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes))) },
  {
    weight: 30,
    arbitrary: fc.nat().map(
      (at): Mutation =>
        (request) =>
          cutOff(request, at),
    ),
  },
  {
    weight: 100,
    arbitrary: fc
      .tuple(fc.nat(), fc.constantFrom(...hostile.SEGMENTS))
      .map(([at, text]) => inPlaceOf(at, text)),
  },
  { weight: 80, arbitrary: oneOf(hostile.QUERIES, (_, query) => ({ query })) },
  { weight: 80, arbitrary: oneOf(hostile.HEADERS, replacingHeader) },
  {
    weight: 60,
    arbitrary: oneOf(hostile.HEADERS, ({ headers }, added) => ({ headers: [...headers, added] })),
  },
  { weight: 40, arbitrary: oneOf(hostile.LENGTHS, withLength) },
  {
    weight: 30,
    arbitrary: oneOf(hostile.TARGETS, ({ path }, change) => ({
      rawTarget: change(`/${path.join('/')}`),
      atAddress: false,
    })),
  },
  { weight: 30, arbitrary: oneOf(hostile.METHODS, (_, method) => ({ method, atAddress: false })) },
  { weight: 10, arbitrary: oneOf(hostile.VERSIONS, (_, version) => ({ version, atAddress: false })) },
  { weight: 5, arbitrary: oneOf([true] as const, (_, withoutHost) => ({ withoutHost })) },
)
