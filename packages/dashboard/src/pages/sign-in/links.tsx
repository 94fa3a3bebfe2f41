import type { ResponseOf } from '../../developer.ts'
import { useCall } from '../../queries.ts'
import { usePath } from '../../route.ts'
import { roleTitle } from '../team/role-words.ts'

type ProjectInvitation = ResponseOf<'previewInvitation'>

/** The invitation to a project whose link was opened: after the sign-in its page is shown. Undefined if there is none. */
export function useProjectInvitation(): ProjectInvitation | undefined {
  const [page, token = ''] = usePath()
  const enabled = page === 'invitations' && token !== ''
  return useCall('previewInvitation', { body: { token } }, { enabled }).data
}

/** Title and text of the sign-in and the sign-up of somebody who is invited to a project. */
export const invitationWords = (
  { project, role, email, invitedBy }: ProjectInvitation,
  mode: 'signIn' | 'signUp',
) => ({
  title: (
    <>
      You are invited to <bdi>{project.name}</bdi>
    </>
  ),
  about: (
    <>
      <bdi class="strong">{invitedBy}</bdi> invites you as {roleTitle(role)}.{' '}
      {mode === 'signUp' ? 'Create an account' : 'Sign in'} with <bdi class="strong">{email}</bdi>, then
      accept the invitation.
    </>
  ),
})

/** A link that no longer works, before anybody fills in a form for it. */
export const LinkNotice = ({ isSetup }: { isSetup: boolean }) => (
  <p class="note" role="status">
    {isSetup
      ? 'This set-up link no longer works. It works once, for 7 days, until the service starts again and prints a new one.'
      : 'This invitation no longer works: it was used, revoked or replaced, or it expired after 7 days.'}
  </p>
)

/** On the machine of the developer: the account that the command line has created, and where its password is. */
export const LocalAccount = ({ email }: { email: string | null | undefined }) =>
  email == null ? null : (
    <p class="note">
      <code>svc new</code> has created the account <strong>{email}</strong> on this machine. To open this page
      signed in, run <code>svc dashboard</code>. Its password is in{' '}
      <code>~/.config/svc/credentials.json</code>.
    </p>
  )
