import { useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { DoneIcon } from '../../ui/icons.ts'
import { ListFoot, useCursors } from '../../ui/list-foot.tsx'
import { Ago, Chip, Name } from '../../ui/parts.tsx'
import { EmptyState, LoadedCard } from '../../ui/states.tsx'
import { TableHead } from '../../ui/table-head.tsx'

const EVERY_MS = 30_000
const PAGE_SIZE = 50

/** Stats that the rules did not accept, of all players. */
export function RefusedValues({ route }: { route: Route }) {
  const cursors = useCursors<string>()
  const answer = useCall(
    'listSignals',
    { params: route.params, query: { limit: PAGE_SIZE, ...cursors.query } },
    { everyMs: EVERY_MS, keepsPrevious: true },
  )
  return (
    <LoadedCard
      class="table-card"
      answer={answer}
      lines={6}
      foot={<ListFoot cursors={cursors} next={answer.data?.nextCursor} note="Newest first" />}
    >
      {({ signals }) =>
        signals.length === 0 ? (
          <EmptyState icon={DoneIcon} title="No rejected values">
            A value that breaks a rule of <code>integrity.stats</code>, or is larger than{' '}
            <code>maxPerSubmit</code>, is not stored and appears here.
          </EmptyState>
        ) : (
          <table class="table">
            <TableHead columns={['Player', 'Value', 'Reason', ['When', 'num']]} />
            <tbody>
              {signals.map(({ id, at, key, value, reason, player }) => (
                <tr key={id}>
                  <td>
                    <a class="link" href={route.href('players', player.id)}>
                      <Name>{player.displayName}</Name>
                    </a>
                  </td>
                  <td>
                    <code>{key}</code> <span class="tabular">{String(value)}</span>
                  </td>
                  <td>
                    <Chip tone="warn">{reason.replaceAll('_', ' ')}</Chip>
                  </td>
                  <td class="num soft">
                    <Ago iso={at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )
      }
    </LoadedCard>
  )
}
