import { useState } from 'preact/hooks'

import { number } from '../../format.ts'
import { useCall } from '../../queries.ts'
import { isAllowed } from '../../roles.ts'
import type { Route } from '../../route.ts'
import { Button } from '../../ui/button.tsx'
import { PlusIcon } from '../../ui/icons.ts'
import { Segments } from '../../ui/parts.tsx'
import { Loaded } from '../../ui/states.tsx'
import { ReportDialog } from './report-dialog.tsx'

const PERIODS = [
  { id: 'allTime', title: 'All' },
  { id: 'monthly', title: 'Month' },
  { id: 'weekly', title: 'Week' },
  { id: 'daily', title: 'Day' },
] as const

/** The stats of a player, of all time or of the current day, week or month. */
export function PlayerStats({ route, playerId }: { route: Route; playerId: string }) {
  const answer = useCall('readPlayerStats', { params: { ...route.params, playerId } })
  const [isReporting, setReporting] = useState(false)
  const [period, setPeriod] = useState<(typeof PERIODS)[number]['id']>('allTime')
  return (
    <section class="panel-section">
      <div class="row">
        <h3 class="grow">Stats</h3>
        {answer.data && answer.data.stats.length > 0 && (
          <Segments label="Period" items={PERIODS} chosen={period} choose={setPeriod} />
        )}
        {isAllowed('submitPlayerStats', route) && (
          <Button
            small
            kind="quiet"
            icon={PlusIcon}
            label="Report values…"
            onClick={() => setReporting(true)}
          />
        )}
      </div>
      <Loaded answer={answer} lines={3}>
        {({ stats }) =>
          stats.length === 0 ? (
            <p class="small faint">No stats.</p>
          ) : (
            <table class="table mini">
              <tbody>
                {stats.map((stat) => (
                  <tr key={stat.key}>
                    <td>
                      <code>{stat.key}</code> <span class="faint tiny">{stat.aggregation}</span>
                    </td>
                    <td class="num tabular">{number(stat[period])}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
      {isReporting && <ReportDialog route={route} playerId={playerId} onClose={() => setReporting(false)} />}
    </section>
  )
}
