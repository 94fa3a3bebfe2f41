import type { EnvironmentName } from './schemas.ts'

/** The roles of a project, the most powerful first. A project has one owner. */
export const ROLES = ['owner', 'admin', 'developer', 'moderator', 'viewer'] as const
/** The role of a developer in a project. */
export type Role = (typeof ROLES)[number]

/** Which roles may call an endpoint that names a least role. Developers and moderators do not include each other. */
const INCLUDED_BY: Readonly<Record<Role, readonly Role[]>> = {
  owner: ['owner'],
  admin: ['owner', 'admin'],
  developer: ['owner', 'admin', 'developer'],
  moderator: ['owner', 'admin', 'moderator'],
  viewer: ['owner', 'admin', 'developer', 'moderator', 'viewer'],
}

/** One least role, or two that do not include each other. */
export type LeastRole = Role | readonly [Role, Role]

/**
 * Who may call an endpoint of a project:
 * - a role: members with it, and with a role that includes it
 * - `development` and `production`: it depends on the environment
 * - `account`: no role, because the endpoint belongs to the caller's own account and to no project
 */
export type NeededRole = LeastRole | { development: LeastRole; production: LeastRole } | 'account'

/**
 * The least role in an environment, or, for an endpoint of the whole project, without one. Undefined: no role is needed.
 */
export function leastRoleOf(
  role: NeededRole | undefined,
  environment: EnvironmentName | undefined,
): LeastRole | undefined {
  if (role === undefined || role === 'account') return undefined
  if (typeof role === 'string' || !('production' in role)) return role
  // Without an environment the stricter one counts.
  return role[environment ?? 'production']
}

/** All roles that may call an endpoint with this least role, the most powerful first. */
export function allowedRolesOf(least: LeastRole): Role[] {
  const named = typeof least === 'string' ? [least] : least
  return ROLES.filter((role) => named.some((one) => INCLUDED_BY[one].includes(role)))
}

/** Whether a member with this role may call an endpoint with this least role. */
export const allowsRole = (least: LeastRole, role: Role): boolean =>
  typeof least === 'string'
    ? INCLUDED_BY[least].includes(role)
    : least.some((one) => INCLUDED_BY[one].includes(role))

/** The needed role in words, such as `developer` or `developer; in production admin`. */
export function roleText(role: NeededRole): string {
  if (role === 'account') return 'own account'
  if (typeof role === 'string') return role
  if (!('production' in role)) return role.join(' or ')
  return `${roleText(role.development)}; in production ${roleText(role.production)}`
}
