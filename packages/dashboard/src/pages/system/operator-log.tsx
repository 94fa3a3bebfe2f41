import { useCall } from '../../queries.ts'
import { Icon } from '../../ui/icon.tsx'
import { AuditIcon } from '../../ui/icons.ts'
import { ListFoot, useCursors } from '../../ui/list-foot.tsx'
import { Ago } from '../../ui/parts.tsx'
import { LoadedCard } from '../../ui/states.tsx'

const PAGE_SIZE = 10
const TEXTS: Record<string, string> = {
  'invitation.create': 'invited',
  'invitation.revoke': 'revoked the invitation of',
  'operator.add': 'gave operator rights to',
  'operator.remove': 'took the operator rights of',
  'backup.create': 'began the backup',
}

/** What operators have changed. */
export function OperatorLog() {
  const cursors = useCursors<string, 'before'>('before')
  const answer = useCall(
    'listOperatorAudit',
    { query: { limit: PAGE_SIZE, ...cursors.query } },
    { keepsPrevious: true },
  )
  return (
    <LoadedCard
      title="What operators changed"
      answer={answer}
      lines={3}
      foot={<ListFoot cursors={cursors} next={answer.data?.nextBefore} note="Newest first" />}
    >
      {({ entries }) => (
        <ul class="changes">
          {entries.length === 0 && (
            <li class="small soft">Invitations, changes of operators and backups appear here.</li>
          )}
          {entries.map(({ id, at, actor, action, target }) => (
            <li key={id}>
              <span class="change-icon">
                <Icon of={AuditIcon} size={14} />
              </span>
              <span class="grow cut">
                <bdi class="soft">{actor.label}</bdi> {TEXTS[action] ?? action} <bdi>{target}</bdi>
              </span>
              <Ago iso={at} small />
            </li>
          ))}
        </ul>
      )}
    </LoadedCard>
  )
}
