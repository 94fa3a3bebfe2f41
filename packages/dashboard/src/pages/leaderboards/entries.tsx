import type { AdminEntry, Period } from '@svc/contract/leaderboards'

import { call } from '../../developer.ts'
import { number } from '../../format.ts'
import { useCall } from '../../queries.ts'
import { isAllowed } from '../../roles.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { HiddenIcon, LeaderboardsIcon, TrashIcon, UndoIcon } from '../../ui/icons.ts'
import { ListFoot, useCursors } from '../../ui/list-foot.tsx'
import { notifyError } from '../../ui/messages.tsx'
import { Ago, Chip, Name } from '../../ui/parts.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import { ACTIONS, TableHead } from '../../ui/table-head.tsx'

const EVERY_MS = 10_000
const PAGE_SIZE = 50

type Props = {
  route: Route
  board: string
  period: Period
  /** A closed period. */
  at: string | undefined
  remove: (entry: AdminEntry) => void
  changed: (text: string) => void
}

/** The entries of a leaderboard, and the players who are not shown to others. */
export function Entries({ route, board, period, at, remove, changed }: Props) {
  const cursors = useCursors<string>()
  const answer = useCall(
    'readLeaderboardAsAdmin',
    {
      params: { ...route.params, key: board },
      query: {
        limit: PAGE_SIZE,
        ...(at === undefined ? { period } : { at }),
        ...cursors.query,
      },
    },
    { everyMs: EVERY_MS, keepsPrevious: true },
  )
  const setHidden = useAction(async ({ playerId }: AdminEntry, hidden: boolean) => {
    await call('hideLeaderboardEntry', {
      params: { ...route.params, key: board, playerId },
      body: { hidden },
    })
    changed(hidden ? 'Player hidden.' : 'The player will reappear with their next score.')
  }, notifyError)
  const table = (entries: readonly AdminEntry[]) => (
    <table class="table">
      <TableHead
        columns={[['Rank', 'num col-rank'], 'Player', ['Value', 'num'], ['Set on', 'col-joined'], ACTIONS]}
      />
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.playerId}>
            <td class="num tabular">{entry.rank === null ? '–' : number(entry.rank)}</td>
            <td>
              <span class="row">
                <a class="link" href={route.href('players', entry.playerId)}>
                  <Name>{entry.displayName ?? '(deleted)'}</Name>
                </a>
                {entry.hidden && <Chip tone="warn">Hidden</Chip>}
                {entry.banned && <Chip tone="bad">Banned</Chip>}
                {entry.optedOut && <Chip>Opted out</Chip>}
              </span>
            </td>
            <td class="num tabular">{number(entry.value)}</td>
            <td class="soft col-joined">
              <Ago iso={entry.reachedAt} />
            </td>
            <td class="num">
              <span class="row end">
                {isAllowed('hideLeaderboardEntry', route) && (
                  <Button
                    small
                    kind="quiet"
                    icon={entry.hidden ? UndoIcon : HiddenIcon}
                    label={`${entry.hidden ? 'Show' : 'Hide'} ${entry.displayName ?? entry.playerId}${inProduction(route)}`}
                    onClick={() => setHidden.run(entry, !entry.hidden)}
                  />
                )}
                {isAllowed('removeLeaderboardEntry', route) && (
                  <Button
                    small
                    kind="quiet"
                    icon={TrashIcon}
                    label={`Remove ${entry.displayName ?? entry.playerId}${inProduction(route)}`}
                    onClick={() => remove(entry)}
                  />
                )}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
  return (
    <Loaded answer={answer} lines={8} inCard>
      {({ entries, notShown, nextCursor }) => (
        <>
          <section class="card table-card">
            <div class="card-part">
              {entries.length === 0 ? (
                <EmptyState icon={LeaderboardsIcon} title="No entries yet">
                  Entries appear when players report values.
                </EmptyState>
              ) : (
                table(entries)
              )}
            </div>
            <ListFoot cursors={cursors} next={nextCursor} note={`${PAGE_SIZE} entries per page`} />
          </section>
          {notShown.length > 0 && (
            <section class="card table-card">
              <header class="card-head">
                <h2>Hidden from players</h2>
              </header>
              <div class="card-part">{table(notShown)}</div>
            </section>
          )}
        </>
      )}
    </Loaded>
  )
}
