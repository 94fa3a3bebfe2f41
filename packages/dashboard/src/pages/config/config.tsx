import type { CurrentConfig } from '@svc/contract/config/config'

import { useCall } from '../../queries.ts'
import { isAllowed } from '../../roles.ts'
import type { Route } from '../../route.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { Page } from '../../ui/page.tsx'
import { Ago, Card, Segments } from '../../ui/parts.tsx'
import { Loaded } from '../../ui/states.tsx'
import { ConfigEditor } from './config-editor.tsx'
import { ConfigHistory } from './config-history.tsx'
import { Providers } from './providers.tsx'
import { Switches } from './switches.tsx'

const EVERY_MS = 15_000
const TABS = [
  { id: 'document', title: 'JSON' },
  { id: 'switches', title: 'Features' },
  { id: 'providers', title: 'Sign-in providers' },
  { id: 'history', title: 'History' },
] as const
type Tab = (typeof TABS)[number]['id']

/** What an environment enables, as a document and as switches, with its history. */
export default function Config({ route }: { route: Route }) {
  const answer = useCall('readConfig', { params: route.params }, { everyMs: EVERY_MS })
  const tab: Tab = TABS.find(({ id }) => id === route.id)?.id ?? 'document'
  const choose = (id: Tab) => route.go('config', id === 'document' ? '' : id, {}, { replace: true })
  return (
    <Page
      title="Config"
      beside={answer.data && <Version current={answer.data} />}
      side={<Segments label="Part" items={TABS} chosen={tab} choose={choose} />}
    >
      {tab !== 'providers' && <Allowed route={route} call="pushConfig" to="change the config" />}
      {tab === 'document' && (
        <Loaded answer={answer} lines={14} inCard>
          {(current) =>
            isAllowed('pushConfig', route) ? (
              <ConfigEditor route={route} current={current} />
            ) : (
              <Card>
                <pre class="json">{JSON.stringify(current.config, null, 2)}</pre>
              </Card>
            )
          }
        </Loaded>
      )}
      {tab === 'switches' && (
        <Loaded answer={answer} lines={10} inCard>
          {(current) => <Switches route={route} current={current} />}
        </Loaded>
      )}
      {tab === 'providers' && <Providers route={route} />}
      {tab === 'history' && <ConfigHistory route={route} />}
    </Page>
  )
}

const Version = ({ current: { version, updatedAt } }: { current: CurrentConfig }) => (
  <span class="soft head-count">
    {version === 0 ? 'nothing pushed yet' : `v${version}`}
    {updatedAt && (
      <span class="small faint">
        {' '}
        <Ago iso={updatedAt} />
      </span>
    )}
  </span>
)
