import { ago } from '../../format.ts'
import { useCall } from '../../queries.ts'
import { Icon } from '../../ui/icon.tsx'
import { AuditIcon } from '../../ui/icons.ts'
import { ListFoot, useCursors } from '../../ui/list-foot.tsx'
import { Card, Time } from '../../ui/parts.tsx'
import { Loaded } from '../../ui/states.tsx'

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
  const cursors = useCursors<string>()
  const before = cursors.current
  const answer = useCall(
    'listOperatorAudit',
    { query: { limit: PAGE_SIZE, ...(before !== undefined && { before }) } },
    { keepsPrevious: true },
  )
  return (
    <Card title="What operators changed" pad={false}>
      <div class="card-part">
        <Loaded answer={answer} lines={3}>
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
                  <Time iso={at}>
                    <span class="tiny faint">{ago(at)}</span>
                  </Time>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </div>
      <ListFoot cursors={cursors} next={answer.data?.nextBefore} note="Newest first" />
    </Card>
  )
}
