import type { Address, Endpoint } from '@svc/contract/endpoint'
import type { Actor } from '@svc/contract/shapes'
import type { FastifyRequest } from 'fastify'

import { ApiError } from '../../platform/api-error.ts'
import { andThen, type Awaitable } from '../../platform/awaitable.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Developer, Environment, Project } from '../../platform/environment.ts'
import type { Player } from '../../platform/player.ts'

export type Key = { id: string; type: 'publishable' | 'secret'; label: string; environment: Environment }

/** Who the edge asks; every answer may come from a short-lived cache. */
export type Doors = {
  findKey(key: string): Awaitable<Key | undefined>
  /** By signature alone; throws `invalid_token` or `token_expired` (GEN-36). */
  verifyPlayer(environment: Environment, token: string): Awaitable<Player>
  findDeveloper(token: string): Promise<Developer | undefined>
  findProject(developerId: string, projectId: string): Promise<Project | undefined>
  findEnvironment(project: Project, name: 'development' | 'production'): Promise<Environment>
}

/** What is known of a caller before a byte of the body is read. */
export type Caller = {
  key?: Key
  environment?: Environment
  player?: Player
  developer?: Developer
  /** Tells one session of a developer from another; no secret. */
  session?: string
  project?: Project
  actor?: Actor
}

export function identify(
  doors: Doors,
  endpoint: Endpoint,
  address: Address,
  request: FastifyRequest,
): Awaitable<Caller> {
  switch (address.caller) {
    case 'none':
      return {}
    case 'public':
      return andThen(findKey(doors, request), (key) => {
        if (endpoint.publishableOnly) requirePublishable(key)
        const token = endpoint.optionalPlayer ? bearer(request) : undefined
        return token === undefined ? byKey(key) : byPlayer(doors, key, token)
      })
    case 'player':
      return andThen(findKey(doors, request), (key) => {
        requirePublishable(key)
        const token = bearer(request)
        if (!token) throw new ApiError('unauthorized')
        return byPlayer(doors, key, token)
      })
    case 'server':
      // A developer's session or an agent's token is somebody, but nobody who may do this (GEN-45).
      if (!request.headers['x-svc-key'] && bearer(request)) throw new ApiError('secret_key_required')
      return andThen(findKey(doors, request), (key) => {
        if (key.type !== 'secret') throw new ApiError('secret_key_required')
        return byKey(key)
      })
    case 'developer':
      return bySession(doors, request)
  }
}

const findKey = (doors: Doors, request: FastifyRequest): Awaitable<Key> =>
  andThen(doors.findKey(keyText(request)), known)

function requirePublishable({ type }: Key) {
  if (type !== 'publishable') throw new ApiError('publishable_key_required')
}

const byKey = (key: Key): Caller => ({
  key,
  environment: key.environment,
  actor: { type: 'key', id: key.id, label: key.label },
})

const byPlayer = (doors: Doors, key: Key, token: string): Awaitable<Caller> =>
  andThen(doors.verifyPlayer(key.environment, token), (player) => ({
    key,
    environment: key.environment,
    player,
    actor: { type: 'key', id: key.id, label: key.label },
  }))

function keyText(request: FastifyRequest): string {
  const text = request.headers['x-svc-key']
  if (typeof text !== 'string' || text === '') throw new ApiError('key_required')
  return text
}

function known(key: Key | undefined): Key {
  if (!key) throw new ApiError('invalid_key')
  return key
}

async function bySession(doors: Doors, request: FastifyRequest): Promise<Caller> {
  const token = bearer(request)
  if (!token && request.headers['x-svc-key']) throw new ApiError('developer_session_required')
  const developer = token ? await doors.findDeveloper(token) : undefined
  if (!developer) throw new ApiError('unauthorized')

  const actor: Actor = { type: 'developer', id: developer.id, label: developer.email }
  const caller: Caller = { developer, session: sha256(token ?? '').slice(0, 16), actor }
  const { projectId, env } = request.params as { projectId?: string; env?: string }
  if (projectId === undefined) return caller

  // What the caller does not own answers exactly like what does not exist (GEN-23).
  const project = await doors.findProject(developer.id, projectId)
  if (!project) throw new ApiError('project_not_found')
  if (env === undefined) return { ...caller, project }

  const name = ENVIRONMENTS[env]
  if (!name) throw new ApiError('environment_not_found')
  return { ...caller, project, environment: await doors.findEnvironment(project, name) }
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

/** By hand: to split it would cost as much as the rest of the check of a remembered token. */
export function bearer({ headers: { authorization } }: FastifyRequest): string | undefined {
  if (authorization === undefined) return undefined
  if (!authorization.startsWith('Bearer ') && !/^bearer /i.test(authorization)) return undefined
  const end = authorization.indexOf(' ', 7)
  return end < 0 ? authorization.slice(7) : authorization.slice(7, end)
}
