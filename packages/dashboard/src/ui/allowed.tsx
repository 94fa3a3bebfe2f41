import type { ComponentChildren } from 'preact'

import type { CallName } from '../developer.ts'
import { useCall } from '../queries.ts'
import { reasonAgainst } from '../roles.ts'
import type { Route } from '../route.ts'
import { Icon } from './icon.tsx'
import { LockIcon } from './icons.ts'

type Props = {
  route: Pick<Route, 'project' | 'env'>
  /** The call that the children make. */
  call: CallName
  /** What the call does, after `can`: "revoke keys". */
  to: string
  children?: ComponentChildren
}

/** Shows its children to those whose role allows the call; to others the reason, and whom to ask. */
export function Allowed({ route: { project, env }, call, to, children }: Props) {
  const reason = reasonAgainst(call, { role: project.role, env }, to)
  if (reason === undefined) return <>{children}</>
  return (
    <p class="not-allowed">
      <Icon of={LockIcon} size={14} />
      <span>
        {reason} <WhomToAsk projectId={project.id} />
      </span>
    </p>
  )
}

const ASKED_MAX = 2

/** Who can do it or give the role: the owner and the first admin. */
export function WhomToAsk({ projectId }: { projectId: string }) {
  const { data } = useCall('listMembers', { params: { projectId } })
  const people = (data?.members ?? []).filter(({ role }) => role === 'owner' || role === 'admin')
  if (people.length === 0) return <>Ask a project admin.</>
  return (
    <>
      Ask{' '}
      {people.slice(0, ASKED_MAX).map(({ developerId, email }, index) => (
        <>
          {index > 0 && ' or '}
          <bdi key={developerId}>{email}</bdi>
        </>
      ))}
      .
    </>
  )
}
