import type { Submitted } from '@svc/contract/stats'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { number } from '../../format.ts'
import { refresh, useCall } from '../../queries.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Loaded } from '../../ui/states.tsx'

type Props = { route: Route; playerId: string; onClose: () => void }

/** Reports values of a player as a server does: the rules of the config apply, and each stat shows what happened to its value. */
export function ReportDialog({ route, playerId, onClose }: Props) {
  const config = useCall('readConfig', { params: route.params })
  const [texts, setTexts] = useState<Record<string, string>>({})
  const [result, setResult] = useState<Submitted>()
  const filled = Object.entries(texts).filter(([, text]) => text.trim() !== '')
  const isWrong = (text: string | undefined) => text !== undefined && !Number.isFinite(Number(text))

  const change = (key: string, text: string) => {
    setTexts({ ...texts, [key]: text })
    // The other results stay: this stat has a new value that is not reported yet.
    if (result) setResult(without(result, key))
  }
  const report = useAction(async () => {
    const stats = Object.fromEntries(filled.map(([key, text]) => [key, Number(text)]))
    const answer = await call('submitPlayerStats', {
      params: { ...route.params, playerId },
      body: { stats },
    })
    setResult(answer)
    // A rejected value stays, to be corrected; an accepted one must not be reported twice.
    setTexts(Object.fromEntries(filled.filter(([key]) => !(key in answer.stats))))
    refresh('readPlayerStats', 'readLeaderboardAsAdmin', 'listAudit')
  })

  return (
    <FormDialog
      route={route}
      title="Report values"
      about="As your server would: config rules apply. Empty fields are not reported."
      submit={`Report${inProduction(route)}`}
      cancel={result ? 'Close' : 'Cancel'}
      disabled={filled.length === 0 || filled.some(([, text]) => isWrong(text))}
      action={report}
      onClose={onClose}
    >
      <Loaded answer={config} lines={4}>
        {({ config: { stats = [] } }) => (
          <>
            {stats.length === 0 && <p class="soft">The config has no stats.</p>}
            {stats.map(({ key, aggregation = 'sum' }, at) => (
              <TextField
                key={key}
                label={key}
                side={<span class="tiny faint">{aggregation}</span>}
                hint={<Stored values={result?.stats[key]} />}
                problem={isWrong(texts[key]) ? 'Not a number.' : reasonOf(result, key)}
                inputMode="decimal"
                autocomplete="off"
                value={texts[key] ?? ''}
                change={(text) => change(key, text)}
                autofocus={at === 0}
              />
            ))}
          </>
        )}
      </Loaded>
    </FormDialog>
  )
}

const Stored = ({ values }: { values: Submitted['stats'][string] | undefined }) =>
  values && (
    <span class="is-good" role="status">
      Stored. All: {number(values.allTime)}, month: {number(values.monthly)}, week: {number(values.weekly)},
      day: {number(values.daily)}
    </span>
  )

function reasonOf(result: Submitted | undefined, key: string): string | undefined {
  const reason = result?.rejected.find((one) => one.key === key)?.reason
  return reason && `Rejected: ${reason.replaceAll('_', ' ')}`
}

const without = (result: Submitted, key: string): Submitted => ({
  ...result,
  stats: Object.fromEntries(Object.entries(result.stats).filter(([one]) => one !== key)),
  rejected: result.rejected.filter((one) => one.key !== key),
})
