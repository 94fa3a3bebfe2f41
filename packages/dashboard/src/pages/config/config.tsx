import type { CurrentConfig } from '@svc/contract/config/config'

import { ago } from '../../format.ts'
import { useCall } from '../../queries.ts'
import type { Route } from '../../route.ts'
import { Segments, Time } from '../../ui/parts.tsx'
import { Loaded } from '../../ui/states.tsx'
import { ConfigEditor } from './config-editor.tsx'
import { ConfigHistory } from './config-history.tsx'
import { Providers } from './providers.tsx'
import { Switches } from './switches.tsx'

const EVERY_MS = 15_000
const TABS = [
  { id: 'document', title: 'Document' },
  { id: 'switches', title: 'Switches' },
  { id: 'providers', title: 'Sign-in' },
  { id: 'history', title: 'History' },
] as const
type Tab = (typeof TABS)[number]['id']

/** What an environment enables, as a document and as switches, with its history. */
export function Config({ route }: { route: Route }) {
  const answer = useCall('readConfig', { params: route.params }, { everyMs: EVERY_MS })
  const tab: Tab = TABS.find(({ id }) => id === route.id)?.id ?? 'document'
  const choose = (id: Tab) => route.go('config', id === 'document' ? '' : id, {}, { replace: true })
  return (
    <div class="page">
      <header class="page-head">
        <h1>Config</h1>
        {answer.data && <Version current={answer.data} />}
        <span class="grow" />
        <Segments label="Part" items={TABS} chosen={tab} choose={choose} />
      </header>
      {tab === 'document' && (
        <Loaded answer={answer} lines={14} inCard>
          {(current) => <ConfigEditor route={route} current={current} />}
        </Loaded>
      )}
      {tab === 'switches' && (
        <Loaded answer={answer} lines={10} inCard>
          {(current) => <Switches route={route} current={current} />}
        </Loaded>
      )}
      {tab === 'providers' && <Providers route={route} />}
      {tab === 'history' && <ConfigHistory route={route} />}
    </div>
  )
}

const Version = ({ current: { version, updatedAt } }: { current: CurrentConfig }) => (
  <span class="soft head-count">
    {version === 0 ? 'nothing pushed yet' : `v${version}`}
    {updatedAt && (
      <span class="small faint">
        {' '}
        <Time iso={updatedAt}>{ago(updatedAt)}</Time>
      </span>
    )}
  </span>
)
