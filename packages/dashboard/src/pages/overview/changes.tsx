import { useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { AuditIcon } from '../../ui/icons.ts'
import { Ago } from '../../ui/parts.tsx'
import { EmptyState, LoadedCard } from '../../ui/states.tsx'
import { describe } from '../audit/actions.ts'
import { Sentence } from '../audit/sentence.tsx'

const EVERY_MS = 30_000

export const useLastChanges = ({ project, env }: Route) =>
  useCall('listAudit', { params: { projectId: project.id }, query: { limit: 6, env } }, { everyMs: EVERY_MS })

/** The last changes of the environment. */
export function Changes({ route }: { route: Route }) {
  const audit = useLastChanges(route)
  return (
    <LoadedCard
      title="Recent changes"
      side={
        <LinkButton kind="quiet" small href={route.href('audit')}>
          All changes
        </LinkButton>
      }
      answer={audit}
      lines={5}
    >
      {({ entries }) =>
        entries.length === 0 ? (
          <EmptyState icon={AuditIcon} title="No changes yet">
            Every change appears here, with who made it and when.
          </EmptyState>
        ) : (
          <ul class="changes">
            {entries.map((entry) => (
              <li key={entry.id}>
                <span class="change-icon">
                  <Icon of={describe(entry).icon} size={14} />
                </span>
                <span class="grow cut">
                  <Sentence entry={entry} route={route} />
                </span>
                <Ago iso={entry.at} small />
              </li>
            ))}
          </ul>
        )
      }
    </LoadedCard>
  )
}
