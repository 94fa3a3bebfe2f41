import { addressesOf } from '@svc/contract/common/endpoint'
import { endpointList } from '@svc/contract/common/endpoints'
import type { NeededRole } from '@svc/contract/common/roles'

/** The table of the dashboard: which calls of developers need more than the role `viewer`, by the names of the contract. */
export function callRolesModule(): string {
  const rows = endpointList.flatMap((endpoint) => {
    const { name, role } = endpoint
    const isForDevelopers = addressesOf(endpoint).some(({ caller }) => caller === 'developer')
    if (!isForDevelopers || role === undefined || role === 'account' || role === 'viewer') return []
    return `  ${name}: ${literal(role)},`
  })
  return [
    '/* Written by `npm run generate`; do not edit. */',
    "import type { NeededRole } from '@svc/contract/common/roles'",
    '',
    '/** The least role of each call that not every member of a project may use, by the names of the contract. */',
    'export const CALL_ROLES: Readonly<Record<string, NeededRole>> = {',
    ...rows,
    '}',
    '',
  ].join('\n')
}

function literal(role: NeededRole): string {
  if (typeof role === 'string') return `'${role}'`
  if ('production' in role)
    return `{ development: ${literal(role.development)}, production: ${literal(role.production)} }`
  return `[${role.map(literal).join(', ')}]`
}
