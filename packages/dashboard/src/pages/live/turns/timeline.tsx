import { useMemo } from 'preact/hooks'

import { counted } from '../../../format.ts'
import { type Activity, type Group, groupsOf, type Stops, sumOf } from './stops.ts'

/** As many bars as are still visible on a phone. */
const GROUPS_MAX = 180
const HEIGHT = 40
/** The rows of marks at the top, and the bars below them. */
const [MARK, BARS] = [4, 28]

type Props = {
  activities: readonly Activity[]
  stops: Stops
  /** The bars show only what was found. */
  isFinding: boolean
  count: number
  go: (count: number) => void
}

/**
 * Messages over time as bars; marks where the code threw, and where somebody joined or left. A click goes there; the slider does the same by
 * keyboard.
 */
export function Timeline({ activities, stops, isFinding, count, go }: Props) {
  const { groups, turnsPerGroup } = useMemo(
    () => groupsOf(activities, stops, GROUPS_MAX),
    [activities, stops],
  )
  const total = useMemo(() => sumOf(activities), [activities])
  // They stay the same from turn to turn, so they are not compared again.
  const bars = useMemo(() => <Bars groups={groups} isFinding={isFinding} />, [groups, isFinding])
  const width = groups.length
  const words = {
    errors: counted(total.errors, 'error', 'errors'),
    others: counted(total.others, 'other event', 'other events'),
    messages: counted(total.messages, 'message', 'messages'),
  }
  return (
    <div class="timeline">
      <p class="legend tiny faint">
        <span>
          <span class="timeline-key is-error" /> {words.errors}
        </span>
        <span>
          <span class="timeline-key is-other" /> {words.others}: joins, leaves, the server
        </span>
        <span>
          <span class="timeline-key" /> {words.messages}
        </span>
      </p>
      <svg
        role="img"
        aria-label={`Over time: ${Object.values(words).join(', ')}`}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        preserveAspectRatio="none"
        onClick={(event) => {
          const { left, width: pixels } = event.currentTarget.getBoundingClientRect()
          const group = groups[Math.floor(((event.clientX - left) / pixels) * width)]
          if (group) go(group.first)
        }}
      >
        <line class="timeline-zero" x1={0} x2={width} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
        {bars}
        <rect
          class="timeline-now"
          x={Math.max(0, (count - 1) / turnsPerGroup)}
          width={Math.max(width / 400, 1 / turnsPerGroup)}
          y={0}
          height={HEIGHT}
        />
      </svg>
    </div>
  )
}

function Bars({ groups, isFinding }: { groups: readonly Group[]; isFinding: boolean }) {
  const most = Math.max(1, ...groups.map(({ messages }) => messages))
  return (
    <>
      {groups.map(({ errors, others, messages, isStop }, at) => {
        const height = isFinding ? (isStop ? BARS : 0) : (messages / most) * BARS
        return (
          <>
            {height > 0 && (
              <rect class="timeline-bar" x={at + 0.1} width={0.8} y={HEIGHT - 1 - height} height={height} />
            )}
            {errors > 0 && <rect class="timeline-error" x={at} width={1} y={0} height={MARK} />}
            {others > 0 && <rect class="timeline-other" x={at} width={1} y={MARK + 1} height={MARK} />}
          </>
        )
      })}
    </>
  )
}
