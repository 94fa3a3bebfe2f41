import type { RequestEntry } from '@svc/contract/requests'
import { useState } from 'preact/hooks'

import type { ResponseOf } from '../../developer.ts'
import { clockTime, number } from '../../format.ts'
import { useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { LogsIcon } from '../../ui/icons.ts'
import { ListFoot, useCursors } from '../../ui/list-foot.tsx'
import { LiveState } from '../../ui/live-dot.tsx'
import { Page } from '../../ui/page.tsx'
import { Chip, Figure, Name, Segments, Snippet, Time } from '../../ui/parts.tsx'
import { SearchInput } from '../../ui/search-input.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import { TableHead } from '../../ui/table-head.tsx'

const EVERY_MS = 2_000
const SERIES_EVERY_MS = 15_000
const PAGE_SIZE = 50
const MINUTES = 60
const STATUSES = [
  { id: 'all', title: 'All' },
  { id: '2xx', title: 'Successful' },
  { id: '4xx', title: 'Rejected' },
  { id: '5xx', title: 'Failed' },
] as const

const milliseconds = (value: number) => `${number(Math.round(value * 10) / 10)} ms`

/** The last requests with a key of this environment: by route pattern, without bodies. */
export default function Logs({ route }: { route: Route }) {
  const status = STATUSES.find(({ id }) => id === route.query['status'])?.id ?? 'all'
  const search = route.query['q'] ?? ''
  const [isPaused, setPaused] = useState(false)
  const cursors = useCursors<string>()
  const answer = useCall(
    'listRequests',
    {
      params: route.params,
      query: {
        limit: PAGE_SIZE,
        ...(status !== 'all' && { status }),
        ...filterOf(search),
        ...cursors.query,
      },
    },
    { keepsPrevious: true, ...(!isPaused && cursors.isFirst && { everyMs: EVERY_MS }) },
  )
  const series = useCall(
    'readRequestSeries',
    { params: route.params, query: { minutes: MINUTES } },
    { everyMs: SERIES_EVERY_MS },
  )
  const go = (query: { status?: string | undefined; q?: string }) => {
    cursors.reset()
    route.go(
      'logs',
      '',
      { status: status === 'all' ? undefined : status, q: search, ...query },
      { replace: true },
    )
  }
  return (
    <Page
      title="Logs"
      beside={
        <LiveState isOff={answer.error !== null || isPaused || !cursors.isFirst}>
          {isPaused ? 'Paused while hovering' : cursors.isFirst ? 'Every 2 s' : 'Older requests'}
        </LiveState>
      }
      side={
        <>
          <Segments
            label="Requests by status"
            items={STATUSES}
            chosen={status}
            choose={(id) => go({ status: id === 'all' ? undefined : id })}
          />
          <SearchInput
            value={search}
            label="Filter by route, player or key"
            placeholder="Route, ply_… or key_…"
            onChange={(text) => go({ q: text })}
          />
        </>
      }
    >
      <LastHour minutes={series.data?.minutes ?? []} />
      <section
        class="card table-card"
        onPointerEnter={() => setPaused(true)}
        onPointerLeave={() => setPaused(false)}
      >
        <div class="card-part">
          <Loaded answer={answer} lines={10}>
            {({ requests }) =>
              requests.length > 0 ? (
                <RequestsTable requests={requests} route={route} />
              ) : (
                <EmptyState icon={LogsIcon} title="No requests">
                  <p>Recent requests are kept in memory. Send one with this command:</p>
                  <Snippet
                    label="A request"
                    code={`curl ${location.origin}/v1/auth/guest -H 'X-Svc-Key: pk_…' -H 'Content-Type: application/json' -d '{}'`}
                  />
                </EmptyState>
              )
            }
          </Loaded>
        </div>
        <ListFoot cursors={cursors} next={answer.data?.nextCursor} note="Newest first, kept in memory" />
      </section>
    </Page>
  )
}

/** One field for what people copy: an id of a player or a key, or a route. */
function filterOf(search: string): { playerId?: string; keyId?: string; route?: string } {
  if (search === '') return {}
  if (search.startsWith('ply_')) return { playerId: search }
  if (search.startsWith('key_')) return { keyId: search }
  return { route: search }
}

type Minutes = ResponseOf<'readRequestSeries'>['minutes']

/** In one line above the log, also before the first answer: the log does not move when it comes. */
function LastHour({ minutes }: { minutes: Minutes }) {
  const count = (values: number[]) => number(values.reduce((sum, value) => sum + value, 0))
  const latest = minutes.findLast(({ p50Ms }) => p50Ms !== null)
  const line = (values: number[]) => <Sparkline values={values} length={MINUTES} />
  const [requests, refused, failed] = [
    minutes.map((minute) => minute.requests),
    minutes.map((minute) => minute.refused),
    minutes.map((minute) => minute.failed),
  ]
  return (
    <dl class="figures last-hour card" aria-label="The last hour">
      <Figure title="Requests in the last hour">
        {count(requests)}
        {line(requests)}
      </Figure>
      <Figure title="Rejected">
        {count(refused)}
        {line(refused)}
      </Figure>
      <Figure title="Failed">
        {count(failed)}
        {line(failed)}
      </Figure>
      <Figure title="Median time">
        {latest ? milliseconds(latest.p50Ms ?? 0) : '–'}
        {latest && <span class="faint"> 95 % below {milliseconds(latest.p95Ms ?? 0)}</span>}
      </Figure>
    </dl>
  )
}

const toneOf = (status: number) => (status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good')

const RequestsTable = ({ requests, route }: { requests: readonly RequestEntry[]; route: Route }) => (
  <table class="table logs">
    <TableHead
      columns={[
        ['Status', 'col-status'],
        'Request',
        ['Player', 'col-signin'],
        ['Duration', 'num col-short'],
        ['At', 'num col-short col-joined'],
      ]}
    />
    <tbody>
      {requests.map(({ id, at, method, route: pattern, status, code, ms, playerId, playerName }) => (
        <tr key={id}>
          <td>
            <Chip tone={toneOf(status)}>{status}</Chip>
          </td>
          <td>
            <span class="stack tight">
              <code class="cut">
                {method} {pattern}
              </code>
              <span class="tiny faint cut">
                {code && <span class="is-warn">{code} </span>}
                <code>{id}</code>
              </span>
            </span>
          </td>
          <td class="col-signin">
            {playerId && (
              <a class="link" href={route.href('players', playerId)} title={playerId}>
                <Name>{playerName}</Name>
              </a>
            )}
          </td>
          <td class="num tabular soft">{milliseconds(ms)}</td>
          <td class="num tabular faint col-joined">
            <Time iso={at}>{clockTime(Date.parse(at))}</Time>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)
