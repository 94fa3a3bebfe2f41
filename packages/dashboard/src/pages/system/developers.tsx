import { useState } from 'preact/hooks'

import { call, type ResponseOf } from '../../developer.ts'
import { onDate } from '../../format.ts'
import { refresh, useCall } from '../../queries.ts'
import { useAction, useChange } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog, InfoDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { ListFoot, useCursors } from '../../ui/list-foot.tsx'
import { Ago, Chip, CopiedValue, Time } from '../../ui/parts.tsx'
import { LoadedCard } from '../../ui/states.tsx'

/** Accounts of the service, and invitations that nobody has used yet. */
export function Developers() {
  const cursors = useCursors<string>()
  const answer = useCall('listDevelopers', { query: cursors.query }, { keepsPrevious: true })
  const [isInviting, setInviting] = useState(false)
  const revoke = useChange(['listDevelopers', 'listOperatorAudit'], (email: string) =>
    call('revokeInvitation', { params: { email } }),
  )
  return (
    <LoadedCard
      title="Developers"
      side={
        <Button small onClick={() => setInviting(true)}>
          Invite…
        </Button>
      }
      answer={answer}
      lines={4}
      foot={
        <>
          <ListFoot cursors={cursors} next={answer.data?.nextCursor} note="Oldest first" />
          {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
        </>
      }
    >
      {({ developers, invitations }) => (
        <ul class="changes">
          {developers.map(({ id, email, name, isOperator, createdAt }) => (
            <li key={id}>
              <span class="grow stack tight">
                <bdi class="cut">{name ?? email}</bdi>
                <span class="tiny faint cut">
                  {name !== null && <bdi>{email} </bdi>}
                  since <Time iso={createdAt}>{onDate(createdAt)}</Time>
                </span>
              </span>
              {isOperator && <Chip tone="accent">Operator</Chip>}
            </li>
          ))}
          {invitations.map(({ email, expiresAt }) => (
            <li key={email}>
              <span class="grow stack tight">
                <bdi class="cut">{email}</bdi>
                <span class="tiny faint">
                  ends <Ago iso={expiresAt} />
                </span>
              </span>
              <Chip tone="warn">Invited</Chip>
              <Button small label={`Revoke the invitation for ${email}`} onClick={() => revoke.run(email)}>
                Revoke
              </Button>
            </li>
          ))}
        </ul>
      )}
    </LoadedCard>
  )
}

function InviteDialog({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [created, setCreated] = useState<ResponseOf<'inviteDeveloper'>>()
  const invite = useAction(async () => {
    setCreated(await call('inviteDeveloper', { body: { email: email.trim() } }))
    refresh('listDevelopers', 'listOperatorAudit')
  })
  if (created)
    return (
      <InfoDialog
        title="Invitation"
        label="Invitation"
        about={`${created.mailed ? 'The link was also sent by email.' : 'Send this link to the person.'} It works once, for 7 days.`}
        onClose={onClose}
      >
        <CopiedValue text={created.link} label="Copy link" />
      </InfoDialog>
    )
  return (
    <FormDialog
      title="Invite a developer"
      about="The link creates one account on this service."
      submit="Create link"
      disabled={email.trim() === ''}
      action={invite}
      onClose={onClose}
    >
      <TextField label="Email" type="email" value={email} change={setEmail} autofocus />
    </FormDialog>
  )
}
