import type { Member } from '@svc/contract/developers/members'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { onDate } from '../../format.ts'
import { refresh, useCall } from '../../queries.ts'
import { isAllowed } from '../../roles.ts'
import type { Route } from '../../route.ts'
import { useChange } from '../../ui/action.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { Button } from '../../ui/button.tsx'
import { PlusIcon } from '../../ui/icons.ts'
import { notify } from '../../ui/messages.tsx'
import { Page } from '../../ui/page.tsx'
import { Card, Chip, Facts, Time } from '../../ui/parts.tsx'
import { LoadedCard } from '../../ui/states.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { LeaveDialog, RemoveDialog, RoleDialog, TransferDialog } from './member-dialogs.tsx'
import { Members, type MemberAction } from './members.tsx'
import { ABOUT_ROLES, MEMBER_ROLES, roleTitle } from './role-words.ts'
import { TransferCard } from './transfer-card.tsx'

const EVERY_MS = 15_000

type Dialog = { kind: 'invite' | 'leave' } | { kind: Exclude<MemberAction, 'leave'>; member: Member }

/** Who works on the project: members, invitations, and the transfer of ownership. */
export default function Team({ route }: { route: Route }) {
  const params = { projectId: route.project.id }
  const answer = useCall('listMembers', { params }, { everyMs: EVERY_MS })
  const me = useCall('readMe', {}).data?.developer
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  const changed = () => refresh('listMembers', 'listProjects', 'listAudit')
  const done = () => {
    close()
    changed()
  }
  return (
    <Page
      title="Team"
      side={
        <Allowed route={route} call="inviteMember" to="invite, change and remove members">
          <Button kind="main" icon={PlusIcon} onClick={() => setDialog({ kind: 'invite' })}>
            Invite
          </Button>
        </Allowed>
      }
    >
      {answer.data?.transfer && (
        <TransferCard
          route={route}
          transfer={answer.data.transfer}
          members={answer.data.members}
          me={me?.id}
          onDone={changed}
        />
      )}
      <LoadedCard class="table-card" answer={answer} lines={4}>
        {({ members }) => (
          <Members
            route={route}
            members={members}
            me={me?.id}
            open={(kind, member) => setDialog(kind === 'leave' ? { kind } : { kind, member })}
          />
        )}
      </LoadedCard>
      {answer.data && answer.data.invitations.length > 0 && (
        <Invitations route={route} invitations={answer.data.invitations} />
      )}
      <Card title="Roles">
        <Facts
          class="facts role-facts"
          rows={(['owner', ...MEMBER_ROLES] as const).map((role) => [roleTitle(role), ABOUT_ROLES[role]])}
        />
      </Card>
      {dialog?.kind === 'invite' && <InviteDialog route={route} onInvited={changed} onClose={close} />}
      {dialog?.kind === 'leave' && <LeaveDialog route={route} onDone={done} onClose={close} />}
      {dialog?.kind === 'role' && <RoleDialog route={route} {...dialog} onDone={done} onClose={close} />}
      {dialog?.kind === 'remove' && <RemoveDialog route={route} {...dialog} onDone={done} onClose={close} />}
      {dialog?.kind === 'transfer' && (
        <TransferDialog route={route} {...dialog} onDone={done} onClose={close} />
      )}
    </Page>
  )
}

type InvitationsProps = {
  route: Route
  invitations: readonly { id: string; email: string; role: string; invitedBy: string; expiresAt: string }[]
}

function Invitations({ route, invitations }: InvitationsProps) {
  const revoke = useChange(['listMembers', 'listAudit'], async (invitationId: string) => {
    await call('revokeMemberInvitation', { params: { projectId: route.project.id, invitationId } })
    notify('Invitation revoked. Its link no longer works.')
  })
  return (
    <Card title="Open invitations" pad={false}>
      <ul class="changes">
        {invitations.map(({ id, email, role, invitedBy, expiresAt }) => (
          <li key={id}>
            <span class="grow stack tight">
              <bdi class="cut">{email}</bdi>
              <span class="tiny faint cut">
                invited by <bdi>{invitedBy}</bdi>, until <Time iso={expiresAt}>{onDate(expiresAt)}</Time>
              </span>
            </span>
            <Chip>{role}</Chip>
            {isAllowed('revokeMemberInvitation', route) && (
              <Button
                small
                label={`Revoke the invitation for ${email}`}
                busy={revoke.busy}
                onClick={() => revoke.run(id)}
              >
                Revoke
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
