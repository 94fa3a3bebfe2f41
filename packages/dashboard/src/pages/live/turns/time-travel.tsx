import type { RoomRecording } from '@svc/contract/realtime/code-rooms'
import { useEffect, useMemo, useState } from 'preact/hooks'

import { asSvcError, call, type SvcError } from '../../../developer.ts'
import { clockTime, counted, number } from '../../../format.ts'
import { isAllowed } from '../../../roles.ts'
import type { Route } from '../../../route.ts'
import { Allowed } from '../../../ui/allowed.tsx'
import { Button, LinkButton } from '../../../ui/button.tsx'
import { DownloadIcon, HistoryIcon, LiveIcon, RefreshIcon } from '../../../ui/icons.ts'
import { isShortcut } from '../../../ui/keys.ts'
import { Page } from '../../../ui/page.tsx'
import { Card, Chip } from '../../../ui/parts.tsx'
import { EmptyState, ErrorNotice, Skeleton } from '../../../ui/states.tsx'
import { changesIn, momentAfter, namesIn, nextNotable } from './recording.ts'
import { SaveAsTest } from './save-as-test.tsx'
import { Transport } from './transport.tsx'
import { TurnEvents } from './turn-events.tsx'
import { TurnState } from './turn-state.tsx'

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
  /** How many turns have happened; 0 is before the first. */
  const [count, setCount] = useState(turns.length)
  useEffect(() => setCount(turns.length), [recording])
  const go = (to: number) => setCount(Math.min(Math.max(to, 0), turns.length))
  const names = useMemo(() => namesIn(recording), [recording])
  const before = useMemo(() => momentAfter(recording, Math.max(0, count - 1)), [recording, count])
  const after = useMemo(() => momentAfter(recording, count), [recording, count])
  const turn = turns[count - 1]
  const changes = turn ? changesIn(before, turn) : { state: [], own: {} }

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
      if (step === undefined || !isShortcut(event)) return
      event.preventDefault()
      setCount((at) => Math.min(Math.max(event.shiftKey ? jump(at, step) : at + step, 0), turns.length))
    }
    const jump = (at: number, step: number) => nextNotable(recording, at, step < 0 ? -1 : 1)
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [recording])

  return (
    <>
      <Transport recording={recording} count={count} go={go} />
      <p class="turn-now" aria-live="polite">
        {turn ? (
          <>
            <strong class="tabular">
              {turn.turn < 0 ? 'After an await' : `Turn ${number(turn.turn)}`}, tick {number(turn.tick)}
            </strong>
            <span class="soft tabular">
              {clockTime(turn.at)}
              {`.${String(turn.at % 1_000).padStart(3, '0')}`}
            </span>
            <span class="faint">
              {counted(changes.state.length + Object.values(changes.own).flat().length, 'change', 'changes')}
            </span>
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
