import { allowsRole, type LeastRole, leastRoleOf, type Role } from '@svc/contract/common/roles'
import type { EnvironmentName } from '@svc/contract/common/schemas'

import { CALL_ROLES } from './call-roles.ts'
import type { CallName } from './developer.ts'

/** Who asks: the role of the developer in the project, and the environment. */
type Asker = { role: Role; env?: EnvironmentName | undefined }
/** The part of a route that roles depend on. */
type Place = { project: { role: Role }; env: EnvironmentName }

/** The least role of the call, if this developer does not have it. */
function missingRole(call: CallName, { role, env }: Asker): LeastRole | undefined {
  const least = leastRoleOf(CALL_ROLES[call], env)
  return least === undefined || allowsRole(least, role) ? undefined : least
}

/** Why the developer may not do something, like `Only admins can create keys in production.`; undefined if it is allowed. */
export function reasonAgainst(call: CallName, asker: Asker, what: string): string | undefined {
  const missing = missingRole(call, asker)
  if (missing === undefined) return undefined
  const isAllowedInDevelopment = missingRole(call, { ...asker, env: 'development' }) === undefined
  return `Only ${whoHas(missing)} can ${what}${isAllowedInDevelopment ? ' in production' : ''}.`
}

const whoHas = (least: LeastRole): string =>
  least === 'owner'
    ? 'the owner'
    : (typeof least === 'string' ? [least] : least).map((role) => `${role}s`).join(' and ')

/** Whether the developer may use the call in this environment. */
export const isAllowed = (call: CallName, { project: { role }, env }: Place): boolean =>
  missingRole(call, { role, env }) === undefined
