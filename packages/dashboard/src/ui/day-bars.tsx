import { useState } from 'preact/hooks'

import { compact, day, longDay, number } from '../format.ts'
import { Button } from './button.tsx'
import { ChartIcon, TableIcon } from './icons.ts'
import { TableHead } from './table-head.tsx'

export type DayCount = {
  date: string
  count: number
  /** What `count` is the sum of, in the order of `parts`. */
  counts?: readonly number[]
}

/** The smallest 1, 2 or 5 × 10ⁿ that is twice a whole number and not below. */
function ceiling(most: number): number {
  for (let size = 1; ; size *= 10)
    for (const step of [1, 2, 5]) if (step * size * 2 >= most) return step * size * 2
}

type DayBarsProps = {
  days: readonly DayCount[]
  unit: string
  about: string
  /** Names of the parts that bars are made of, the lowest one first; at most 4. */
  parts?: readonly string[]
  /** How a value is shown. */
  format?: (value: number) => string
  /** The last day is not today. */
  isOver?: boolean
}

/** Days as bars; today is not over and is hatched. The same data as a table is one press away. */
export function DayBars({ days, unit, about, parts = [], format, isOver = false }: DayBarsProps) {
  const value = format ?? number
  const [isTable, setTable] = useState(false)
  const [at, setAt] = useState<number | null>(null)
  const top = ceiling(Math.max(1, ...days.map(({ count }) => count)))
  const shown = at === null ? undefined : days[at]
  const last = days.length - 1
  const open = isOver ? -1 : last
  /** `Voice $0.10, Requests $0.02`: the parts of a day that are not 0. */
  const partsOf = ({ counts = [] }: DayCount) =>
    parts.flatMap((part, index) => (counts[index] ? `${part} ${value(counts[index])}` : [])).join(', ')
  return (
    <div class="bars">
      <div class="bars-top">
        <p class="small soft grow">
          {shown ? (
            <>
              <strong class="tabular">{value(shown.count)}</strong> {unit} on {longDay(shown.date)}
              {at === open && ', so far'}
              {parts.length > 0 && shown.count > 0 && `: ${partsOf(shown)}`}
            </>
          ) : (
            about
          )}
        </p>
        <Button
          small
          kind="quiet"
          icon={isTable ? ChartIcon : TableIcon}
          label={isTable ? 'Show as chart' : 'Show as table'}
          aria-pressed={isTable}
          onClick={() => setTable(!isTable)}
        />
      </div>
      {isTable ? (
        <div class="bars-table" tabIndex={0} role="region" aria-label={`${unit} per day`}>
          <table class="table">
            <TableHead
              columns={['Day, UTC', ...parts.map((part) => [part, 'num'] as const), [unit, 'num']]}
            />
            <tbody>
              {days.map(({ date, count, counts = [] }) => (
                <tr key={date}>
                  <td>{longDay(date)}</td>
                  {parts.map((part, index) => (
                    <td key={part} class="num tabular soft">
                      {value(counts[index] ?? 0)}
                    </td>
                  ))}
                  <td class="num tabular">{value(count)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <div
          class={format ? 'bars-plot has-wide-axis' : 'bars-plot'}
          role="img"
          aria-label={`${unit} per day: ${days.map(({ date, count }) => `${day(date)} ${value(count)}`).join(', ')}`}
          onPointerLeave={() => setAt(null)}
        >
          {[1, 0.5, 0].map((part) => (
            <span key={part} class="bars-grid" style={{ bottom: `calc(24px + (100% - 32px) * ${part})` }}>
              <span class="tabular">{(format ?? compact)(top * part)}</span>
            </span>
          ))}
          <div class="bars-columns">
            {days.map(({ date, count, counts = [] }, index) => (
              <div
                key={date}
                class={`bars-column${at === null ? '' : at === index ? ' is-on' : ' is-off'}`}
                onPointerEnter={() => setAt(index)}
              >
                <span
                  class={`bar${index === open ? ' is-open' : ''}${counts.length > 0 ? ' is-stacked' : ''}`}
                  style={{ height: `${(count / top) * 100}%` }}
                >
                  {counts.map((part, at) => (
                    <span key={at} class={`part-${at}`} style={{ flexGrow: part }} />
                  ))}
                </span>
                <span class="bars-day">
                  {(last - index) % 3 === 0 ? (index === open ? 'Today' : day(date)) : ''}
                </span>
              </div>
            ))}
          </div>
        </div>
      )}
      {!isTable && parts.length > 0 && (
        <ul class="bars-legend">
          {parts.map((part, at) => (
            <li key={part}>
              <span class={`part-${at}`} aria-hidden="true" />
              {part}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
