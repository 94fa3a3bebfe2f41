import { call } from '../../developer.ts'
import { ago, counted, onDate } from '../../format.ts'
import { refresh, useCall } from '../../queries.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { notify, notifyError } from '../../ui/messages.tsx'
import { Card, Chip, Time } from '../../ui/parts.tsx'
import { Loaded } from '../../ui/states.tsx'

/** Where the developer is signed in. */
export function Sessions() {
  const answer = useCall('listOwnSessions', {})
  const end = useAction(
    async (sessionId: string) => {
      await call('endOwnSession', { params: { sessionId } })
    },
    notifyError,
    () => refresh('listOwnSessions'),
  )
  const endOthers = useAction(
    async () => {
      const { ended } = await call('endOtherSessions', {})
      notify(`${counted(ended, 'other session', 'other sessions')} ended.`)
    },
    notifyError,
    () => refresh('listOwnSessions'),
  )
  const hasOthers = answer.data?.sessions.some(({ current }) => !current) === true
  return (
    <Card
      title="Sessions"
      side={
        hasOthers && (
          <Button small kind="quiet" onClick={endOthers.run}>
            End all others
          </Button>
        )
      }
      pad={false}
    >
      <div class="card-part">
        <Loaded answer={answer} lines={3}>
          {({ sessions }) => (
            <ul class="changes">
              {sessions.map(({ id, createdAt, lastUsedAt, expiresAt, current }) => (
                <li key={id}>
                  <span class="grow stack tight">
                    <span class="row">
                      <span>
                        Signed in <Time iso={createdAt}>{ago(createdAt)}</Time>
                      </span>
                      {current && <Chip tone="good">This one</Chip>}
                    </span>
                    <span class="tiny faint">
                      last used <Time iso={lastUsedAt}>{onDate(lastUsedAt)}</Time>, ends{' '}
                      <Time iso={expiresAt}>{onDate(expiresAt)}</Time>
                    </span>
                  </span>
                  {!current && (
                    <Button small onClick={() => end.run(id)}>
                      End
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </div>
    </Card>
  )
}
