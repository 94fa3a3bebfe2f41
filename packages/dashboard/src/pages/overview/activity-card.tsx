import { useState } from 'preact/hooks'

import { useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { DayBars } from '../../ui/day-bars.tsx'
import { Card, Segments } from '../../ui/parts.tsx'
import { Loaded } from '../../ui/states.tsx'

const EVERY_MS = 60_000
const DAYS = 14
const SERIES = {
  actives: { title: 'Active', unit: 'players', about: 'Players active per day (UTC)' },
  newPlayers: { title: 'New', unit: 'new players', about: 'Players who joined per day (UTC)' },
} as const

export const useActivity = ({ params }: Route) =>
  useCall('readActivity', { params, query: { days: DAYS } }, { everyMs: EVERY_MS })

/** Two weeks of days; today is not over. */
export function ActivityCard({ route }: { route: Route }) {
  const [shown, show] = useState<keyof typeof SERIES>('actives')
  const answer = useActivity(route)
  const { unit, about } = SERIES[shown]
  return (
    <Card
      title="Players per day"
      class="chart-card"
      side={
        <Segments
          label="Players"
          items={[
            { id: 'actives', title: SERIES.actives.title },
            { id: 'newPlayers', title: SERIES.newPlayers.title },
          ]}
          chosen={shown}
          choose={show}
        />
      }
    >
      <Loaded answer={answer} lines={8}>
        {({ days }) => (
          <DayBars
            days={days.map((day) => ({ date: day.date, count: day[shown] }))}
            unit={unit}
            about={about}
          />
        )}
      </Loaded>
    </Card>
  )
}
