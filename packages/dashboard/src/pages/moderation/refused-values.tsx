import { ago } from '../../format.ts'
import { useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { DoneIcon } from '../../ui/icons.ts'
import { ListFoot, useCursors } from '../../ui/list-foot.tsx'
import { Chip, Name, Time } from '../../ui/parts.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import { TableHead } from '../../ui/table-head.tsx'

const EVERY_MS = 30_000
const PAGE_SIZE = 50

/** Stats that the rules did not accept, of all players. */
export function RefusedValues({ route }: { route: Route }) {
  const cursors = useCursors<string>()
  const cursor = cursors.current
  const answer = useCall(
    'listSignals',
    { params: route.params, query: { limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) } },
    { everyMs: EVERY_MS, keepsPrevious: true },
  )
  return (
    <section class="card table-card">
      <div class="card-part">
        <Loaded answer={answer} lines={6}>
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
                        <Time iso={at}>{ago(at)}</Time>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )
          }
        </Loaded>
      </div>
      <ListFoot cursors={cursors} next={answer.data?.nextCursor} note="Newest first" />
    </section>
  )
}
