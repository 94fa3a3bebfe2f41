import { call } from '../../developer.ts'
import { counted, onDate } from '../../format.ts'
import { useCall } from '../../queries.ts'
import { useChange } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { notify } from '../../ui/messages.tsx'
import { Ago, Chip, Time } from '../../ui/parts.tsx'
import { LoadedCard } from '../../ui/states.tsx'

/** Where the developer is signed in. */
export function Sessions() {
  const answer = useCall('listOwnSessions', {})
  const end = useChange(['listOwnSessions'], (sessionId: string) =>
    call('endOwnSession', { params: { sessionId } }),
  )
  const endOthers = useChange(['listOwnSessions'], async () => {
    const { ended } = await call('endOtherSessions', {})
    notify(`Signed out of ${counted(ended, 'other session', 'other sessions')}.`)
  })
  const hasOthers = answer.data?.sessions.some(({ current }) => !current) === true
  return (
    <LoadedCard
      title="Sessions"
      side={
        hasOthers && (
          <Button small kind="quiet" onClick={endOthers.run}>
            Sign out everywhere else
          </Button>
        )
      }
      answer={answer}
      lines={3}
    >
      {({ sessions }) => (
        <ul class="changes">
          {sessions.map(({ id, createdAt, lastUsedAt, expiresAt, current }) => (
            <li key={id}>
              <span class="grow stack tight">
                <span class="row">
                  <span>
                    Signed in <Ago iso={createdAt} />
                  </span>
                  {current && <Chip tone="good">This device</Chip>}
                </span>
                <span class="tiny faint">
                  last used <Time iso={lastUsedAt}>{onDate(lastUsedAt)}</Time>, ends{' '}
                  <Time iso={expiresAt}>{onDate(expiresAt)}</Time>
                </span>
              </span>
              {!current && (
                <Button small onClick={() => end.run(id)}>
                  {' '}
                  Sign out{' '}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </LoadedCard>
  )
}
