import type { ApprovalView } from '@svc/contract/developers/agents'

import { call } from '../../developer.ts'
import { counted } from '../../format.ts'
import { refresh } from '../../queries.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/states.tsx'

/** Always in sight, however long the call is. */
export function Decision({ approval: { id, environment, expiresInSeconds } }: { approval: ApprovalView }) {
  const { run, busy, error } = useAction(
    (approve: boolean) => call('decideApproval', { params: { approvalId: id }, body: { approve } }),
    undefined,
    () => refresh('readApproval', 'listApprovals', 'listAudit'),
  )
  const where = environment === 'production' ? ' in production' : ''
  return (
    <footer class="approval-decision">
      {error && <ErrorNotice error={error} />}
      <p class="small grow">
        <strong class="tabular">{timeLeft(expiresInSeconds)}</strong>{' '}
        <span class="soft">Allows exactly this, once. Refuse what you did not ask for.</span>
      </p>
      <div class="row">
        <Button disabled={busy} onClick={() => run(false)}>
          Refuse
        </Button>
        <Button kind="main" busy={busy} onClick={() => run(true)}>
          Approve{where}
        </Button>
      </div>
    </footer>
  )
}

const timeLeft = (seconds: number): string =>
  seconds >= 60
    ? `${counted(Math.floor(seconds / 60), 'minute', 'minutes')} left.`
    : `${counted(Math.max(0, seconds), 'second', 'seconds')} left.`
