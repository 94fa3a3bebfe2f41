import type { RoomRecording } from '@svc/contract/realtime/code-rooms'

import { number } from '../../../format.ts'
import { Button } from '../../../ui/button.tsx'
import {
  FirstIcon,
  type IconType,
  LastIcon,
  NextEventIcon,
  NextIcon,
  PauseIcon,
  PlayIcon,
  PreviousEventIcon,
  PreviousIcon,
} from '../../../ui/icons.ts'
import { SearchInput } from '../../../ui/search-input.tsx'
import type { Playback } from './playback.ts'
import { type Activity, nextStop, type Stops } from './stops.ts'
import { Timeline } from './timeline.tsx'

type Props = {
  recording: RoomRecording
  activities: readonly Activity[]
  stops: Stops
  find: string
  setFind: (text: string) => void
  playback: Playback
}

/** The turns over time, a slider over them, and buttons that go step by step, from stop to stop, or play. */
export function Transport({ recording, activities, stops, find, setFind, playback }: Props) {
  const { count, go, isPlaying, toggle } = playback
  const last = recording.turns.length
  const step = (icon: IconType, label: string, to: number | undefined) => (
    <Button
      small
      kind="quiet"
      icon={icon}
      label={label}
      disabled={to === undefined || to === count || to < 0 || to > last}
      onClick={() => to !== undefined && go(to)}
    />
  )
  const [what, where] = find ? ['match', stops.indexOf(count) + 1] : ['event', 0]
  return (
    <section class="card transport" aria-label="Turns">
      <Timeline activities={activities} stops={stops} isFinding={find !== ''} count={count} go={go} />
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
        <div class="row transport-find">
          <SearchInput
            value={find}
            label="Find turns"
            placeholder="Player, message, key, error"
            onChange={setFind}
          />
          {find && (
            <span class="tiny faint tabular" role="status">
              {where > 0 ? `${number(where)} of ${number(stops.length)}` : `${number(stops.length)} found`}
            </span>
          )}
        </div>
        {step(FirstIcon, 'Before the first turn (Home)', 0)}
        {step(PreviousEventIcon, `Previous ${what} (Shift + ←)`, nextStop(stops, count, -1))}
        {step(PreviousIcon, 'Previous turn (←)', count - 1)}
        <Button
          small
          kind="quiet"
          icon={isPlaying ? PauseIcon : PlayIcon}
          label={isPlaying ? 'Pause (Space)' : 'Play (Space)'}
          onClick={toggle}
        />
        {step(NextIcon, 'Next turn (→)', count + 1)}
        {step(NextEventIcon, `Next ${what} (Shift + →)`, nextStop(stops, count, 1))}
        {step(LastIcon, 'Last turn (End)', last)}
        <span class="small soft tabular transport-place">
          {number(count)} of {number(last)}
        </span>
      </div>
    </section>
  )
}
