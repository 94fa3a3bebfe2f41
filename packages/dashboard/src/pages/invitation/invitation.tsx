import { useLocation } from 'preact-iso'

import { call, type ResponseOf } from '../../developer.ts'
import { onDate } from '../../format.ts'
import { refresh, useCall } from '../../queries.ts'
import { address, usePath } from '../../route.ts'
import { forgetToken } from '../../session.ts'
import { useAction } from '../../ui/action.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { TeamIcon } from '../../ui/icons.ts'
import { notify } from '../../ui/messages.tsx'
import { Page } from '../../ui/page.tsx'
import { Card, Facts, Time } from '../../ui/parts.tsx'
import { EmptyState, ErrorNotice, Loaded } from '../../ui/states.tsx'
import { resendVerification } from '../account/resend.ts'
import { ABOUT_ROLES, roleTitle } from '../team/role-words.ts'

type Found = ResponseOf<'findInvitation'>

/** An invitation to a project, which a link opens: what it is, and accepting it. */
export default function Invitation() {
  const [, token = ''] = usePath()
  const answer = useCall('findInvitation', { body: { token } })
  return (
    <Page title="Invitation" class="narrow">
      {answer.error?.code === 'invalid_or_expired_token' || token === '' ? (
        <EmptyState
          inCard
          icon={TeamIcon}
          title="This invitation is no longer valid"
          action={<LinkButton href={address(['projects'])}>Open projects</LinkButton>}
        >
          It was used, revoked or replaced, or it expired after 7 days. Ask for a new one.
        </EmptyState>
      ) : (
        <Loaded answer={answer} lines={6} inCard>
          {(invitation) =>
            invitation.isYours ? (
              <Own invitation={invitation} token={token} />
            ) : (
              <ForSomebodyElse invitation={invitation} />
            )
          }
        </Loaded>
      )}
    </Page>
  )
}

const titleOf = ({ project }: Found) => (
  <>
    You are invited to <bdi>{project.name}</bdi>
  </>
)

function Own({ invitation, token }: { invitation: Found; token: string }) {
  const { route: goTo } = useLocation()
  const accept = useAction(async () => {
    const { project, role } = await call('acceptInvitation', { body: { token } })
    notify(`You joined ${project.name} as ${role}.`)
    // The page of the project knows it only from the list.
    const { projects } = await call('listProjects', {})
    refresh('listProjects')
    const slug = projects.find(({ id }) => id === project.id)?.slug
    goTo(address(slug === undefined ? ['projects'] : [slug, 'development', 'overview']), true)
  })
  return (
    <Card title={titleOf(invitation)}>
      <div class="form is-wide">
        <Facts
          rows={[
            ['Invited by', <bdi>{invitation.invitedBy}</bdi>],
            [
              'Your role',
              <span class="stack tight">
                <span>{roleTitle(invitation.role)}</span>
                <span class="small soft">{ABOUT_ROLES[invitation.role]}</span>
              </span>,
            ],
            ['Valid until', <Time iso={invitation.expiresAt}>{onDate(invitation.expiresAt)}</Time>],
          ]}
        />
        {accept.error && <ErrorNotice error={accept.error} />}
        <div class="row wrap">
          <Button kind="main" busy={accept.busy} onClick={accept.run}>
            Accept
          </Button>
          {accept.error?.code === 'confirmed_email_required' && (
            <Button onClick={resendVerification}>Resend confirmation email</Button>
          )}
        </div>
      </div>
    </Card>
  )
}

function ForSomebodyElse({ invitation }: { invitation: Found }) {
  const me = useCall('readMe', {}).data?.developer
  const signOut = useAction(async () => {
    await call('logOut', {}).catch(() => undefined)
    // The address stays: after the next sign-in this page is shown again.
    forgetToken()
  })
  return (
    <Card title="This invitation is for someone else">
      <div class="stack transfer">
        <p>
          The invitation to <bdi>{invitation.project.name}</bdi> is for{' '}
          <bdi class="strong">{invitation.email}</bdi>. You are signed in as{' '}
          <bdi class="strong">{me?.email}</bdi>. Sign in with that email to accept it, or ask{' '}
          <bdi>{invitation.invitedBy}</bdi> to invite this one.
        </p>
        <div class="row wrap">
          <Button kind="main" busy={signOut.busy} onClick={signOut.run}>
            Sign out
          </Button>
          <LinkButton href={address(['projects'])}>Open projects</LinkButton>
        </div>
      </div>
    </Card>
  )
}
