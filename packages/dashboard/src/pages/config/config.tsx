import type { CurrentConfig } from '@svc/contract/config'

import { ago } from '../../format.ts'
import type { Place } from '../../place.ts'
import { useCall } from '../../queries.ts'
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
export function Config({ here }: { here: Place }) {
  const answer = useCall('readConfig', { params: here.params }, { everyMs: EVERY_MS })
  const tab: Tab = TABS.find(({ id }) => id === here.id)?.id ?? 'document'
  const choose = (id: Tab) => here.go('config', id === 'document' ? '' : id, {}, { replace: true })
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
          {(current) => <ConfigEditor here={here} current={current} />}
        </Loaded>
      )}
      {tab === 'switches' && (
        <Loaded answer={answer} lines={10} inCard>
          {(current) => <Switches here={here} current={current} />}
        </Loaded>
      )}
      {tab === 'providers' && <Providers here={here} />}
      {tab === 'history' && <ConfigHistory here={here} />}
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
