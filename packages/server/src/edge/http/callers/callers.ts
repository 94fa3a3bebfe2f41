import type { Address, Endpoint } from '@svc/contract/common/endpoint'
import {
  allowedRolesOf,
  allowsRole,
  type LeastRole,
  leastRoleOf,
  type Role,
} from '@svc/contract/common/roles'
import type { Actor } from '@svc/contract/common/schemas'
import type { FastifyRequest } from 'fastify'

import type { Agent } from '../../../platform/agent.ts'
import { ApiError } from '../../../platform/api-error.ts'
import { sha256 } from '../../../platform/crypto.ts'
import type { Developer, Environment, Project, ProjectOfCaller } from '../../../platform/environment.ts'
import type { Awaitable } from '../../../platform/memory/awaitable.ts'
import type { Player } from '../../../platform/player.ts'
import { type AgentLookups, byAgent, isAgentToken, requireGranted, requireOwn } from './agents.ts'

export type Key = { id: string; type: 'publishable' | 'secret'; label: string; environment: Environment }

/** How the edge finds the owner of a credential; every result may come from a short-lived cache. */
export type CallerLookups = {
  findKey(key: string): Awaitable<Key | undefined>
  /** Checks the signature only, without a lookup; throws `invalid_token` or `token_expired` (GEN-36). */
  verifyPlayer(environment: Environment, token: string): Promise<Player>
  findDeveloper(token: string): Promise<Developer | undefined>
  /** Undefined if the developer neither owns the project nor is a member of it. Never from a cache (TEA-07). */
  findProject(developerId: string, projectId: string): Promise<ProjectOfCaller | undefined>
  findEnvironment(project: Project, name: 'development' | 'production'): Promise<Environment>
  agents: AgentLookups
}

/**
 * The caller, authenticated before the body is read. `public` and `server` differ in what the endpoint requires: a public endpoint
 * also accepts a secret key in place of the publishable one.
 */
export type Caller =
  | { kind: 'none' }
  | ({ kind: 'public' | 'server' } & ByKey)
  | ({ kind: 'player'; player: Player } & ByKey)
  | ({ kind: 'developer' } & BySession)

type ByKey = { key: Key; environment: Environment; actor: Actor }
type BySession = {
  developer: Developer
  actor: Actor
  /** Identifies the session of the developer; not a secret. */
  session: string
  /** Those in the URL. */
  project: ProjectOfCaller | undefined
  environment: Environment | undefined
  /** Acts for the developer. */
  agent?: Agent
}

export const environmentOf = (caller: Caller): Environment | undefined =>
  caller.kind === 'none' ? undefined : caller.environment

export const NO_CALLER: Caller = { kind: 'none' }

export async function identify(
  lookups: CallerLookups,
  endpoint: Endpoint,
  address: Address,
  request: FastifyRequest,
): Promise<Caller> {
  switch (address.caller) {
    case 'none':
      return NO_CALLER
    case 'public': {
      const key = await findKey(lookups, request)
      if (endpoint.publishableOnly) requirePublishable(key)
      const token = endpoint.optionalPlayer ? bearer(request) : undefined
      return token === undefined ? byKey('public', key) : byPlayer(lookups, key, token)
    }
    case 'player': {
      const key = await findKey(lookups, request)
      requirePublishable(key)
      const token = bearer(request)
      if (!token) throw new ApiError('unauthorized')
      return byPlayer(lookups, key, token)
    }
    case 'server': {
      // Authenticated, but with the wrong kind of credential (GEN-45).
      if (!request.headers['x-svc-key'] && bearer(request)) throw new ApiError('secret_key_required')
      const key = await findKey(lookups, request)
      if (key.type !== 'secret') throw new ApiError('secret_key_required')
      return byKey('server', key)
    }
    case 'developer':
      return bySession(lookups, endpoint, address, request)
    case 'operator': {
      const caller = await bySession(lookups, endpoint, address, request)
      if (!caller.developer.isOperator) throw new ApiError('operator_required')
      return caller
    }
  }
}

async function findKey(lookups: CallerLookups, request: FastifyRequest): Promise<Key> {
  const key = await lookups.findKey(keyText(request))
  if (!key) throw new ApiError('invalid_key')
  request.key = key
  return key
}

function requirePublishable({ type }: Key) {
  if (type !== 'publishable') throw new ApiError('publishable_key_required')
}

export const byKey = (kind: 'public' | 'server', key: Key): Caller => ({
  kind,
  key,
  environment: key.environment,
  actor: { type: 'key', id: key.id, label: key.label },
})

const byPlayer = async (lookups: CallerLookups, key: Key, token: string): Promise<Caller> => ({
  kind: 'player',
  key,
  environment: key.environment,
  player: await lookups.verifyPlayer(key.environment, token),
  actor: { type: 'key', id: key.id, label: key.label },
})

function keyText(request: FastifyRequest): string {
  const text = request.headers['x-svc-key']
  if (typeof text !== 'string' || text === '') throw new ApiError('key_required')
  return text
}

async function bySession(
  lookups: CallerLookups,
  endpoint: Endpoint,
  address: Address,
  request: FastifyRequest,
): Promise<Caller & { kind: 'developer' }> {
  const token = bearer(request)
  if (!token && request.headers['x-svc-key']) throw new ApiError('developer_session_required')
  const by: Omit<BySession, 'project' | 'environment'> =
    token !== undefined && isAgentToken(token)
      ? await byAgent(lookups.agents, endpoint, address, request, token)
      : await byToken(lookups, token)
  if (by.agent) requireOwn(by.agent, endpoint, request, environmentName)

  const { projectId, env } = request.params as { projectId?: string; env?: string }
  if (projectId === undefined) return { kind: 'developer', ...by, project: undefined, environment: undefined }

  const project = await projectFor(lookups, endpoint, by.developer, projectId, env)
  const environment =
    env === undefined ? undefined : await lookups.findEnvironment(project, environmentName(env))
  if (by.agent) requireGranted(by.agent, endpoint, request)
  return { kind: 'developer', ...by, project, environment }
}

async function byToken(lookups: CallerLookups, token: string | undefined) {
  const developer = token ? await lookups.findDeveloper(token) : undefined
  if (!developer) throw new ApiError('unauthorized')
  const actor: Actor = { type: 'developer', id: developer.id, label: developer.email }
  return { developer, actor, session: sha256(token ?? '').slice(0, 16) }
}

/** The project in the URL, in which the developer has a role that the endpoint accepts (TEA-02). */
export async function projectFor(
  { findProject }: Pick<CallerLookups, 'findProject'>,
  endpoint: Endpoint,
  developer: Developer,
  projectId: string,
  env: string | undefined,
): Promise<ProjectOfCaller> {
  const project = await findProject(developer.id, projectId)
  // A project in which the caller has no role gets the same response as one that does not exist (GEN-23).
  if (!project) throw new ApiError('project_not_found')
  const least = leastRoleOf(endpoint.role, env === undefined ? undefined : environmentName(env))
  // An endpoint of a project that names no role is for its owner alone.
  if (!allowsRole(least ?? 'owner', project.role)) throw roleRequired(least ?? 'owner', project.role)
  return project
}

function roleRequired(least: LeastRole, role: Role) {
  const allowedRoles = allowedRolesOf(least)
  const requiredRole = allowedRoles.at(-1)
  const message =
    requiredRole === 'owner'
      ? `Only the owner of this project may do this; your role is ${role}. Ask the owner.`
      : `This needs the role ${requiredRole} in this project; yours is ${role}. Ask an admin of this project for it.`
  return new ApiError('role_required', { role, requiredRole, allowedRoles }, { message })
}

function environmentName(text: string): 'development' | 'production' {
  const name = ENVIRONMENTS[text]
  if (!name) throw new ApiError('environment_not_found')
  return name
}

/** GEN-15 */
const ENVIRONMENTS: Partial<Record<string, 'development' | 'production'>> = Object.assign(
  Object.create(null),
  {
    development: 'development',
    dev: 'development',
    production: 'production',
    prod: 'production',
  },
)

/** Without `split`, which would cost as much as the rest of the check of a cached token. */
export function bearer({ headers: { authorization } }: FastifyRequest): string | undefined {
  if (authorization === undefined) return undefined
  if (!authorization.startsWith('Bearer ') && !/^bearer /i.test(authorization)) return undefined
  const end = authorization.indexOf(' ', 7)
  return end < 0 ? authorization.slice(7) : authorization.slice(7, end)
}
