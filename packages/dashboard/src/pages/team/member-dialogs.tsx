import type { Member, MemberRole } from '@svc/contract/developers/members'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import type { Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { notify } from '../../ui/messages.tsx'
import { ProofField, useProof } from '../../ui/proof-field.tsx'
import { RoleField } from './role-field.tsx'

type Props = { route: Route; member: Member; onDone: () => void; onClose: () => void }

/** The name of a member, or the address. */
export const nameOf = ({ name, email }: Pick<Member, 'name' | 'email'>): string => name ?? email

/** Changes what a member may do. */
export function RoleDialog({ route, member, onDone, onClose }: Props) {
  const [role, setRole] = useState<MemberRole>(member.role === 'owner' ? 'admin' : member.role)
  const change = useAction(async () => {
    const params = { projectId: route.project.id, developerId: member.developerId }
    await call('changeMemberRole', { params, body: { role } })
    notify(`${nameOf(member)} is ${role} now.`)
    onDone()
  })
  return (
    <FormDialog
      title={
        <>
          Role of <bdi>{nameOf(member)}</bdi>
        </>
      }
      label="Change the role"
      about="It takes effect immediately."
      submit="Change the role"
      disabled={role === member.role}
      action={change}
      onClose={onClose}
    >
      <RoleField chosen={role} choose={setRole} />
    </FormDialog>
  )
}

/** Ends the membership of somebody else. */
export function RemoveDialog({ route, member, onDone, onClose }: Props) {
  const remove = useAction(async () => {
    const params = { projectId: route.project.id, developerId: member.developerId }
    await call('removeMember', { params })
    notify(`${nameOf(member)} is removed.`)
    onDone()
  })
  return (
    <FormDialog
      title={
        <>
          Remove <bdi>{nameOf(member)}</bdi>?
        </>
      }
      label="Remove the member"
      submit="Remove"
      isDanger
      action={remove}
      onClose={onClose}
    >
      <p>The person loses the project within a second, in all browsers and command lines.</p>
      <p>
        Keys stay: the service does not know who has copied one. If the person had secret keys, create new
        ones and revoke the old ones on the page{' '}
        <a class="link" href={route.href('keys')}>
          Keys
        </a>
        , in both environments.
      </p>
    </FormDialog>
  )
}

/** Ends the own membership. */
export function LeaveDialog({ route: { project }, onDone, onClose }: Omit<Props, 'member'>) {
  const leave = useAction(async () => {
    await call('leaveProject', { params: { projectId: project.id } })
    notify(`You have left ${project.name}.`)
    onDone()
  })
  return (
    <FormDialog
      title={
        <>
          Leave <bdi>{project.name}</bdi>?
        </>
      }
      label="Leave the project"
      submit="Leave"
      isDanger
      action={leave}
      onClose={onClose}
    >
      <p>You lose the project immediately. An admin can invite you again. Keys keep working.</p>
    </FormDialog>
  )
}

/** Offers the project to an admin, who becomes the owner by accepting. */
export function TransferDialog({ route: { project }, member, onDone, onClose }: Props) {
  const proof = useProof()
  const offer = useAction(
    async () => {
      const body = { developerId: member.developerId, ...proof.proof }
      const { mailed } = await call('offerTransfer', { params: { projectId: project.id }, body })
      notify(
        mailed ? `${nameOf(member)} got a mail with the offer.` : `Tell ${nameOf(member)} to open this page.`,
      )
      onDone()
    },
    undefined,
    proof.spend,
  )
  return (
    <FormDialog
      title={
        <>
          Give <bdi>{project.name}</bdi> to <bdi>{nameOf(member)}</bdi>?
        </>
      }
      label="Transfer the project"
      submit="Offer the project"
      isDanger
      disabled={!proof.proof}
      action={offer}
      onClose={onClose}
    >
      <p>
        <bdi>{nameOf(member)}</bdi> has 7 days to accept. Until then nothing changes, and you can withdraw the
        offer.
      </p>
      <p>
        Afterwards you are an admin, and only the new owner can give the project back. Your balance and
        invoices stay with you, and usage until then is charged to you; usage from then on is charged to the
        new owner. Keys, addresses and data stay the same.
      </p>
      <ProofField of={proof} autofocus />
    </FormDialog>
  )
}
