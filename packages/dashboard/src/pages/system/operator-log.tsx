import { useCall } from '../../queries.ts'
import { Icon } from '../../ui/icon.tsx'
import { AuditIcon } from '../../ui/icons.ts'
import { ListFoot, useCursors } from '../../ui/list-foot.tsx'
import { Ago } from '../../ui/parts.tsx'
import { LoadedCard } from '../../ui/states.tsx'

const PAGE_SIZE = 10
/** `{}` is the target. */
const TEXTS: Record<string, string> = {
  'invitation.create': 'invited {}',
  'invitation.revoke': 'revoked the invitation for {}',
  'operator.add': 'made {} an operator',
  'operator.remove': 'removed {} as operator',
  'backup.create': 'started the backup {}',
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
      title="Operator log"
      answer={answer}
      lines={3}
      foot={<ListFoot cursors={cursors} next={answer.data?.nextBefore} note="Newest first" />}
    >
      {({ entries }) => (
        <ul class="changes">
          {entries.length === 0 && (
            <li class="small soft">Invitations, operator changes and backups appear here.</li>
          )}
          {entries.map(({ id, at, actor, action, target }) => (
            <li key={id}>
              <span class="change-icon">
                <Icon of={AuditIcon} size={14} />
              </span>
              <span class="grow cut">
                <bdi class="soft">{actor.label}</bdi> <Text of={action} target={target} />
              </span>
              <Ago iso={at} small />
            </li>
          ))}
        </ul>
      )}
    </LoadedCard>
  )
}

function Text({ of: action, target }: { of: string; target: string | null }) {
  const [before, after] = (TEXTS[action] ?? `${action} {}`).split('{}')
  return (
    <>
      {before}
      <bdi>{target}</bdi>
      {after}
    </>
  )
}
