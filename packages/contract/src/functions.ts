import { type Static, Type } from 'typebox'

import { endpoint } from './common/endpoint.ts'
import { LIMITS } from './common/limits.ts'
import { PUBLISHED } from './common/openapi-schemas.ts'
import { BY_PLAYER, CLEANED, Id, Limit, Nullable, Timestamp } from './common/schemas.ts'
import {
  Binding,
  FunctionAssets,
  FunctionModule,
  MODULE_TYPES,
  STORED_TYPES,
  WantedBinding,
} from './function-parts.ts'

// The OpenAPI document names the schemas of both files in one list.
export * from './function-parts.ts'

/** Server functions: code of the developer that the service runs, with databases, KV, files, queues, durable objects and crons. */

const Functions = { caller: 'admin' } as const
const UNAVAILABLE = 'feature_unavailable'

const CpuMs = Type.Integer({
  minimum: 1,
  maximum: LIMITS.functionsCpuMsMax,
  description: 'CPU milliseconds that one request may use; default 1000',
})
const SubRequests = Type.Integer({
  minimum: 0,
  maximum: LIMITS.functionsSubRequestsMax,
  description: 'outgoing requests that one invocation may send; default 50',
})
const WantedLimits = Type.Object({ cpuMs: Type.Optional(CpuMs), subRequests: Type.Optional(SubRequests) })
const Version = Type.Integer({ minimum: 1, description: 'increases by one with every deployment' })
const Cron = Type.String({ description: 'five fields, in UTC', examples: ['*/5 * * * *'] })
const Url = Type.String({ examples: ['https://star-duel--fn.example.app'] })

const RoomClass = Type.Object({ className: Type.String(), tickRate: Type.Integer() })

/** The state of the functions of an environment. */
export type FunctionsStatus = Static<typeof FunctionsStatus>
/** `version` and `url` are null while no code is live. The values of secrets are never returned. */
export const FunctionsStatus = Type.Object({
  enabled: Type.Boolean(),
  suspended: Type.Boolean({ description: 'suspended by the operator, or because of an unpaid balance' }),
  limits: Type.Object({ cpuMs: CpuMs, subRequests: SubRequests }),
  deployed: Type.Boolean(),
  version: Nullable(Version),
  url: Nullable(Url),
  crons: Type.Array(
    Type.Object({
      cron: Cron,
      nextAt: Nullable(Timestamp),
      lastAt: Nullable(Timestamp),
      lastOutcome: Nullable(
        Type.String({ description: 'ok, exception, no_handler, exceeded_cpu, killed, missed or running' }),
      ),
    }),
  ),
  rooms: Type.Array(RoomClass),
  durableObjects: Type.Array(Type.Object({ name: Type.String(), className: Type.String() })),
  resources: Type.Array(
    Type.Object({
      type: Type.Enum(STORED_TYPES),
      id: Type.String(),
      bytes: Type.Integer(),
      bound: Type.Boolean({ description: 'whether the live version has a binding to it' }),
    }),
  ),
  secrets: Type.Array(Type.String(), { description: 'names only' }),
})

/** A deployed version as the history shows it. */
export type FunctionDeployment = Static<typeof FunctionDeployment>
/** Does not contain the code. `message` is null if the developer gave none. */
export const FunctionDeployment = Type.Object({
  deploymentId: Id,
  version: Version,
  live: Type.Boolean(),
  message: Nullable(Type.String()),
  modules: Type.Array(
    Type.Object({
      name: Type.String(),
      type: Type.Enum(MODULE_TYPES),
      size: Type.Integer({ description: 'bytes' }),
    }),
  ),
  bindings: Type.Array(Binding),
  assets: Type.Optional(
    Type.Object(
      { count: Type.Integer(), bytes: Type.Integer() },
      { description: 'static files, if there are any' },
    ),
  ),
  rooms: Type.Array(RoomClass, { description: 'the exported classes that extend Room' }),
  crons: Type.Array(Cron),
  compatibilityDate: Type.String({ examples: ['2026-11-04'] }),
  hasSourceMap: Type.Boolean(),
  createdAt: Timestamp,
})

/** Get the state of the functions. */
export const readFunctions = endpoint('GET /v1/admin/functions', {
  ...Functions,
  role: 'viewer',
  summary: 'Get the state of the functions; version, URL, crons, resources and the names of secrets',
  agent: 'read',
  response: FunctionsStatus,
})

/** Enable functions; if they are enabled already, only sets the limits. */
export const enableFunctions = endpoint('POST /v1/admin/functions/enable', {
  ...Functions,
  role: { development: 'developer', production: 'admin' },
  summary: 'Enable functions; if they are enabled already, only sets the limits',
  body: WantedLimits,
  agent: 'destructive',
  response: FunctionsStatus,
  errors: ['prepaid_required', UNAVAILABLE],
})

/** Disable functions; code and data are kept. */
export const disableFunctions = endpoint('POST /v1/admin/functions/disable', {
  ...Functions,
  role: { development: 'developer', production: 'admin' },
  summary: 'Disable functions; code and data are kept',
  agent: 'destructive',
  response: FunctionsStatus,
})

/** Set the limits of the functions. */
export const limitFunctions = endpoint('PUT /v1/admin/functions/limits', {
  ...Functions,
  role: { development: 'developer', production: 'admin' },
  summary: 'Set the limits of the functions; CPU time per request and outgoing requests per invocation',
  body: WantedLimits,
  agent: 'destructive',
  response: FunctionsStatus,
  errors: ['functions_disabled'],
})

/** Remove the code, and with `purge` all data. */
export const removeFunctions = endpoint('DELETE /v1/admin/functions', {
  ...Functions,
  role: { development: 'developer', production: 'admin' },
  summary: 'Remove the code; with `purge`, also databases, KV, files, queues and durable objects',
  query: Type.Object({ purge: Type.Optional(Type.Boolean({ default: false })) }),
  agent: 'destructive',
  response: Type.Object({ deleted: Type.Literal(true), purged: Type.Boolean() }),
})

/** Deploy code; the version before serves until the new one is ready. */
export const deployFunctions = endpoint('POST /v1/admin/functions/deployments', {
  ...Functions,
  role: 'developer',
  summary: 'Deploy code; or an older version again. The previous version serves until the new one is ready',
  body: Type.Object({
    mainModule: Type.Optional(
      Type.String({
        description: 'the module whose default export handles requests',
        examples: ['index.js'],
      }),
    ),
    modules: Type.Optional(Type.Array(FunctionModule, { maxItems: LIMITS.functionsModulesMax })),
    bindings: Type.Optional(Type.Array(WantedBinding, { maxItems: LIMITS.functionsBindingsMax })),
    vars: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'values in `env`: strings, or any other JSON; at most 64 of up to 5 KB',
      }),
    ),
    assets: Type.Optional(FunctionAssets),
    crons: Type.Optional(Type.Array(Cron, { maxItems: LIMITS.functionsCronsMax })),
    compatibilityDate: Type.Optional(
      Type.String({ description: 'the runtime’s compatibility date, as in Workers' }),
    ),
    sourceMap: Type.Optional(
      Type.String({
        description: `the source map of the main module as JSON text, so that stacks can name the lines of the source; at most ${LIMITS.functionsSourceMapBytesMax} bytes. It is not run`,
      }),
    ),
    fromVersion: Type.Optional(
      Type.Integer({ minimum: 1, description: 'deploy this older version again; send nothing else' }),
    ),
    fromEnvironment: Type.Optional(
      Type.Union([Type.Literal('development'), Type.Literal('production')], {
        description: 'the environment `fromVersion` belongs to; this one by default. Developers only',
      }),
    ),
    finishMinutes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LIMITS.roomFinishMinutesMax,
        description:
          'how long rooms keep the version before; 0: they continue in the new one at once. By default that of their mode',
      }),
    ),
    message: Type.Optional(Type.String({ ...CLEANED, maxLength: LIMITS.deploymentMessageLengthMax })),
  }),
  bodyBytesMax: LIMITS.functionsBodyBytesMax,
  status: 201,
  agent: { development: 'write', production: 'destructive' },
  response: Type.Object({
    version: Version,
    deploymentId: Id,
    url: Url,
    createdAt: Timestamp,
    warnings: Type.Array(Type.String()),
  }),
  errors: [
    'functions_disabled',
    'invalid_deployment',
    'deployment_not_found',
    'functions_overloaded',
    UNAVAILABLE,
  ],
})

/** List deployed versions, newest first. */
export const listFunctionDeployments = endpoint('GET /v1/admin/functions/deployments', {
  ...Functions,
  role: 'viewer',
  summary: 'List deployed versions of the functions, newest first',
  query: Type.Object({ limit: Limit(20, 100) }),
  agent: 'read',
  response: Type.Object({ deployments: Type.Array(FunctionDeployment) }),
})

/** Read the source map of a deployed version. */
export const readFunctionSourceMap = endpoint('GET /v1/admin/functions/deployments/:version/source-map', {
  ...Functions,
  role: 'developer',
  summary: 'Get the source map of a deployed version; as it was sent',
  params: Type.Object({ version: Type.Integer({ minimum: 1 }) }),
  response: Type.Object({ sourceMap: Type.String({ description: 'JSON text' }) }),
  errors: ['deployment_not_found'],
})

const SecretName = Type.Object({
  name: Type.String({
    pattern: '^[A-Z_][A-Z0-9_]{0,63}$',
    patternErrorMessage: 'must be 1 to 64 of A-Z 0-9 _ and not start with a digit',
  }),
})
/** A secret without its value. */
export type FunctionSecret = Static<typeof FunctionSecret>
/** No endpoint returns the value. */
export const FunctionSecret = Type.Object({ name: Type.String(), updatedAt: Timestamp })

/** List the names of the secrets. */
export const listFunctionSecrets = endpoint('GET /v1/admin/functions/secrets', {
  ...Functions,
  role: 'viewer',
  summary: 'List the names of the secrets; values are never returned',
  response: Type.Object({ secrets: Type.Array(FunctionSecret) }),
})

/** See whether a secret is set. */
export const readFunctionSecret = endpoint('GET /v1/admin/functions/secrets/:name', {
  ...Functions,
  role: 'viewer',
  summary: 'Check whether a secret is set; its value is never returned',
  params: SecretName,
  response: FunctionSecret,
  errors: ['secret_not_found'],
})

/** Set a secret. */
export const writeFunctionSecret = endpoint('PUT /v1/admin/functions/secrets/:name', {
  ...Functions,
  role: { development: 'developer', production: 'admin' },
  summary: 'Set a secret; running code gets it with its next request',
  params: SecretName,
  body: Type.Object({
    value: Type.String({ minLength: 1, description: `at most ${LIMITS.functionsTextBytesMax} bytes` }),
  }),
  response: FunctionSecret,
  errors: ['functions_disabled', 'too_many_secrets'],
})

/** Delete a secret. */
export const deleteFunctionSecret = endpoint('DELETE /v1/admin/functions/secrets/:name', {
  ...Functions,
  role: { development: 'developer', production: 'admin' },
  summary: 'Delete a secret',
  params: SecretName,
  response: Type.Object({ deleted: Type.Literal(true) }),
  errors: ['secret_not_found'],
})

const OneDatabase = {
  ...Functions,
  params: Type.Object({ binding: Type.String({ minLength: 1, description: 'the name of a db binding' }) }),
} as const
const IN_PROCESS = [
  'functions_disabled',
  'functions_overloaded',
  'functions_unavailable',
  'function_timeout',
  'function_restarted',
  'function_failed',
  'cpu_limit_exceeded',
  'memory_limit_exceeded',
  UNAVAILABLE,
] as const

/** Run SQL in a database of the functions. */
export const queryFunctionDatabase = endpoint('POST /v1/admin/functions/db/:binding/query', {
  ...OneDatabase,
  role: { development: 'developer', production: 'admin' },
  summary: 'Run SQL in a functions database; several statements run in one transaction',
  body: Type.Object({
    sql: Type.String({ minLength: 1, maxLength: LIMITS.functionsSqlLengthMax }),
    params: Type.Optional(
      Type.Array(Type.Unknown(), {
        maxItems: 100,
        description: 'null, boolean, number, text or { "$base64": "…" }; of the last statement',
      }),
    ),
  }),
  agent: 'destructive',
  response: Type.Object({
    results: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      ...BY_PLAYER,
      description: 'rows of the last statement',
    }),
    meta: Type.Object({
      rowsRead: Type.Integer(),
      rowsWritten: Type.Integer(),
      lastRowId: Type.Integer({ description: '0: nothing was inserted' }),
      durationMs: Type.Number(),
    }),
  }),
  errors: ['binding_not_found', 'sql_error', 'result_too_large', ...IN_PROCESS],
})

/** Apply the migrations that are not applied yet. */
export const migrateFunctionDatabase = endpoint('POST /v1/admin/functions/db/:binding/migrate', {
  ...OneDatabase,
  role: 'developer',
  summary: 'Apply pending migrations; in order, stops at the first failure',
  body: Type.Object({
    migrations: Type.Array(
      Type.Object({
        name: Type.String({ minLength: 1, maxLength: 128 }),
        sql: Type.String({ maxLength: LIMITS.functionsSqlLengthMax }),
      }),
      { minItems: 1, maxItems: 500 },
    ),
    table: Type.Optional(
      Type.String({
        pattern: '^(?!sqlite_|_cf_)[A-Za-z_][A-Za-z0-9_]{0,63}$',
        ...PUBLISHED({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$' }),
        patternErrorMessage: 'must be 1 to 64 of A-Z a-z 0-9 _ and start with a letter or _',
        default: '_svc_migrations',
        description: 'the table with the names of applied migrations',
      }),
    ),
    id: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9_-]{1,48}$',
        patternErrorMessage: 'must be 1 to 48 of a-z 0-9 _ -',
        description:
          'the database itself, for a binding that the live version does not have: its migrations can be applied before it is live',
      }),
    ),
  }),
  bodyBytesMax: LIMITS.functionsBodyBytesMax,
  agent: 'destructive',
  response: Type.Object({
    applied: Type.Array(Type.String()),
    failed: Type.Array(Type.Object({ name: Type.String(), error: Type.String() })),
    skipped: Type.Array(Type.String(), { description: 'applied before' }),
  }),
  errors: ['binding_not_found', ...IN_PROCESS],
})

/** How a run of a cron ended. */
const CronOutcome = Type.Enum(['ok', 'exception', 'no_handler', 'exceeded_cpu', 'killed'])

/** Run a cron of a development environment now. */
export const runFunctionCron = endpoint('POST /v1/admin/functions/crons/run', {
  ...Functions,
  role: 'developer',
  summary: 'Run a cron of a development environment now',
  body: Type.Object({ cron: Cron }),
  agent: 'write',
  response: Type.Object({ outcome: CronOutcome, durationMs: Type.Number() }),
  errors: ['not_found', 'cron_not_found', 'functions_suspended', ...IN_PROCESS],
})

/** Get figures of the functions per minute. */
export const readFunctionSeries = endpoint('GET /v1/admin/functions/series', {
  ...Functions,
  role: 'viewer',
  summary:
    'Get function metrics; requests, errors and CPU time per minute, oldest first; the last minute is still in progress, and numbers arrive up to a minute late',
  query: Type.Object({
    minutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LIMITS.functionSeriesMinutesMax, default: 60 }),
    ),
  }),
  agent: 'read',
  response: Type.Object({
    minutes: Type.Array(
      Type.Object({
        at: Type.String({ ...Timestamp, description: 'start of the minute' }),
        requests: Type.Integer(),
        errors: Type.Integer({ description: 'responses with a status of 500 or more, or none' }),
        cpuMs: Type.Integer({ description: 'CPU time of the process, including crons and queues' }),
      }),
    ),
  }),
})

/** A line of the log. */
export type FunctionLogLine = Static<typeof FunctionLogLine>
/** `requestId` is null for lines of the service itself, and of code outside a request. */
export const FunctionLogLine = Type.Object({
  id: Type.String({ description: 'send it as `after` to get the following lines' }),
  at: Timestamp,
  level: Type.Enum(['debug', 'info', 'log', 'warn', 'error']),
  message: Type.String({ ...BY_PLAYER, description: 'can contain text written by players' }),
  requestId: Nullable(Type.String()),
})

/** Read the log of the functions. */
export const readFunctionLogs = endpoint('GET /v1/admin/functions/logs', {
  ...Functions,
  role: 'developer',
  summary: 'Read the newest log lines; oldest first. With `after`, the lines that follow it',
  query: Type.Object({
    after: Type.Optional(Type.String({ maxLength: 64, description: '`next` from the previous call' })),
    level: Type.Optional(Type.Enum(['debug', 'info', 'log', 'warn', 'error'], { description: 'and above' })),
    q: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'part of the message, or a whole request id; case is ignored',
      }),
    ),
    limit: Limit(100, 1_000),
  }),
  agent: 'read',
  response: Type.Object({
    lines: Type.Array(FunctionLogLine),
    next: Nullable(
      Type.String({ description: 'send it as `after` to get the following lines; null: no line yet' }),
    ),
  }),
  errors: ['functions_unavailable', UNAVAILABLE],
})
