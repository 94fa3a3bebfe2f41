import { useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { Icon } from '../../ui/icon.tsx'
import { HostingIcon, UndoIcon } from '../../ui/icons.ts'
import { Ago, Chip } from '../../ui/parts.tsx'
import { LoadedCard } from '../../ui/states.tsx'
import { Timeline } from './timeline.tsx'

const EVERY_MS = 15_000
const SHOWN_MAX = 20

/** The activations of versions; those of an older version are marked as rollbacks. */
export function Activations({ route }: { route: Route }) {
  const answer = useCall(
    'listActivations',
    { params: route.params, query: { limit: SHOWN_MAX } },
    { everyMs: EVERY_MS },
  )
  return (
    <LoadedCard title="Deploy history" answer={answer} lines={4}>
      {({ activations }) => (
        <>
          <Timeline activated={activations.map(({ version }) => version)} />
          <ul class="changes">
            {activations.map(({ version, at, by }, index) => {
              const before = activations[index + 1]?.version
              const isRollback = before !== undefined && version < before
              return (
                <li key={at}>
                  <span class="change-icon">
                    <Icon of={isRollback ? UndoIcon : HostingIcon} size={14} />
                  </span>
                  <span class="grow cut">
                    Version {version} <span class="soft">by</span> <bdi class="soft">{by.label}</bdi>
                  </span>
                  {isRollback && <Chip tone="warn">Rollback from {before}</Chip>}
                  {index === 0 && <Chip tone="good">Live</Chip>}
                  <Ago iso={at} small />
                </li>
              )
            })}
          </ul>
        </>
      )}
    </LoadedCard>
  )
}
