import { type Static, Type } from 'typebox'

import { endpoint } from '../common/endpoint.ts'
import { OpaqueToken } from '../common/schemas.ts'
import { DeveloperSession } from './developers.ts'

/** Sign-in of a browser by a command line that is signed in: the reverse of a device code. */

/** A code that signs a browser in. */
export type BrowserCode = Static<typeof BrowserCode>
/** `code` belongs in the fragment of the dashboard's URL, which browsers do not send and no log contains. */
export const BrowserCode = Type.Object({
  code: Type.String({ description: 'works once; the fragment `#code=…` of a URL of the dashboard' }),
  expiresIn: Type.Integer({ description: 'seconds' }),
})

/** Create a code that signs a browser in to your account. */
export const createBrowserCode = endpoint('POST /v1/x/developers/browser-codes', {
  summary:
    'Create a code that signs a browser in to your account; works once, within a minute, and replaces an earlier one',
  caller: 'developer',
  role: 'account',
  response: BrowserCode,
  status: 201,
})

/** Sign a browser in with the code of a command line. */
export const openBrowserSession = endpoint('POST /v1/x/developers/browser-codes/session', {
  summary: 'Sign in with the code of a command line; works once',
  caller: 'none',
  signIn: true,
  body: Type.Object({ code: OpaqueToken }),
  response: DeveloperSession,
  errors: ['invalid_or_expired_token'],
})
