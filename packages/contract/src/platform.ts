import { type Static, Type } from 'typebox'

import { endpoint } from './common/endpoint.ts'
import { Nullable, Timestamp } from './common/schemas.ts'

/** The service itself: its features, its health, and the clock of a test service. */

/** Who may create a developer account. */
export type SignUpMode = Static<typeof SignUpMode>
/** The operator sets it with SVC_SIGN_UP. */
export const SignUpMode = Type.Union([Type.Literal('open'), Type.Literal('first'), Type.Literal('closed')], {
  description:
    'who can create a developer account: everyone, holders of a set-up link or an invitation, or nobody',
})

/** How developers pay. */
export type Billing = Static<typeof Billing>
/** The operator sets it with SVC_BILLING and the settings of Stripe. */
export const Billing = Type.Union([Type.Literal('off'), Type.Literal('test'), Type.Literal('stripe')], {
  description: 'how developers pay: not at all, on a test page without money, or through Stripe',
})

/** Get information about this service. */
export const readPlatformInfo = endpoint('GET /v1/platform/info', {
  summary: 'Get information about this service',
  caller: 'none',
  response: Type.Object({
    oauthProviders: Type.Array(Type.String(), { description: 'external sign-in for developers' }),
    version: Type.String(),
    hostingDomain: Type.String(),
    signUp: SignUpMode,
    setup: Type.Boolean({
      description:
        'true until there is a developer account; the set-up link in the start banner creates the first one',
    }),
    mail: Type.Union([Type.Literal('sent'), Type.Literal('kept')], {
      description: 'kept: no mail server is configured, so emails are stored instead of sent',
    }),
    billing: Billing,
    features: Type.Record(Type.String(), Type.Boolean(), {
      description: 'false: not offered by the operator',
    }),
    now: Type.String({ ...Timestamp, description: 'the clock of the service' }),
    local: Type.Optional(
      Type.Object(
        {
          account: Nullable(
            Type.String({ description: 'the account that `svc new` has created on this machine' }),
          ),
          operatorSocket: Nullable(
            Type.String({
              description:
                'until there is an operator: where a command of the same user gets a set-up link, a Unix socket',
            }),
          ),
        },
        { description: 'only from a service that no other machine can reach' },
      ),
    ),
  }),
})

/** Check that the process is running. */
export const readHealth = endpoint('GET /healthz', {
  summary: 'Check that the process is running',
  caller: 'none',
  response: Type.Object({ status: Type.Literal('ok') }),
})

/** The state of one part of the service. */
export type Part = Static<typeof Part>
/** `warning`: it works, but the operator should act. `off`: it is not configured. */
export const Part = Type.Object({
  state: Type.Union(
    [Type.Literal('ok'), Type.Literal('warning'), Type.Literal('failing'), Type.Literal('off')],
    { description: 'warning: works, but the operator should act; off: not configured' },
  ),
  says: Type.String({ description: 'a sentence for the operator' }),
})

/** Check readiness: every engine performs a write, at most once a second. */
export const readReadiness = endpoint('GET /readyz', {
  summary:
    'Check readiness; every engine performs a write, at most once a second; 503 if one fails or the process is stopping',
  caller: 'none',
  query: Type.Object({
    parts: Type.Optional(
      Type.Boolean({
        description:
          'also return the state of every part; only for the operator, on the machine of the service or with SVC_METRICS_TOKEN as bearer token',
      }),
    ),
  }),
  response: Type.Object({
    status: Type.Literal('ok'),
    checks: Type.Record(Type.String(), Type.Literal('ok')),
    databaseStandby: Type.Union(
      [Type.Literal('synchronous'), Type.Literal('none'), Type.Literal('unknown')],
      {
        description:
          'what a commit waits for in PostgreSQL: synchronous (a failover loses nothing), none; unknown without target_session_attrs in DATABASE_URL',
      },
    ),
    functionsSandbox: Type.Union(
      [Type.Literal('bubblewrap'), Type.Literal('uid'), Type.Literal('plain'), Type.Literal('none')],
      {
        description:
          'how functions are isolated on this node: bubblewrap (full), uid (a separate account), plain (not at all); none: not available',
      },
    ),
    functionsAccount: Type.Union([Type.Literal('own'), Type.Literal('service'), Type.Literal('none')], {
      description:
        'the account of functions processes on this node: own, or that of the service; own needs a service that runs as root and a folder of functions that every account may enter; none: not available',
    }),
    parts: Type.Optional(
      Type.Record(Type.String(), Part, {
        description:
          'databaseStandby, databaseConnections, clock, redis, files, mail, functions, cards, turn, voice, payments, disk, backup; none of them changes the status',
      }),
    ),
    backups: Type.Union(
      [Type.Literal('off'), Type.Literal('waiting'), Type.Literal('verified'), Type.Literal('failed')],
      { description: 'the newest backup: verified or failed; waiting: none yet; off: no automatic backups' },
    ),
  }),
})

/** Check whether this service answers on a host name. */
export const readDomain = endpoint('GET /v1/platform/domain', {
  summary:
    'Check whether this service answers on a host name; the API’s or an app’s. A proxy asks before it requests a certificate',
  caller: 'none',
  query: Type.Object({
    domain: Type.String({ minLength: 1, maxLength: 253, examples: ['duel.apps.example.com'] }),
  }),
  response: Type.Object({ domain: Type.String({ description: 'in lower case' }) }),
  errors: ['not_found'],
})

/** Advance the clock of a test service (SVC_TEST_CLOCK=on). */
export const moveClock = endpoint('POST /v1/dev/clock', {
  summary: 'Advance the clock of a test service; requires SVC_TEST_CLOCK=on and a development key',
  caller: 'server',
  body: Type.Object({
    advanceMs: Type.Integer({ minimum: 0, maximum: 366 * 86_400_000, description: 'milliseconds to add' }),
  }),
  response: Type.Object({ now: Timestamp }),
  errors: ['not_found'],
})
