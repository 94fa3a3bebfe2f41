import type { RoomRecording } from '@svc/contract/realtime/code-rooms'
import { useEffect, useMemo, useState } from 'preact/hooks'

import { asSvcError, call, type SvcError } from '../../../developer.ts'
import { clockTime, counted, number } from '../../../format.ts'
import { isAllowed } from '../../../roles.ts'
import type { Route } from '../../../route.ts'
import { Allowed } from '../../../ui/allowed.tsx'
import { Button, LinkButton } from '../../../ui/button.tsx'
import { DownloadIcon, HistoryIcon, LiveIcon, LogsIcon, RefreshIcon } from '../../../ui/icons.ts'
import { Page } from '../../../ui/page.tsx'
import { Card, Chip } from '../../../ui/parts.tsx'
import { EmptyState, ErrorNotice, Skeleton } from '../../../ui/states.tsx'
import { usePlayback } from './playback.ts'
import { changesFrom, createMoments } from './recording.ts'
import { SaveAsTest } from './save-as-test.tsx'
import { activityIn, createFind, markedTurns, nextStop } from './stops.ts'
import { Transport } from './transport.tsx'
import { TurnEvents } from './turn-events.tsx'
import { TurnState } from './turn-state.tsx'
import { allChanges, namesIn } from './turn-words.ts'

/** The last turns of a room with code, one by one: what came in, what changed, and the state afterwards. */
export default function TimeTravel({ route }: { route: Route }) {
  if (route.env === 'production')
    return (
      <Page title="Time travel">
        <EmptyState inCard icon={HistoryIcon} title="Only in development">
          Turns of real players are not recorded.
        </EmptyState>
      </Page>
    )
  if (!isAllowed('readRoomTurns', route))
    return (
      <Page title="Time travel">
        <Allowed route={route} call="readRoomTurns" to="see the turns of rooms" />
      </Page>
    )
  return <RecordedTurns route={route} />
}

function RecordedTurns({ route }: { route: Route }) {
  const { recording, error, load, isLoading } = useRecording(route)
  const [isSaving, setSaving] = useState(false)
  return (
    <Page
      title="Time travel"
      class="wide time-travel"
      beside={
        recording && (
          <>
            <code class="small">{recording.className}</code>
            <Chip>v{number(recording.version)}</Chip>
          </>
        )
      }
      side={
        <>
          <LinkButton icon={LiveIcon} href={route.href('live', route.id)}>
            Live
          </LinkButton>
          {isAllowed('readFunctionLogs', route) && (
            <LinkButton icon={LogsIcon} href={route.href('functions', '', { q: route.id })}>
              Log
            </LinkButton>
          )}
          <Button icon={RefreshIcon} busy={isLoading} onClick={load}>
            Newest turns
          </Button>
          <Button
            kind="main"
            icon={DownloadIcon}
            disabled={!recording || recording.turns.length === 0}
            onClick={() => setSaving(true)}
          >
            Save as test
          </Button>
        </>
      }
    >
      {error && <ErrorNotice error={error} again={load} />}
      {!recording && !error && (
        <Card>
          <Skeleton lines={8} />
        </Card>
      )}
      {recording && recording.turns.length === 0 && (
        <EmptyState inCard icon={HistoryIcon} title="No turns yet">
          The room has not run in the last minute. Turns appear when something happens in it.
        </EmptyState>
      )}
      {recording && recording.turns.length > 0 && <Turns recording={recording} />}
      {recording && isSaving && <SaveAsTest recording={recording} onClose={() => setSaving(false)} />}
    </Page>
  )
}

/** Loaded once: a recording that changes under the slider could not be read. */
function useRecording({ params, id }: Route) {
  const [recording, setRecording] = useState<RoomRecording>()
  const [error, setError] = useState<SvcError>()
  const [isLoading, setLoading] = useState(false)
  const load = () => {
    setLoading(true)
    call('readRoomTurns', { params: { ...params, roomId: id } })
      .then(
        (loaded) => {
          setRecording(loaded)
          setError(undefined)
        },
        (failure: unknown) => setError(asSvcError(failure)),
      )
      .finally(() => setLoading(false))
  }
  useEffect(load, [id])
  return { recording, error, load, isLoading }
}

function Turns({ recording }: { recording: RoomRecording }) {
  const { turns } = recording
  const [find, setFind] = useState('')
  const names = useMemo(() => namesIn(recording), [recording])
  const activities = useMemo(() => turns.map(activityIn), [recording])
  const findTurns = useMemo(() => createFind(recording, names), [recording])
  const stops = useMemo(() => (find ? findTurns(find) : markedTurns(activities)), [recording, find])
  const playback = usePlayback(turns, stops)
  const { count, isPlaying, go } = playback
  useEffect(() => {
    if (find && !stops.includes(count)) go(nextStop(stops, count, -1) ?? nextStop(stops, count, 1) ?? count)
  }, [find])
  const momentAfter = useMemo(() => createMoments(recording), [recording])
  const after = momentAfter(count)
  const changes = changesFrom(momentAfter(Math.max(0, count - 1)), after)
  const turn = turns[count - 1]
  return (
    <>
      <Transport {...{ recording, activities, stops, find, setFind, playback }} />
      <p class="turn-now" aria-live={isPlaying ? 'off' : 'polite'}>
        {turn ? (
          <>
            <strong class="tabular">
              {turn.turn < 0 ? 'After an await' : `Turn ${number(turn.turn)}`}, tick {number(turn.tick)}
            </strong>
            <span class="soft tabular">
              {clockTime(turn.at)}
              {`.${String(turn.at % 1_000).padStart(3, '0')}`}
            </span>
            <span class="faint">{counted(allChanges(changes).length, 'change', 'changes')}</span>
          </>
        ) : (
          <strong>Before the first turn</strong>
        )}
      </p>
      <div class="time-travel-columns">
        <TurnState moment={after} changes={changes} names={names} />
        <TurnEvents turn={turn} changes={changes} names={names} />
      </div>
    </>
  )
}
