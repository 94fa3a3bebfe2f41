const WIDTH = 96
const HEIGHT = 18
const BASELINE = 22

/** The last values as a small line, without numbers: those are beside it. */
export function Sparkline({ values, length }: { values: readonly number[]; length: number }) {
  if (values.length < 2) return null
  const top = Math.max(...values, 1)
  const low = Math.min(...values)
  // A change of one must not look large.
  const span = Math.max(8, top - low, top / 5)
  const points = values.map((value, index) => {
    const x = ((index + length - values.length) / (length - 1)) * WIDTH
    return `${x.toFixed(1)},${(BASELINE - ((value - low) / span) * HEIGHT).toFixed(1)}`
  })
  return (
    <svg class="sparkline" width={WIDTH} height={24} viewBox={`0 0 ${WIDTH} 24`} aria-hidden="true">
      <line x1={0} y1={23} x2={WIDTH} y2={23} />
      <polyline points={points.join(' ')} />
    </svg>
  )
}
