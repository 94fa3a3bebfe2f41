import type { Change, CurrentConfig, Feature } from '@svc/contract/config'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import type { Place } from '../../place.ts'
import { useCall } from '../../queries.ts'
import { notifyError } from '../../ui/messages.tsx'
import { Card, Chip } from '../../ui/parts.tsx'
import { Loaded } from '../../ui/states.tsx'
import { PushDialog } from './push-dialog.tsx'

/** Every switch of the document as a form; a change is reviewed before it is pushed. */
export function Switches({ here, current }: { here: Place; current: CurrentConfig }) {
  const answer = useCall('listFeatures', { params: here.params })
  const [push, setPush] = useState<{ config: unknown; changes: readonly Change[] }>()
  const change = async (path: string, value: boolean) => {
    const config = withValue(current.config, path, value)
    try {
      const reply = await call('pushConfig', { params: here.params, query: { dryRun: true }, body: config })
      setPush({ config, changes: 'changes' in reply ? reply.changes : [] })
    } catch (error) {
      notifyError(error)
    }
  }
  return (
    <Card title="Features" pad={false}>
      <div class="card-part">
        <Loaded answer={answer} lines={10}>
          {({ features }) => (
            <ul class="switches">
              {features.map((feature) => (
                <SwitchRow key={feature.key} feature={feature} change={change} />
              ))}
            </ul>
          )}
        </Loaded>
      </div>
      {push && (
        <PushDialog
          here={here}
          config={push.config}
          changes={push.changes}
          onPushed={() => setPush(undefined)}
          onClose={() => setPush(undefined)}
        />
      )}
    </Card>
  )
}

function SwitchRow({
  feature: { title, configPath, source, enabled, problems = [] },
  change,
}: {
  feature: Feature
  change: (path: string, value: boolean) => Promise<void>
}) {
  const isOffered = source !== 'operator'
  return (
    <li>
      <span class="grow stack tight">
        <strong>{title}</strong>
        {configPath && <code class="tiny faint">{configPath}</code>}
        {problems.map((problem) => (
          <span key={problem} class="tiny is-warn">
            {problem}
          </span>
        ))}
      </span>
      {!isOffered && <Chip>Not offered by the operator</Chip>}
      {isOffered && !configPath && <Chip tone={enabled ? 'good' : 'neutral'}>{enabled ? 'On' : 'Off'}</Chip>}
      {isOffered && configPath && (
        <input
          type="checkbox"
          role="switch"
          class="switch"
          aria-label={title}
          checked={enabled}
          onClick={(event) => {
            // It changes when the push has succeeded.
            event.preventDefault()
            void change(configPath, !enabled)
          }}
        />
      )}
    </li>
  )
}

/** A copy of the document with a value at a path like `features.saves`. */
function withValue(config: object, path: string, value: boolean): object {
  const [first = '', ...rest] = path.replace(/^\$\.?/, '').split('.')
  const inside = (config as Record<string, unknown>)[first]
  return {
    ...config,
    [first]:
      rest.length === 0
        ? value
        : withValue(typeof inside === 'object' && inside !== null ? inside : {}, rest.join('.'), value),
  }
}
