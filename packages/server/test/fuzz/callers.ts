import type { Address } from '@svc/contract/common/endpoint'
import * as fc from 'fast-check'

import type { TestDeveloper, Fixtures } from './fixtures.ts'
import type { Header } from './request.ts'

/** Headers of a caller that the endpoint is for. */
export function rightCaller(
  { caller }: Address,
  { token, project, accessTokens }: TestDeveloper,
): fc.Arbitrary<Header[]> {
  const { development, production } = project
  switch (caller) {
    case 'none':
      return fc.constantFrom<Header[][]>([], [session(token)])
    case 'public':
      return fc.constantFrom(development, production).map(({ publishableKey }) => [key(publishableKey)])
    case 'player':
      return fc
        .constantFrom('development', 'development', 'production')
        .map((side) => [key(project[side].publishableKey), session(accessTokens[side])])
    case 'server':
      return fc.constantFrom(development, development, production).map(({ secretKey }) => [key(secretKey)])
    case 'developer':
    case 'operator':
      return fc.constant([session(token)])
  }
}

/**
 * Headers of any caller: none, either key, sessions of two developers, revoked and expired ones, and a key together with a
 * session.
 */
export function anyCaller({ caller, otherDeveloper, revokedKey, expired }: Fixtures): fc.Arbitrary<Header[]> {
  const sides = [caller.project, otherDeveloper.project].flatMap(({ development, production }) => [
    development,
    production,
  ])
  const keys = sides.flatMap(({ publishableKey, secretKey }) => [publishableKey, secretKey])
  const headers = [
    ...[
      caller.token,
      otherDeveloper.token,
      expired,
      'kds_unknown',
      ...Object.values(caller.accessTokens),
    ].map(session),
    ...[...keys, revokedKey, 'sk_dev_unknown'].map(key),
  ]
  return fc.uniqueArray(fc.constantFrom(...headers), { maxLength: 2, selector: ([name]) => name })
}

const session = (token: string): Header => ['Authorization', `Bearer ${token}`]
const key = (text: string): Header => ['X-Svc-Key', text]
