import { useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { DayBars } from '../../ui/day-bars.tsx'
import { DoneIcon } from '../../ui/icons.ts'
import { ListFoot, useCursors } from '../../ui/list-foot.tsx'
import { Ago, Avatar, Card, Name } from '../../ui/parts.tsx'
import { EmptyState, Loaded, LoadedCard } from '../../ui/states.tsx'
import { TableHead } from '../../ui/table-head.tsx'

const EVERY_MS = 30_000
const PAGE_SIZE = 50
const DAYS = 14

/** Players who are banned now, and the bans of two weeks. */
export function Bans({ route }: { route: Route }) {
  const cursors = useCursors<string>()
  const answer = useCall(
    'searchPlayers',
    {
      params: route.params,
      query: { banned: true, limit: PAGE_SIZE, ...cursors.query },
    },
    { everyMs: EVERY_MS, keepsPrevious: true },
  )
  const activity = useCall('readActivity', { params: route.params, query: { days: DAYS } })
  return (
    <>
      <Card title="Bans per day" class="chart-card">
        <Loaded answer={activity} lines={6}>
          {({ days }) => (
            <DayBars
              days={days.map(({ date, bans }) => ({ date, count: bans }))}
              unit="bans"
              about="Bans per day (UTC)"
            />
          )}
        </Loaded>
      </Card>
      <LoadedCard
        class="table-card"
        answer={answer}
        lines={6}
        foot={<ListFoot cursors={cursors} next={answer.data?.nextCursor} note="Newest players first" />}
      >
        {({ players, nextCursor }) =>
          players.length === 0 ? (
            <EmptyState icon={DoneIcon} title={nextCursor ? 'None on this page' : 'No banned players'}>
              Ban players from their profile.
            </EmptyState>
          ) : (
            <table class="table">
              <TableHead columns={['Player', ['Last seen', 'num']]} />
              <tbody>
                {players.map(({ id, displayName, lastSeenAt }) => (
                  <tr key={id}>
                    <td>
                      <a class="row" href={route.href('players', id)}>
                        <Avatar name={displayName} id={id} />
                        <span class="grow stack tight">
                          <Name>{displayName}</Name>
                          <code class="tiny faint cut">{id}</code>
                        </span>
                      </a>
                    </td>
                    <td class="num soft">
                      <Ago iso={lastSeenAt} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </LoadedCard>
    </>
  )
}
