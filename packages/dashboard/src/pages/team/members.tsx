import type { Member } from '@svc/contract/developers/members'

import type { CallName } from '../../developer.ts'
import { onDate } from '../../format.ts'
import { isAllowed } from '../../roles.ts'
import type { Route } from '../../route.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { EditIcon, HostIcon, MoreIcon, TrashIcon } from '../../ui/icons.ts'
import { Menu } from '../../ui/menu.tsx'
import { Avatar, Chip, Time } from '../../ui/parts.tsx'
import { ACTIONS, TableHead } from '../../ui/table-head.tsx'
import { nameOf } from './member-dialogs.tsx'

/** What can be done with a member. */
export type MemberAction = 'role' | 'remove' | 'transfer' | 'leave'

type Props = {
  route: Route
  members: readonly Member[]
  /** The id of the developer. */
  me: string | undefined
  open: (action: MemberAction, member: Member) => void
}

/** The members with their roles, the owner first. */
export const Members = ({ route, members, me, open }: Props) => (
  <table class="table">
    <TableHead columns={['Member', ['Role', 'col-role'], ['Since', 'col-joined'], ACTIONS]} />
    <tbody>
      {members.map((member) => (
        <tr key={member.developerId}>
          <td>
            <span class="row">
              <Avatar name={nameOf(member)} id={member.developerId} />
              <span class="grow stack tight">
                <span class="row">
                  <bdi class="cut strong">{nameOf(member)}</bdi>
                  {member.developerId === me && <Chip>You</Chip>}
                </span>
                {member.name !== null && <bdi class="tiny faint cut">{member.email}</bdi>}
              </span>
            </span>
          </td>
          <td>
            <Chip tone={member.role === 'owner' ? 'accent' : 'neutral'}>{member.role}</Chip>
          </td>
          <td class="soft col-joined">
            <Time iso={member.since}>{onDate(member.since)}</Time>
          </td>
          <td class="num">
            <Actions route={route} member={member} isMe={member.developerId === me} open={open} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

type ActionsProps = Pick<Props, 'route' | 'open'> & { member: Member; isMe: boolean }

/** The owner keeps the role until a transfer, and nobody changes the own role. */
function Actions({ route, member, isMe, open }: ActionsProps) {
  if (member.role === 'owner') return null
  if (isMe)
    return (
      <Button small onClick={() => open('leave', member)}>
        Leave…
      </Button>
    )
  const may = (call: CallName) => isAllowed(call, route)
  if (!may('changeMemberRole')) return null
  const id = `member-${member.developerId}`
  return (
    <>
      <Button small kind="quiet" icon={MoreIcon} label={`More about ${nameOf(member)}`} popovertarget={id} />
      <Menu id={id} label="More">
        <button type="button" onClick={() => open('role', member)}>
          <Icon of={EditIcon} /> Change role…
        </button>
        {member.role === 'admin' && may('offerTransfer') && (
          <button type="button" onClick={() => open('transfer', member)}>
            <Icon of={HostIcon} /> Transfer project…
          </button>
        )}
        <button type="button" onClick={() => open('remove', member)}>
          <Icon of={TrashIcon} /> Remove…
        </button>
      </Menu>
    </>
  )
}
