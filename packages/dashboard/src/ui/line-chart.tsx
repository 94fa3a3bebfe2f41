import { useEffect, useRef } from 'preact/hooks'
import type uPlot from 'uplot'

import { dayAndMonth, hourAndMinute } from '../format.ts'
import { theme } from '../theme.ts'

type Series = {
  title: string
  values: readonly (number | null)[]
  tone: 'bar' | 'warn' | 'bad' | 'good' | 'development'
  dash?: number[]
}

const HEIGHT = 170
const DAY_SECONDS = 86_400
const shortTime = (seconds: number) => hourAndMinute(seconds * 1_000)
const shortDay = (seconds: number) => dayAndMonth(seconds * 1_000)

/** Without a pointer the legend shows the latest values. */
const shown = (plot: uPlot, value: number | null, series: number, index: number | null) =>
  index === null ? (plot.data[series]?.at(-1) ?? null) : value

/** A canvas needs the color itself: a token is `light-dark(…)`. */
function resolvedColor(element: HTMLElement, token: string): string {
  const probe = element.appendChild(document.createElement('span'))
  probe.style.color = `var(--${token})`
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

type Props = {
  /** Unix time, in seconds. */
  seconds: readonly number[]
  series: readonly Series[]
  label: string
  format: (value: number) => string
}

/** Lines over time. Drawn by uPlot, which is loaded with the first chart; the legend has the values of the pointer. */
export function LineChart({ seconds, series, label, format }: Props) {
  const host = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot | undefined>(undefined)
  const data = [seconds, ...series.map(({ values }) => values)] as uPlot.AlignedData
  const latest = useRef(data)
  latest.current = data

  useEffect(() => {
    let isGone = false
    const element = host.current
    if (!element) return undefined
    void import('uplot').then(({ default: Plot }) => {
      if (isGone) return
      const style = getComputedStyle(element)
      const color = (name: string) => resolvedColor(element, name)
      const axis = {
        stroke: color('faint'),
        grid: { stroke: color('line'), width: 1 },
        ticks: { show: false },
        font: `11px ${style.fontFamily}`,
      }
      chart.current = new Plot(
        {
          width: element.clientWidth,
          height: HEIGHT,
          cursor: { drag: { x: false, y: false }, points: { size: 6 } },
          legend: { live: true },
          scales: { y: { range: (_plot, _min, max) => [0, Math.max(max, 1) * 1.1] } },
          axes: [
            {
              ...axis,
              values: (_plot, values, _axis, _space, step) =>
                values.map(step < DAY_SECONDS ? shortTime : shortDay),
            },
            { ...axis, size: 56, values: (_plot, values) => values.map(format) },
          ],
          series: [
            {
              label: 'Time',
              value: (plot, value, at, index) => shortTime(shown(plot, value, at, index) ?? 0),
            },
            ...series.map(({ title, tone, dash }) => ({
              label: title,
              stroke: color(tone),
              width: 1.5,
              points: { size: 4 },
              value: (plot: uPlot, value: number | null, at: number, index: number | null) => {
                const one = shown(plot, value, at, index)
                return one === null ? '–' : format(one)
              },
              ...(dash && { dash }),
            })),
          ],
        },
        latest.current,
        element,
      )
    })
    const resized = new ResizeObserver(() =>
      chart.current?.setSize({ width: element.clientWidth, height: HEIGHT }),
    )
    resized.observe(element)
    return () => {
      isGone = true
      resized.disconnect()
      chart.current?.destroy()
      chart.current = undefined
    }
  }, [theme.value])
  useEffect(() => chart.current?.setData(latest.current))
  return <div ref={host} class="line-chart" role="img" aria-label={label} />
}
