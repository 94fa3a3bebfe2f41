import { call } from '../../developer.ts'
import { bytes, exactly } from '../../format.ts'
import { useCall } from '../../queries.ts'
import { useChange } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { notify } from '../../ui/messages.tsx'
import { Ago, Chip } from '../../ui/parts.tsx'
import { LoadedCard } from '../../ui/states.tsx'

const EVERY_MS = 5_000

/** The backups of this service, and a button that creates one. */
export function Backups() {
  const answer = useCall('listBackups', {}, { everyMs: EVERY_MS })
  const create = useChange(['listBackups', 'listOperatorAudit'], async () => {
    await call('createBackup', {})
    notify('Backup started.')
  })
  return (
    <LoadedCard
      title="Backups"
      side={
        <Button small busy={create.busy} disabled={answer.data?.available !== true} onClick={create.run}>
          Back up now
        </Button>
      }
      answer={answer}
      lines={3}
    >
      {({ available, nextAt, backups }) => (
        <ul class="changes">
          {!available && (
            <li class="small soft">
              PostgreSQL backups need pg_dump and pg_restore on this node. Install postgresql-client.
            </li>
          )}
          {available && backups.length === 0 && (
            <li class="small soft">No backups yet. Backups contain secrets, so store them safely.</li>
          )}
          {nextAt !== null && (
            <li class="small soft">
              <span>
                Next backup: <time dateTime={nextAt}>{exactly(nextAt)}</time>.
              </span>
            </li>
          )}
          {backups.map(({ name, status, createdAt, bytes: size, error, verifiedAt }) => (
            <li key={name}>
              <span class="grow stack tight">
                <code class="tiny cut">{name}</code>
                <span class={error ? 'tiny is-bad' : 'tiny faint'}>{error ?? <Ago iso={createdAt} />}</span>
              </span>
              {size !== null && <span class="tiny soft tabular">{bytes(size)}</span>}
              <Chip tone={error ? 'bad' : verifiedAt ? 'good' : 'warn'}>
                {error
                  ? 'Failed'
                  : verifiedAt
                    ? 'Verified'
                    : status === 'running'
                      ? 'Running'
                      : 'Not verified'}
              </Chip>
            </li>
          ))}
        </ul>
      )}
    </LoadedCard>
  )
}
