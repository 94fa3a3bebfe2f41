import type { Static, TSchema } from 'typebox'

import type { ErrorCode } from './errors.ts'
import type { FeatureName, ShareTool } from './features.ts'
import type { Problem } from './problems.ts'
import type { NeededRole } from './roles.ts'
import type { EnvironmentName } from './schemas.ts'

/** The HTTP methods of the API. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Who may call (specification, Authentication):
 * - `none`: anyone, without a key
 * - `public`: a publishable key (a secret key is accepted, too)
 * - `player`: a publishable key and a player's access token
 * - `server`: a secret key
 * - `developer`: a developer's session
 * - `operator`: the session of a developer who is an operator of the service
 * - `admin`: a secret key, or a developer's session at the second address (see `addressesOf`)
 */
export type Caller = 'none' | 'public' | 'player' | 'server' | 'developer' | 'operator' | 'admin'

/** What an agent does with an endpoint. `destructive`: a developer approves each call first. */
export type AgentUse = 'read' | 'write' | 'destructive'

/** One row of the specification's endpoint tables, as data. */
export type Endpoint = {
  route: `${Method} /${string}`
  summary: string
  caller: Caller
  /** The least role of a developer in the project (TEA-01). Every endpoint for developers has it; keys and players have no role. */
  role?: NeededRole
  /** Checked before anything is read or written. */
  feature?: FeatureName
  /** A tool of `share` in the config that must be on; otherwise 404. */
  share?: ShareTool
  /** A public endpoint that also accepts an access token, and then acts for that player. */
  optionalPlayer?: true
  /** For players, although it needs no key: also a service on a developer's machine answers pages of every origin (DEV-20). */
  anyOrigin?: true
  /** A secret key is not accepted in place of the publishable one. */
  publishableOnly?: true
  /** A write that banned players may still do. */
  whileBanned?: true
  /** A write that itself refuses banned and deleted players: they are not looked up before it. */
  checksBan?: true
  params?: TSchema
  query?: TSchema
  body?: TSchema
  /**
   * Rules of the body that a schema cannot express. They are reported together with schema problems; if there are only these, the
   * handler rejects them.
   */
  bodyProblems?: (body: unknown) => Iterable<Problem>
  response: TSchema
  /** The response is not JSON, but a file of this type, or a stream whose events are described by `response`. */
  responseType?: 'image/png' | 'text/event-stream'
  /** 200 unless the specification writes 201. */
  status?: 201
  /** Codes of this endpoint alone; those of its caller kind and of every request are added by `errorsOf`. */
  errors?: readonly ErrorCode[]
  /**
   * A retry with the same Idempotency-Key gets the response of the first call. `required`: a call without the header is rejected.
   * `inHandler`: the handler stores the key with what it writes, so a retry changes nothing and gets the current values.
   */
  idempotent?: true | 'required' | 'inHandler'
  /** The response has an ETag; a caller who already has it gets 304 without a body. */
  etag?: true
  /** Sign-in and similar calls: they have stricter limits per address and per account. */
  signIn?: true
  /** Creates a player: it has a separate limit per address. */
  guest?: true
  /** The member of the body whose text is passed on unchanged, so that not even `1.0` becomes `1`. */
  rawMember?: string
  /** The body is not JSON, but the bytes of a file of any type; the handler gets them as a stream. */
  bytesBody?: true
  /** The handler gets the unchanged bytes of the body, of any type: a signature is computed over these bytes. */
  rawBody?: true
  /** Maximum size of the request body, if it is not the default of 2 MiB. */
  bodyBytesMax?: number
  /** Agents may use it as a tool, if it is granted. Absent: never (`NEVER_FOR_AGENTS` says why). */
  agent?: AgentUse | Readonly<Record<EnvironmentName, AgentUse>>
  /** The tool that this endpoint is a part of, if it is not a tool of its own. */
  agentTool?: 'deploy_files'
  /** Requests of a destructive endpoint that need no approval, such as a dry run. */
  withoutApproval?: (request: { query: unknown; body: unknown }) => boolean
}

/** Declares an endpoint; keeps the literal types of its route and schemas. */
export const endpoint = <const Route extends Endpoint['route'], const Rest extends Omit<Endpoint, 'route'>>(
  route: Route,
  rest: Rest,
): Rest & { route: Route } => ({ route, ...rest })

/** The type of the request: `params`, `query` and `body`, if the endpoint has them. */
export type RequestOf<E extends Endpoint> = {
  [Part in 'params' | 'query' | 'body' as E[Part] extends TSchema ? Part : never]: E[Part] extends TSchema
    ? Static<E[Part]>
    : never
}

/** The type of the JSON that the endpoint returns. */
export type ResponseOf<E extends Endpoint> = Static<E['response']>

/** A URL of an endpoint, and its caller. */
export type Address = { method: Method; path: string; caller: Exclude<Caller, 'admin'> }

const ENVIRONMENT_PATH = '/v1/projects/:projectId/environments/:env/'

/** An admin endpoint has two URLs: one for secret keys, and one under the project for developers (GEN-46). */
export function addressesOf({ route, caller }: Pick<Endpoint, 'route' | 'caller'>): Address[] {
  const [method, path] = route.split(' ') as [Method, string]
  if (caller !== 'admin') return [{ method, path, caller }]
  return [
    { method, path, caller: 'server' },
    { method, path: path.replace(/^\/v1\/(admin\/)?/, ENVIRONMENT_PATH), caller: 'developer' },
  ]
}

const EVERY_REQUEST = [
  'invalid_request',
  'host_not_allowed',
  'headers_too_large',
  'rate_limited',
  'internal_error',
  'service_unavailable',
] as const
const KEY = ['key_required', 'invalid_key', 'origin_not_allowed'] as const
const BODY = [
  'invalid_json',
  'payload_too_large',
  'unsupported_media_type',
  'unsupported_content_encoding',
] as const

/** An access token that is sent must be valid. */
const OPTIONAL_PLAYER = ['invalid_token', 'token_expired', 'player_banned'] as const
const BYTES_BODY = ['unsupported_media_type', 'unsupported_content_encoding'] as const
const RAW_BODY = ['payload_too_large', 'unsupported_media_type', 'unsupported_content_encoding'] as const

const OF_CALLER: Record<Caller, readonly ErrorCode[]> = {
  none: [],
  public: KEY,
  player: [
    ...KEY,
    'publishable_key_required',
    'unauthorized',
    'invalid_token',
    'token_expired',
    'player_banned',
  ],
  server: [...KEY, 'secret_key_required'],
  developer: ['unauthorized', 'developer_session_required'],
  operator: ['unauthorized', 'developer_session_required', 'operator_required'],
  admin: [...KEY, 'secret_key_required', 'unauthorized', 'developer_session_required'],
}

/** Every error code that an endpoint may return. */
export function errorsOf(endpoint: Endpoint): ErrorCode[] {
  const paths = addressesOf(endpoint).map(({ path }) => path)
  return [
    ...new Set<ErrorCode>([
      ...(endpoint.errors ?? []),
      ...OF_CALLER[endpoint.caller],
      ...(isForOwnPages(endpoint) ? (['origin_not_allowed'] as const) : []),
      ...(paths.some((path) => path.includes(':projectId'))
        ? (['project_not_found', 'role_required'] as const)
        : []),
      ...(paths.some((path) => path.includes(':env/')) ? (['environment_not_found'] as const) : []),
      ...(endpoint.feature ? (['feature_disabled', 'feature_unavailable'] as const) : []),
      ...(endpoint.optionalPlayer ? OPTIONAL_PLAYER : []),
      ...(endpoint.publishableOnly ? (['publishable_key_required'] as const) : []),
      ...(endpoint.share ? [`share_${endpoint.share}_disabled` as const] : []),
      ...bodyErrorsOf(endpoint),
      ...idempotencyErrorsOf(endpoint),
      ...agentErrorsOf(endpoint),
      ...EVERY_REQUEST,
    ]),
  ]
}

/** Needs no credential and is not for players: on a developer's machine only pages of the service itself may call it (DEV-20). */
export const isForOwnPages = ({ caller, anyOrigin }: Pick<Endpoint, 'caller' | 'anyOrigin'>): boolean =>
  caller === 'none' && !anyOrigin

/** A player calls it, or anybody in a browser: hosts of apps answer it too, and nothing else of the API (HST-10). */
export const isForPlayers = ({ caller, anyOrigin }: Pick<Endpoint, 'caller' | 'anyOrigin'>): boolean =>
  caller === 'player' || caller === 'public' || (caller === 'none' && anyOrigin === true)

function bodyErrorsOf({ route, bytesBody, rawBody }: Endpoint): readonly ErrorCode[] {
  if (route.startsWith('GET ')) return []
  if (bytesBody) return BYTES_BODY
  return rawBody ? RAW_BODY : BODY
}

/** Whether an agent needs an approval for it, at least in one environment. */
export const isDestructive = ({ agent }: Pick<Endpoint, 'agent'>): boolean =>
  agent !== undefined && (typeof agent === 'string' ? [agent] : Object.values(agent)).includes('destructive')

/** At the address for developers; a key never gets them. */
function agentErrorsOf({ caller, agent }: Endpoint): readonly ErrorCode[] {
  if (!agent || caller === 'server') return []
  return isDestructive({ agent })
    ? ['tool_not_granted', 'approval_required', 'approval_refused']
    : ['tool_not_granted']
}

const INVALID_KEY = ['invalid_idempotency_key'] as const
const IDEMPOTENCY = [...INVALID_KEY, 'idempotency_key_reused', 'idempotency_key_in_use'] as const

function idempotencyErrorsOf({ idempotent }: Endpoint): readonly ErrorCode[] {
  if (!idempotent) return []
  return idempotent === 'inHandler' ? INVALID_KEY : IDEMPOTENCY
}
