import type { MemberRole } from '@svc/contract/developers/members'
import { useState } from 'preact/hooks'

import { call, type ResponseOf } from '../../developer.ts'
import type { Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog, InfoDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { CopiedValue } from '../../ui/parts.tsx'
import { RoleField } from './role-field.tsx'

type Props = { route: Route; onInvited: () => void; onClose: () => void }

/** Invites an address, and shows the link once: the service stores only its hash. */
export function InviteDialog({ route: { project }, onInvited, onClose }: Props) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<MemberRole>('developer')
  const [created, setCreated] = useState<ResponseOf<'inviteMember'>>()
  const invite = useAction(async () => {
    const body = { email: email.trim(), role }
    setCreated(await call('inviteMember', { params: { projectId: project.id }, body }))
    onInvited()
  })
  if (created)
    return (
      <InfoDialog
        title={
          <>
            <bdi>{created.invitation.email}</bdi> invited
          </>
        }
        label="Invitation"
        about={
          created.mailed
            ? 'We emailed the link. You can also share it yourself.'
            : 'No email was sent. Share this link yourself; it is shown only now.'
        }
        onClose={onClose}
      >
        <CopiedValue text={created.link} label="Copy link" />
        <p class="small soft">
          It works once, for 7 days, and only for an account with this email. A new invitation to the same
          email replaces it.
        </p>
      </InfoDialog>
    )
  return (
    <FormDialog
      title={
        <>
          Invite to <bdi>{project.name}</bdi>
        </>
      }
      label="Invite member"
      submit="Invite"
      disabled={email.trim() === ''}
      action={invite}
      onClose={onClose}
    >
      <TextField
        label="Email"
        type="email"
        hint="They sign in or sign up with this address."
        value={email}
        change={setEmail}
        autocomplete="off"
        autofocus
      />
      <RoleField chosen={role} choose={setRole} />
    </FormDialog>
  )
}
