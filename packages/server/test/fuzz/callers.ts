import type { Address } from '@svc/contract/endpoint'
import * as fc from 'fast-check'

import type { Header } from './request.ts'
import type { Person, World } from './world.ts'

/** Who the address is for. */
export function rightCaller(
  { caller }: Address,
  { token, project, accessTokens }: Person,
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
      return fc.constant([session(token)])
  }
}

/** Anybody: nobody, one or the other key, sessions of two developers, revoked and expired, and a key and a session at once. */
export function anyCaller({ own, stranger, revokedKey, expired }: World): fc.Arbitrary<Header[]> {
  const sides = [own.project, stranger.project].flatMap(({ development, production }) => [
    development,
    production,
  ])
  const keys = sides.flatMap(({ publishableKey, secretKey }) => [publishableKey, secretKey])
  const headers = [
    ...[own.token, stranger.token, expired, 'kds_unknown', ...Object.values(own.accessTokens)].map(session),
    ...[...keys, revokedKey, 'sk_dev_unknown'].map(key),
  ]
  return fc.uniqueArray(fc.constantFrom(...headers), { maxLength: 2, selector: ([name]) => name })
}

const session = (token: string): Header => ['Authorization', `Bearer ${token}`]
const key = (text: string): Header => ['X-Svc-Key', text]
