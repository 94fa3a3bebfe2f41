import type { Member, Transfer } from '@svc/contract/developers/members'

import { call } from '../../developer.ts'
import { onDate } from '../../format.ts'
import type { Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { notify } from '../../ui/messages.tsx'
import { Card, Time } from '../../ui/parts.tsx'
import { ErrorNotice } from '../../ui/states.tsx'
import { nameOf } from './member-dialogs.tsx'

type Props = {
  route: Route
  transfer: Transfer
  members: readonly Member[]
  /** The id of the developer. */
  me: string | undefined
  onDone: () => void
}

/** An offered transfer: the new owner accepts or declines it, the owner withdraws it. */
export function TransferCard({ route: { project }, transfer, members, me, onDone }: Props) {
  const params = { projectId: project.id }
  const end = useAction(async (done: string) => {
    await call('withdrawTransfer', { params })
    notify(done)
    onDone()
  })
  const accept = useAction(async () => {
    await call('acceptTransfer', { params })
    notify(`You now own ${project.name}.`)
    onDone()
  })
  const owner = members.find(({ role }) => role === 'owner')
  const next = members.find(({ developerId }) => developerId === transfer.developerId)
  const until = <Time iso={transfer.expiresAt}>{onDate(transfer.expiresAt)}</Time>
  const error = accept.error ?? end.error
  return (
    <Card title={me === transfer.developerId ? 'This project is offered to you' : 'Transfer'}>
      <div class="stack transfer">
        {me === transfer.developerId ? (
          <>
            <p>
              <bdi>{owner && nameOf(owner)}</bdi> offers you ownership until {until}. If you accept, you pay
              for this project’s usage from then on. Earlier usage, balance and invoices stay with{' '}
              <bdi>{owner && nameOf(owner)}</bdi>, who becomes an admin.
            </p>
            <div class="row wrap">
              <Button kind="main" busy={accept.busy} disabled={end.busy} onClick={accept.run}>
                Accept and become owner
              </Button>
              <Button busy={end.busy} disabled={accept.busy} onClick={() => end.run('Transfer declined.')}>
                Decline
              </Button>
            </div>
          </>
        ) : (
          <div class="row wrap">
            <p class="grow">
              Offered to <bdi>{next && nameOf(next)}</bdi>, who has until {until} to accept.
            </p>
            {project.role === 'owner' && (
              <Button busy={end.busy} onClick={() => end.run('Transfer withdrawn.')}>
                Withdraw
              </Button>
            )}
          </div>
        )}
        {error && <ErrorNotice error={error} />}
      </div>
    </Card>
  )
}
