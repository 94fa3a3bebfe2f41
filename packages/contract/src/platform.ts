import { type Static, Type } from 'typebox'

import { endpoint } from './endpoint.ts'
import { Timestamp } from './shapes.ts'

/** The service itself: what it offers, whether it is well, and the clock of a test service. */

export type SignUpMode = Static<typeof SignUpMode>
export const SignUpMode = Type.Union([Type.Literal('open'), Type.Literal('first'), Type.Literal('closed')], {
  description:
    'who may create a developer account: everybody, holders of a set-up link or an invitation, or nobody',
})

export const readPlatformInfo = endpoint('GET /v1/platform/info', {
  summary: 'What this service offers; the sign-in page asks it first',
  caller: 'none',
  response: Type.Object({
    oauthProviders: Type.Array(Type.String(), { description: 'external sign-in for developers' }),
    version: Type.String(),
    hostingDomain: Type.String(),
    signUp: SignUpMode,
    features: Type.Record(Type.String(), Type.Boolean(), {
      description: 'false: not offered by the operator',
    }),
  }),
})

export const readHealth = endpoint('GET /healthz', {
  summary: 'Is the process alive?',
  caller: 'none',
  response: Type.Object({ status: Type.Literal('ok') }),
})

export const readReadiness = endpoint('GET /readyz', {
  summary:
    'Can it do its work? Asks every engine, with a write, at most once a second; 503 when one cannot or the process is stopping',
  caller: 'none',
  response: Type.Object({
    status: Type.Literal('ok'),
    checks: Type.Record(Type.String(), Type.Literal('ok')),
  }),
})

export const moveClock = endpoint('POST /v1/dev/clock', {
  summary: 'Move the clock of a test service (SVC_TEST_CLOCK=on); development keys only',
  caller: 'server',
  body: Type.Object({
    advanceMs: Type.Integer({ minimum: 0, maximum: 366 * 86_400_000, description: 'milliseconds to add' }),
  }),
  response: Type.Object({ now: Timestamp }),
  errors: ['not_found'],
})
