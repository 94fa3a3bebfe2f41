const SHOWN_MAX = 12
const DOT = 5
/** Below the line: the numbers of the versions, and which one is live. */
const LABELS_HEIGHT = 52
const ARC_HEIGHT_MIN = 20
const ARC_HEIGHT_PER_STEP = 8
const ARC_HEIGHT_MAX = 64

/** `[3, 1]`: version 1 went live again after version 3. */
type Rollback = readonly [from: number, to: number]

/** Rollbacks among activations, newest first; each pair of versions once. */
function rollbacksOf(versions: readonly number[]): Rollback[] {
  const found = new Map<string, Rollback>()
  versions.forEach((to, index) => {
    const from = versions[index + 1]
    if (from !== undefined && to < from) found.set(`${from} ${to}`, [from, to])
  })
  return [...found.values()].reverse()
}

/**
 * The versions that were live, on a line; an arc leads from a version back to the one that replaced it. `activated` are the versions
 * of all activations, newest first. Positions are percentages, so that the drawing fits every width. The list beside it has the same
 * facts.
 */
export function Timeline({ activated }: { activated: readonly number[] }) {
  const versions = [...new Set(activated)].sort((a, b) => a - b).slice(-SHOWN_MAX)
  const live = activated[0]
  if (live === undefined || versions.length < 2) return null
  const rollbacks = rollbacksOf(activated).filter((ends) => ends.every((end) => versions.includes(end)))
  const heightOf = ([from, to]: Rollback) =>
    Math.min(
      ARC_HEIGHT_MIN + ARC_HEIGHT_PER_STEP * (versions.indexOf(from) - versions.indexOf(to)),
      ARC_HEIGHT_MAX,
    )
  const line = Math.max(0, ...rollbacks.map(heightOf)) + 2 * DOT
  const percentOf = (version: number) => ((versions.indexOf(version) + 0.5) / versions.length) * 100
  const x = (version: number) => `${percentOf(version)}%`
  const [first = live, last = live] = [versions[0], versions.at(-1)]
  const label = [
    `Versions that were live: ${versions.join(', ')}`,
    ...rollbacks.map(([from, to]) => `rollback from ${from} to ${to}`),
    `live now: ${live}`,
  ].join('; ')
  return (
    <svg class="timeline" width="100%" height={line + LABELS_HEIGHT} role="img" aria-label={label}>
      <line class="timeline-later" x1={x(first)} x2={x(last)} y1={line} y2={line} />
      <line class="timeline-live" x1={x(first)} x2={x(live)} y1={line} y2={line} />
      {/* It cuts off the lower halves of the ellipses. */}
      <svg width="100%" height={line - DOT}>
        {rollbacks.map((ends) => (
          <ellipse
            key={ends.join()}
            class="timeline-arc"
            cx={`${(percentOf(ends[0]) + percentOf(ends[1])) / 2}%`}
            cy={line}
            rx={`${(percentOf(ends[0]) - percentOf(ends[1])) / 2}%`}
            ry={heightOf(ends)}
          />
        ))}
      </svg>
      {rollbacks.map(([from, to]) => (
        <svg key={`${from} ${to}`} class="timeline-end" x={x(to)} y={line - DOT}>
          <path d="M-4 -7 0 0 4 -7z" />
        </svg>
      ))}
      {versions.map((version) => (
        <g key={version} class={version === live ? 'is-live' : undefined}>
          <circle class="timeline-dot" cx={x(version)} cy={line} r={DOT} />
          <text x={x(version)} y={line + 22}>
            {version}
          </text>
          {version === live && (
            <text x={x(version)} y={line + 38}>
              Live
            </text>
          )}
        </g>
      ))}
    </svg>
  )
}
