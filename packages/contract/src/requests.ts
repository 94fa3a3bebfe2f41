import { type Static, Type } from 'typebox'

import { endpoint } from './common/endpoint.ts'
import { LIMITS } from './common/limits.ts'
import { BY_PLAYER, EnvironmentParams, Id, IdParam, Limit, Nullable, Timestamp } from './common/schemas.ts'

/** The request log: the last requests with a key. In memory, without bodies. */

/** One answered request. */
export type RequestEntry = Static<typeof RequestEntry>
/** Has no address and no body (DSH-11). `code` is null without an error, `playerId` and `playerName` without a player. */
export const RequestEntry = Type.Object({
  id: Type.String({ description: 'the X-Request-Id of its response' }),
  at: Type.String({ ...Timestamp, description: 'time of the response' }),
  method: Type.String(),
  route: Type.String({ description: 'a pattern such as /v1/saves/:key, never the URL itself' }),
  status: Type.Integer(),
  code: Nullable(Type.String(), 'the error code of the response'),
  ms: Type.Number({ description: 'from the first byte of the request to the first byte of the response' }),
  keyId: Id,
  playerId: Nullable(Id),
  playerName: Nullable(Type.String(BY_PLAYER), 'the name now'),
})

const PATH = '/v1/projects/:projectId/environments/:env/requests'

/** List the last requests, newest first. */
export const listRequests = endpoint(`GET ${PATH}`, {
  summary: `List the latest requests; made with a key of this environment, newest first. Each node keeps its last ${LIMITS.requestsKeptMax} in memory`,
  caller: 'developer',
  role: 'developer',
  params: EnvironmentParams,
  query: Type.Object({
    status: Type.Optional(
      Type.String({
        pattern: '^[1-5](?:xx|[0-9][0-9])$',
        patternErrorMessage: 'must be a status like 404, or 4xx for all of them',
        description: 'like 404, or 4xx',
      }),
    ),
    route: Type.Optional(Type.String({ maxLength: 256, description: 'a pattern like /v1/saves/:key' })),
    keyId: Type.Optional(Type.String({ maxLength: 64 })),
    playerId: Type.Optional(Type.String({ maxLength: 64 })),
    cursor: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,15}-[A-Za-z0-9_]{1,60}$',
        patternErrorMessage: 'must be the nextCursor from the previous page',
      }),
    ),
    limit: Limit(),
  }),
  agent: 'read',
  response: Type.Object({ requests: Type.Array(RequestEntry), nextCursor: Nullable(Type.String()) }),
})

/** Get figures of the last requests per minute. */
export const readRequestSeries = endpoint(`GET ${PATH}/series`, {
  summary: 'Get request metrics; per minute, oldest first, as far as they are kept',
  caller: 'developer',
  role: 'viewer',
  params: EnvironmentParams,
  query: Type.Object({
    minutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LIMITS.requestSeriesMinutesMax, default: 60 }),
    ),
  }),
  agent: 'read',
  response: Type.Object({
    since: Nullable(Timestamp, 'of the oldest request that is kept; earlier minutes are not known'),
    minutes: Type.Array(
      Type.Object({
        at: Type.String({ ...Timestamp, description: 'start of the minute' }),
        requests: Type.Integer(),
        refused: Type.Integer({ description: 'with a status from 400 to 499' }),
        failed: Type.Integer({ description: 'with a status of 500 or more' }),
        p50Ms: Nullable(Type.Number()),
        p95Ms: Nullable(Type.Number()),
      }),
    ),
  }),
})

/** Get one of the last requests. */
export const readRequest = endpoint(`GET ${PATH}/:requestId`, {
  summary: 'Get one of the latest requests by its X-Request-Id',
  caller: 'developer',
  role: 'developer',
  params: Type.Object({ ...EnvironmentParams.properties, requestId: IdParam }),
  agent: 'read',
  response: Type.Object({ request: RequestEntry }),
  errors: ['not_found'],
})
