import { useState } from 'preact/hooks'

import { call, type ResponseOf } from '../../developer.ts'
import { ago, onDate } from '../../format.ts'
import { refresh, useCall } from '../../queries.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, FormDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { ListFoot, useCursors } from '../../ui/list-foot.tsx'
import { notifyError } from '../../ui/messages.tsx'
import { Card, Chip, Copy, Time } from '../../ui/parts.tsx'
import { Loaded } from '../../ui/states.tsx'

/** Accounts of the service, and invitations that nobody has used yet. */
export function Developers() {
  const cursors = useCursors<string>()
  const cursor = cursors.current
  const answer = useCall(
    'listDevelopers',
    { query: cursor === undefined ? {} : { cursor } },
    { keepsPrevious: true },
  )
  const [isInviting, setInviting] = useState(false)
  const revoke = useAction(
    async (email: string) => {
      await call('revokeInvitation', { params: { email } })
    },
    notifyError,
    () => refresh('listDevelopers', 'listOperatorAudit'),
  )
  return (
    <Card
      title="Developers"
      side={
        <Button small onClick={() => setInviting(true)}>
          Invite…
        </Button>
      }
      pad={false}
    >
      <div class="card-part">
        <Loaded answer={answer} lines={4}>
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
                      ends <Time iso={expiresAt}>{ago(expiresAt)}</Time>
                    </span>
                  </span>
                  <Chip tone="warn">Invited</Chip>
                  <Button small label={`Revoke the invitation of ${email}`} onClick={() => revoke.run(email)}>
                    Revoke
                  </Button>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </div>
      <ListFoot cursors={cursors} next={answer.data?.nextCursor} note="Oldest first" />
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </Card>
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
      <Dialog onClose={onClose} label="Invitation">
        <header class="dialog-head">
          <h2>Invitation</h2>
          <p class="soft">
            {created.mailed ? 'The link was also sent by mail.' : 'Send this link to the person.'} It works
            once, for 7 days.
          </p>
        </header>
        <div class="dialog-main">
          <div class="secret-value">
            <code>{created.link}</code>
            <Copy text={created.link} label="Copy the link" />
          </div>
        </div>
        <footer class="dialog-foot">
          <Button kind="main" onClick={onClose}>
            Done
          </Button>
        </footer>
      </Dialog>
    )
  return (
    <FormDialog
      title="Invite a developer"
      label="Invite a developer"
      about="The link creates one account on this service."
      submit="Create the link"
      disabled={email.trim() === ''}
      action={invite}
      onClose={onClose}
    >
      <TextField label="Email" type="email" value={email} change={setEmail} autofocus />
    </FormDialog>
  )
}
