import { Type } from 'typebox'

import { endpoint } from './endpoint.ts'
import { OneTimeText } from './players.ts'

/** The news box: separate, unchecked, drawn by the service; nothing is sent before a link in a mail was clicked. */

export const readNewsBox = endpoint('GET /v1/news/box', {
  summary: 'The box for sign-up screens, ready to be put into a page',
  caller: 'public',
  query: Type.Object({
    language: Type.Optional(
      Type.String({ maxLength: 35, description: 'like pt-BR; English where we do not speak it' }),
    ),
  }),
  response: Type.Object({
    show: Type.Boolean({ description: 'false: show nothing' }),
    label: Type.String({ description: 'empty when there is nothing to show' }),
    html: Type.String({ description: 'a label with an unchecked box named newsOptIn; no script' }),
  }),
})

export const confirmNews = endpoint('POST /v1/news/confirm', {
  summary: 'The click in the confirmation mail (30 days)',
  caller: 'none',
  signIn: true,
  body: Type.Object({ token: OneTimeText }),
  response: Type.Object({ subscribed: Type.Literal(true) }),
  errors: ['invalid_or_expired_token'],
})

export const unsubscribeFromNews = endpoint('POST /v1/news/unsubscribe', {
  summary: 'No more news to this address, whichever app it came from; works for ever',
  caller: 'none',
  signIn: true,
  body: Type.Object({ token: OneTimeText }),
  response: Type.Object({ subscribed: Type.Literal(false) }),
  errors: ['invalid_or_expired_token'],
})
