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
    notify(`${nameOf(member)} is now ${role}.`)
    onDone()
  })
  return (
    <FormDialog
      title={
        <>
          Change role of <bdi>{nameOf(member)}</bdi>
        </>
      }
      label="Change role"
      about="Takes effect immediately."
      submit="Change role"
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
    notify(`${nameOf(member)} removed.`)
    onDone()
  })
  return (
    <FormDialog
      title={
        <>
          Remove <bdi>{nameOf(member)}</bdi>?
        </>
      }
      label="Remove member"
      submit="Remove"
      isDanger
      action={remove}
      onClose={onClose}
    >
      <p>They lose access within a second, in every browser and on the command line.</p>
      <p>
        Keys keep working: svc does not know who copied one. If they had secret keys, create new ones and
        revoke the old ones on the{' '}
        <a class="link" href={route.href('keys')}>
          Keys
        </a>{' '}
        page, in both environments.
      </p>
    </FormDialog>
  )
}

/** Ends the own membership. */
export function LeaveDialog({ route: { project }, onDone, onClose }: Omit<Props, 'member'>) {
  const leave = useAction(async () => {
    await call('leaveProject', { params: { projectId: project.id } })
    notify(`You left ${project.name}.`)
    onDone()
  })
  return (
    <FormDialog
      title={
        <>
          Leave <bdi>{project.name}</bdi>?
        </>
      }
      label="Leave project"
      submit="Leave"
      isDanger
      action={leave}
      onClose={onClose}
    >
      <p>You lose access immediately. An admin can invite you again. Keys keep working.</p>
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
        mailed
          ? `Transfer offered. We emailed ${nameOf(member)}.`
          : `Transfer offered. Ask ${nameOf(member)} to open this page.`,
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
          Transfer <bdi>{project.name}</bdi> to <bdi>{nameOf(member)}</bdi>?
        </>
      }
      label="Transfer project"
      submit="Offer transfer"
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
        You then become an admin, and only the new owner can transfer the project back. Your balance and
        invoices stay with you. You pay for usage until the transfer; the new owner pays from then on. Keys,
        URLs and data stay the same.
      </p>
      <ProofField of={proof} autofocus />
    </FormDialog>
  )
}
