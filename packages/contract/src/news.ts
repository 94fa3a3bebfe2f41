import { Type } from 'typebox'

import { endpoint } from './common/endpoint.ts'
import { OpaqueToken } from './common/schemas.ts'

/** The news box: separate, unchecked, with HTML of the service; no news are sent before a link in an email was clicked. */

/** Get the news opt-in box for sign-up screens, as ready-to-use HTML. */
export const readNewsBox = endpoint('GET /v1/news/box', {
  summary: 'Get the news opt-in box for sign-up screens, as ready-to-use HTML',
  caller: 'public',
  query: Type.Object({
    language: Type.Optional(
      Type.String({
        maxLength: 35,
        description: 'for example pt-BR; English if the language is not supported',
      }),
    ),
  }),
  response: Type.Object({
    show: Type.Boolean({ description: 'false: show nothing' }),
    label: Type.String({ description: 'empty if there is nothing to show' }),
    html: Type.String({ description: 'a label with an unchecked box named newsOptIn; no script' }),
  }),
})

/** Confirm a news subscription with the token from the email; it is valid for 30 days. */
export const confirmNews = endpoint('POST /v1/news/confirm', {
  summary: 'Confirm a news subscription with the token from the email; it is valid for 30 days',
  caller: 'none',
  anyOrigin: true,
  signIn: true,
  body: Type.Object({ token: OpaqueToken }),
  response: Type.Object({ subscribed: Type.Literal(true) }),
  errors: ['invalid_or_expired_token'],
})

/** Unsubscribe an address from news of all apps. */
export const unsubscribeFromNews = endpoint('POST /v1/news/unsubscribe', {
  summary: 'Unsubscribe an address from news of all apps; the link never expires',
  caller: 'none',
  anyOrigin: true,
  signIn: true,
  body: Type.Object({ token: OpaqueToken }),
  response: Type.Object({ subscribed: Type.Literal(false) }),
  errors: ['invalid_or_expired_token'],
})
