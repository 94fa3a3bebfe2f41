import type { PlayerSummary } from '@svc/contract/players'

import type { ResponseOf } from '../../developer.ts'
import { ago, number, onDate } from '../../format.ts'
import { today } from '../../platform.ts'
import { useCall } from '../../queries.ts'
import type { Query, Route } from '../../route.ts'
import { Button } from '../../ui/button.tsx'
import { BanIcon, PlayersIcon, SearchIcon } from '../../ui/icons.ts'
import { ListFoot, useCursors } from '../../ui/list-foot.tsx'
import { LiveDot } from '../../ui/live-dot.tsx'
import { Page } from '../../ui/page.tsx'
import { Avatar, Chip, Name, Segments, Snippet, Time } from '../../ui/parts.tsx'
import { SearchInput } from '../../ui/search-input.tsx'
import { EmptyState, LoadedCard } from '../../ui/states.tsx'
import { TableHead } from '../../ui/table-head.tsx'
import { PlayerPanel } from './player-panel.tsx'
import { PlayersCsv } from './players-csv.tsx'

const EVERY_MS = 20_000
const PAGE_SIZE = 25
const FILTERS = [
  { id: 'all', title: 'All' },
  { id: 'accounts', title: 'Accounts' },
  { id: 'guests', title: 'Guests' },
  { id: 'online', title: 'Online' },
  { id: 'banned', title: 'Banned' },
] as const
const SORTS = [
  { id: 'newest', title: 'Newest first' },
  { id: 'lastSeen', title: 'Last seen first' },
  { id: 'name', title: 'By name' },
] as const
const FILTER_QUERIES = {
  all: {},
  accounts: { guest: false },
  guests: { guest: true },
  online: { online: true },
  banned: { banned: true },
} as const
const titleOf = (sort: (typeof SORTS)[number]['id']) => SORTS.find(({ id }) => id === sort)?.title ?? ''

/** The players of an environment: search, filters, and a panel for one of them. */
export default function Players({ route }: { route: Route }) {
  const q = route.query['q'] ?? ''
  const filter = FILTERS.find(({ id }) => id === route.query['show'])?.id ?? 'all'
  const sort = SORTS.find(({ id }) => id === route.query['sort'])?.id ?? 'newest'
  const query = {
    q,
    show: filter === 'all' ? undefined : filter,
    sort: sort === 'newest' ? undefined : sort,
  }
  const cursors = useCursors<string>()
  const answer = useCall(
    'searchPlayers',
    {
      params: route.params,
      query: {
        q,
        limit: PAGE_SIZE,
        sort,
        play: true,
        ...FILTER_QUERIES[filter],
        ...cursors.query,
      },
    },
    { everyMs: EVERY_MS, keepsPrevious: true },
  )
  const overview = useCall('readOverview', { params: route.params })
  const change = (changed: Query) => {
    cursors.reset()
    route.go('players', route.id, { ...query, ...changed }, { replace: true })
  }
  const search = (text: string) => change({ q: text })
  return (
    <Page
      title="Players"
      class={route.id ? 'with-panel' : ''}
      beside={
        overview.data && <span class="soft tabular head-count">{number(overview.data.players.total)}</span>
      }
      side={
        <>
          <Segments
            label="Players"
            items={FILTERS}
            chosen={filter}
            choose={(id) => change({ show: id === 'all' ? undefined : id })}
          />
          <SearchInput
            value={q}
            label="Search by name, email or ID"
            placeholder="Search by name, email or ID"
            onChange={search}
          />
          {/* Moderators work with single players; they do not take all of them along (TEA-04). */}
          {route.project.role !== 'moderator' && (
            <PlayersCsv route={route} query={{ q, ...FILTER_QUERIES[filter] }} />
          )}
        </>
      }
    >
      <LoadedCard
        class="table-card"
        answer={answer}
        lines={12}
        foot={
          <ListFoot cursors={cursors} next={answer.data?.nextCursor} note={q ? 'By name' : titleOf(sort)} />
        }
      >
        {({ players }) =>
          players.length > 0 ? (
            <PlayersTable
              players={players}
              route={route}
              query={query}
              sort={q === '' ? sort : undefined}
              sortBy={(id) => change({ sort: id === 'newest' ? undefined : id })}
            />
          ) : q ? (
            <EmptyState
              icon={SearchIcon}
              title={
                <>
                  No player matches “<bdi>{q}</bdi>”
                </>
              }
              action={<Button onClick={() => search('')}>Clear search</Button>}
            >
              Names match from the start; emails and IDs must match exactly.
            </EmptyState>
          ) : filter === 'all' ? (
            <NoPlayers />
          ) : (
            <EmptyState icon={PlayersIcon} title={answer.data?.nextCursor ? 'None on this page' : 'None'} />
          )
        }
      </LoadedCard>
      {route.id && (
        <PlayerPanel
          route={route}
          playerId={route.id}
          onClose={() => route.go('players', '', query, { replace: true })}
        />
      )}
    </Page>
  )
}

type Listed = ResponseOf<'searchPlayers'>['players'][number]
type Sort = (typeof SORTS)[number]['id']
type Props = {
  players: readonly Listed[]
  route: Route
  query: Query
  /** Undefined for a search, which is always sorted by name. */
  sort: Sort | undefined
  sortBy: (sort: Sort) => void
}

function PlayersTable({ players, route, query, sort, sortBy }: Props) {
  const by = (id: Sort) =>
    sort !== undefined && {
      direction: id === 'name' ? ('ascending' as const) : ('descending' as const),
      isSorted: sort === id,
      sort: () => sortBy(id),
    }
  const stat = players[0]?.play?.stat?.key
  return (
    <table class="table players">
      <TableHead
        columns={[
          ['Player', '', by('name')],
          ['Now', 'col-now'],
          ...(stat === undefined ? [] : [[stat, 'num col-stat'] as const]),
          ['Joined', 'col-date col-joined', by('newest')],
          ['Last seen', 'col-date', by('lastSeen')],
        ]}
      />
      <tbody>
        {players.map((player) => (
          <tr key={player.id} class={player.id === route.id ? 'is-open' : ''}>
            <td>
              <a
                class="row-link row"
                title={player.id}
                href={route.href('players', player.id, query)}
                onClick={(event) => {
                  if (!route.id || event.metaKey || event.ctrlKey) return
                  // From player to player the panel stays: Back closes it.
                  event.preventDefault()
                  event.stopPropagation()
                  route.go('players', player.id, query, { replace: true })
                }}
              >
                <Avatar name={player.displayName} id={player.id} />
                <span class="grow stack tight">
                  <span class="cut strong">
                    <Name>{player.displayName}</Name>
                  </span>
                  <span class="cut tiny faint">
                    {player.email ?? (player.isGuest ? 'Guest' : 'External sign-in')}
                  </span>
                  {/* On a phone there is no column for it. */}
                  <span class="tiny soft seen">
                    Last seen <LastSeen player={player} />
                  </span>
                </span>
              </a>
            </td>
            <td class="col-now">
              <Now player={player} route={route} />
            </td>
            {stat !== undefined && (
              <td class="num tabular col-stat">
                {player.play?.stat?.value == null ? (
                  <span class="faint">–</span>
                ) : (
                  number(player.play.stat.value)
                )}
              </td>
            )}
            <td class="col-date col-joined soft">
              <Time iso={player.createdAt}>{onDate(player.createdAt)}</Time>
            </td>
            <td class="col-date soft">
              <LastSeen player={player} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** What to know first about a player: banned, in a room, online, or none of it. */
function Now({ player: { banned, play }, route }: { player: Listed; route: Route }) {
  if (banned)
    return (
      <Chip tone="bad" icon={BanIcon}>
        Banned
      </Chip>
    )
  if (play?.room)
    return (
      <a class="link now in-room" href={route.href('live', play.room.id)}>
        <LiveDot /> <span class="cut">In {play.room.mode}</span>
      </a>
    )
  if (play?.online)
    return (
      <span class="now">
        <LiveDot /> Online
      </span>
    )
  return <span class="faint">Offline</span>
}

const LastSeen = ({ player: { lastSeenAt: iso } }: { player: PlayerSummary }) =>
  iso ? (
    <Time iso={iso}>{iso.slice(0, 10) === today() ? 'today' : ago(iso)}</Time>
  ) : (
    <span class="faint">never</span>
  )

const NoPlayers = () => (
  <EmptyState icon={PlayersIcon} title="No players yet">
    <p>Create the first one, a guest, with this code:</p>
    <Snippet
      label="First player"
      code={`import { connect } from '/.svc/sdk.js'\n\nconst svc = await connect()`}
    />
  </EmptyState>
)
