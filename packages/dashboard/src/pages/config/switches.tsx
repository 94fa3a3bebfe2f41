import type { CurrentConfig, Feature } from '@svc/contract/config/config'

import { useCall } from '../../queries.ts'
import { isAllowed } from '../../roles.ts'
import type { Route } from '../../route.ts'
import { notifyError } from '../../ui/messages.tsx'
import { Chip } from '../../ui/parts.tsx'
import { LoadedCard } from '../../ui/states.tsx'
import { usePush } from './push-dialog.tsx'

/** Every switch of the document as a form; a change is reviewed before it is pushed. */
export function Switches({ route, current }: { route: Route; current: CurrentConfig }) {
  const answer = useCall('listFeatures', { params: route.params })
  const { review, dialog } = usePush(route)
  const change = (path: string, value: boolean) =>
    review(withValue(current.config, path, value)).catch(notifyError)
  return (
    <LoadedCard title="Features" answer={answer} lines={10} foot={dialog}>
      {({ features }) => (
        <ul class="switches">
          {features.map((feature) => (
            <SwitchRow
              key={feature.key}
              feature={feature}
              isReadOnly={!isAllowed('pushConfig', route)}
              change={change}
            />
          ))}
        </ul>
      )}
    </LoadedCard>
  )
}

type Props = {
  feature: Feature
  isReadOnly: boolean
  change: (path: string, value: boolean) => Promise<void>
}

function SwitchRow({ feature, isReadOnly, change }: Props) {
  const { title, configPath, source, enabled, problems = [] } = feature
  const isSwitch = configPath !== undefined && configPath !== null && !isReadOnly
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
      {!isOffered && <Chip>Not available on this service</Chip>}
      {isOffered && !isSwitch && <Chip tone={enabled ? 'good' : 'neutral'}>{enabled ? 'On' : 'Off'}</Chip>}
      {isOffered && isSwitch && (
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
