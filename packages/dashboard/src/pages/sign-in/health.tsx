import type { JSX } from 'preact'

import { engineTitle } from '../../format.ts'
import { useCall } from '../../queries.ts'
import { Icon } from '../../ui/icon.tsx'
import { CheckIcon } from '../../ui/icons.ts'
import { LiveDot } from '../../ui/live-dot.tsx'
import { Facts } from '../../ui/parts.tsx'

const READY_EVERY_MS = 10_000
const OK = (
  <span class="row">
    <Icon of={CheckIcon} size={14} class="is-good" /> OK
  </span>
)

/** The public state of the service, for operators who are not signed in. */
export function Health({ version }: { version: string | undefined }) {
  const ready = useCall('readReadiness', { query: {} }, { everyMs: READY_EVERY_MS })
  const checks = Object.keys(ready.data?.checks ?? {})
  return (
    <aside class="entry-aside" aria-label="This service">
      <Pattern />
      <div class="entry-health">
        <p class="row">
          <LiveDot isOff={ready.error !== null} />
          <strong>
            {ready.error
              ? ready.error.message
              : ready.data
                ? 'This service is ready'
                : 'Checking the service'}
          </strong>
        </p>
        <Facts
          rows={[
            ['URL', <code>{location.host}</code>],
            version && ['Version', <code>svc {version}</code>],
            ...(ready.error ? [] : checks).map((name) => [engineTitle(name), OK] as const),
          ]}
        />
      </div>
    </aside>
  )
}

/** Decoration: rooms with their seats, always the same. */
function Pattern() {
  const shapes: JSX.Element[] = []
  let seed = 11
  const next = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647
  for (let y = 0; y < 9; y++)
    for (let x = 0; x < 7; x++) {
      const seats = next() < 0.3 ? 8 : next() < 0.6 ? 4 : 2
      const taken = Math.round(next() * seats)
      for (let seat = 0; seat < seats; seat++)
        shapes.push(
          <circle
            cx={x * 96 + 22 + (seat % 4) * 15}
            cy={y * 84 + 30 + Math.floor(seat / 4) * 15}
            r={4}
            class={seat < taken ? 'on' : ''}
          />,
        )
      shapes.push(<rect x={x * 96 + 8} y={y * 84 + 8} width={84} height={72} rx={10} />)
    }
  return (
    <svg class="pattern" viewBox="0 0 680 764" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      {shapes}
    </svg>
  )
}
