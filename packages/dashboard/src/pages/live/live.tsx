import { useSignal } from '@preact/signals'
import type { LiveRoom } from '@svc/contract/realtime/rooms'
import { useEffect, useState } from 'preact/hooks'

import type { ResponseOf } from '../../developer.ts'
import { counted, number, perSecond } from '../../format.ts'
import { lazy } from '../../lazy.tsx'
import { useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { LinkButton } from '../../ui/button.tsx'
import { LiveIcon, PlaygroundIcon } from '../../ui/icons.ts'
import { LiveState } from '../../ui/live-dot.tsx'
import { Page } from '../../ui/page.tsx'
import { Chip, Figure, Segments, Snippet } from '../../ui/parts.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import { RoomPanel } from './room-panel.tsx'
import { RoomTiles } from './room-tiles.tsx'

const EVERY_MS = 2_000
/** Three minutes. */
const SAMPLES_MAX = 90
const DENSE_FROM = 150
const CHANNELS_SHOWN_MAX = 50

type View = ResponseOf<'readLiveView'>

const TimeTravel = lazy(() => import('./turns/time-travel.tsx'))

/** Who is connected now; or the last turns of one room. */
export default function Live({ route }: { route: Route }) {
  return route.id && route.query['view'] === 'turns' ? (
    <TimeTravel key={route.id} route={route} />
  ) : (
    <LiveView route={route} />
  )
}

/** Rooms by mode, queues and channels. */
function LiveView({ route }: { route: Route }) {
  const answer = useCall('readLiveView', { params: route.params }, { everyMs: EVERY_MS })
  const samples = useSignal<number[]>([])
  useEffect(() => {
    if (answer.data) samples.value = [...samples.value, answer.data.connections].slice(-SAMPLES_MAX)
  }, [answer.at])
  const [chosenSize, setSize] = useState<'rooms' | 'dense' | null>(null)
  const rooms = answer.data?.rooms ?? []
  const size = chosenSize ?? (rooms.length >= DENSE_FROM ? 'dense' : 'rooms')
  return (
    <Page
      title="Live"
      class={route.id ? 'wide live with-panel' : 'wide live'}
      beside={
        <LiveState isOff={answer.error !== null}>
          {answer.error ? 'Not responding, retrying' : 'Every 2 s'}
        </LiveState>
      }
      side={
        rooms.length > 0 && (
          <Segments
            label="Tile size"
            items={[
              { id: 'rooms', title: 'Rooms' },
              { id: 'dense', title: 'Compact' },
            ]}
            chosen={size}
            choose={setSize}
          />
        )
      }
    >
      <Loaded answer={answer} lines={8} inCard>
        {(view) => (
          <>
            {!isEmpty(view) && <Figures view={view} samples={samples.value} />}
            {view.rooms.length === 0 && view.channels.length === 0 && <NobodyConnected route={route} />}
            {groupByMode(view).map(({ mode, rooms: ofMode, waiting }) => (
              <RoomTiles
                key={mode}
                mode={mode}
                rooms={ofMode}
                waiting={waiting}
                isDense={size === 'dense'}
                chosenId={route.id}
                open={(id) => route.go('live', id, {}, { replace: Boolean(route.id) })}
              />
            ))}
            {view.channels.length > 0 && <Channels channels={view.channels} />}
            {view.rooms.length > 0 && <Legend />}
            {route.id && (
              <RoomPanel
                route={route}
                room={view.rooms.find(({ id }) => id === route.id)}
                onClose={() => route.go('live', '', {}, { replace: true })}
              />
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Figures({ view, samples }: { view: View; samples: readonly number[] }) {
  const seats = sum(view.rooms.map(({ maxPlayers }) => maxPlayers))
  const taken = sum(view.rooms.map(({ players }) => players.length))
  return (
    <dl class="figures card">
      <Figure title="Connected">
        {number(view.connections)}
        <Sparkline values={samples} length={SAMPLES_MAX} />
      </Figure>
      <Figure title="Rooms">{number(view.rooms.length)}</Figure>
      <Figure title="Players in rooms">
        {number(taken)}
        <span class="faint"> of {number(seats)}</span>
      </Figure>
      <Figure title="Waiting">{number(sum(view.queues.map(({ waiting }) => waiting)))}</Figure>
      <Figure title="In channels">{number(sum(view.channels.map(({ members }) => members)))}</Figure>
      <Figure title="Messages">
        {perSecond(sum([...view.rooms, ...view.channels].map((one) => one.messagesPerSecond)))}
        <span class="faint">/s</span>
      </Figure>
    </dl>
  )
}

/** Six zeros say nothing. */
const isEmpty = ({ connections, rooms, queues, channels }: View) =>
  connections + rooms.length + queues.length + channels.length === 0

function NobodyConnected({ route }: { route: Route }) {
  const features = useCall('listFeatures', { params: route.params })
  const config = useCall('readConfig', { params: route.params })
  const mode = config.data?.config.multiplayer?.modes?.[0]?.key ?? 'default'
  const isOff =
    features.data?.features.some(
      ({ key, enabled }) => enabled && (key === 'multiplayer' || key === 'realtimeChannels'),
    ) === false
  return (
    <div class="card">
      {isOff ? (
        <EmptyState
          icon={LiveIcon}
          title="Rooms and channels are off"
          action={
            <LinkButton kind="main" href={route.href('config', '', { path: '$.features.multiplayer' })}>
              Open Config
            </LinkButton>
          }
        >
          Set <code>features.multiplayer</code> or <code>features.realtimeChannels</code> to <code>true</code>
          .
        </EmptyState>
      ) : (
        <EmptyState
          icon={LiveIcon}
          title="Nobody is playing"
          action={
            route.env === 'development' && (
              <LinkButton
                kind="main"
                icon={PlaygroundIcon}
                href={route.href('playground', '', { players: '2' })}
              >
                Play with two players
              </LinkButton>
            )
          }
        >
          <p>Players, rooms and channels appear here as soon as somebody connects.</p>
          <Snippet label="A room" code={`const room = await svc.rooms.quickMatch('${mode}')`} />
        </EmptyState>
      )}
    </div>
  )
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** Oldest room first: a tile keeps its place while others are added. */
function groupByMode({ rooms, queues }: View) {
  const modes = new Map<string, LiveRoom[]>()
  for (const room of rooms) modes.set(room.mode, [...(modes.get(room.mode) ?? []), room])
  for (const { mode, waiting } of queues) if (waiting > 0 && !modes.has(mode)) modes.set(mode, [])
  return [...modes]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([mode, list]) => ({
      mode,
      rooms: list.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      // One queue per pool.
      waiting: sum(queues.flatMap((queue) => (queue.mode === mode ? queue.waiting : []))),
    }))
}

function Channels({ channels }: { channels: View['channels'] }) {
  const most = Math.max(...channels.map(({ members }) => members), 1)
  return (
    <section class="mode" aria-label="Channels">
      <header class="mode-head">
        <h2>Channels</h2>
        <span class="small soft tabular">{number(channels.length)}</span>
      </header>
      <ul class="channels card">
        {channels.slice(0, CHANNELS_SHOWN_MAX).map(({ channel, members, voice, messagesPerSecond, node }) => (
          <li key={channel} title={`Node ${node}`}>
            <code class="cut">
              <bdi>{channel}</bdi>
            </code>
            {voice && <Chip tone="accent">Voice</Chip>}
            <span class="tiny faint tabular">{perSecond(messagesPerSecond)}/s</span>
            <span class="occupancy" aria-hidden="true">
              <span style={{ width: `${(members / most) * 100}%` }} />
            </span>
            <span class="tabular small num" title={counted(members, 'member', 'members')}>
              {number(members)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const Legend = () => (
  <p class="legend tiny faint">
    <span>
      <span class="seat is-host" /> host
    </span>
    <span>
      <span class="seat" /> player
    </span>
    <span>
      <span class="seat is-away" /> disconnected, seat reserved for 30 s
    </span>
    <span>
      <span class="seat is-free" /> free seat
    </span>
  </p>
)
