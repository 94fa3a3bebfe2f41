import type { RoomRecording } from '@svc/contract/realtime/code-rooms'
import { useMemo } from 'preact/hooks'

import { counted, number } from '../../../format.ts'
import { Button } from '../../../ui/button.tsx'
import {
  FirstIcon,
  LastIcon,
  NextEventIcon,
  NextIcon,
  PreviousEventIcon,
  PreviousIcon,
} from '../../../ui/icons.ts'
import { activityOf, nextNotable } from './recording.ts'

/** As many bars as are still visible on a phone. */
const GROUPS_MAX = 180

type Props = { recording: RoomRecording; count: number; go: (count: number) => void }

/** The turns over time, a slider over them, and buttons that go step by step. */
export function Transport({ recording, count, go }: Props) {
  const last = recording.turns.length
  return (
    <section class="card transport" aria-label="Turns">
      <Activity recording={recording} count={count} go={go} />
      <input
        type="range"
        class="range"
        min={0}
        max={last}
        value={count}
        aria-label="Turn"
        aria-valuetext={count === 0 ? 'before the first turn' : `turn ${count} of ${last}`}
        onInput={(event) => go(Number(event.currentTarget.value))}
      />
      <div class="row wrap transport-buttons">
        <Button
          small
          kind="quiet"
          icon={FirstIcon}
          label="First"
          disabled={count === 0}
          onClick={() => go(0)}
        />
        <Button
          small
          kind="quiet"
          icon={PreviousEventIcon}
          label="Previous event (Shift + ←)"
          disabled={count === 0}
          onClick={() => go(nextNotable(recording, count, -1))}
        />
        <Button
          small
          kind="quiet"
          icon={PreviousIcon}
          label="Previous turn (←)"
          disabled={count === 0}
          onClick={() => go(count - 1)}
        />
        <span class="small soft tabular transport-place">
          {number(count)} of {number(last)}
        </span>
        <Button
          small
          kind="quiet"
          icon={NextIcon}
          label="Next turn (→)"
          disabled={count === last}
          onClick={() => go(count + 1)}
        />
        <Button
          small
          kind="quiet"
          icon={NextEventIcon}
          label="Next event (Shift + →)"
          disabled={count === last}
          onClick={() => go(nextNotable(recording, count, 1))}
        />
        <Button
          small
          kind="quiet"
          icon={LastIcon}
          label="Last"
          disabled={count === last}
          onClick={() => go(last)}
        />
      </div>
    </section>
  )
}

/** Events per turn as bars; a mark where the code threw. A click goes there; the slider does the same by keyboard. */
function Activity({ recording, count, go }: Props) {
  const { groups, turnsPerGroup } = useMemo(() => activityOf(recording, GROUPS_MAX), [recording])
  const most = Math.max(1, ...groups.map(({ events }) => events))
  const events = groups.reduce((sum, group) => sum + group.events, 0)
  const errors = groups.reduce((sum, group) => sum + group.errors, 0)
  const width = groups.length
  const words = `${counted(events, 'event', 'events')}, ${counted(errors, 'error', 'errors')}`
  return (
    <div class="activity">
      <p class="tiny faint">
        {words} in {counted(recording.turns.length, 'turn', 'turns')}
      </p>
      <svg
        role="img"
        aria-label={`Events per turn: ${words}`}
        viewBox={`0 0 ${width} 40`}
        preserveAspectRatio="none"
        onClick={(event) => {
          const { left, width: pixels } = event.currentTarget.getBoundingClientRect()
          const group = Math.floor(((event.clientX - left) / pixels) * width)
          go(Math.min(group * turnsPerGroup + 1, recording.turns.length))
        }}
      >
        <line class="activity-zero" x1={0} x2={width} y1={39.5} y2={39.5} />
        {groups.map((group, at) => (
          <>
            {group.events > 0 && (
              <rect
                key={`events ${at}`}
                class="activity-bar"
                x={at + 0.1}
                width={0.8}
                y={39 - (group.events / most) * 33}
                height={(group.events / most) * 33}
              />
            )}
            {group.errors > 0 && (
              <rect key={`errors ${at}`} class="activity-error" x={at} width={1} y={0} height={4} />
            )}
          </>
        ))}
        <rect
          class="activity-now"
          x={Math.max(0, (count - 1) / turnsPerGroup)}
          width={Math.max(width / 400, 1 / turnsPerGroup)}
          y={0}
          height={40}
        />
      </svg>
    </div>
  )
}
