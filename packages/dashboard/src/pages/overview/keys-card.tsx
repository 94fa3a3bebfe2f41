import type { KeyView } from '@svc/contract/developers/projects'

import { ago } from '../../format.ts'
import type { Route } from '../../route.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Card, Chip, Copy, Time } from '../../ui/parts.tsx'

const SHOWN_MAX = 6

/** The keys of the environment and when they were last used. */
export const KeysCard = ({ keys, route }: { keys: readonly KeyView[]; route: Route }) => (
  <Card
    title="Keys"
    side={
      <LinkButton kind="quiet" small href={route.href('keys')}>
        Manage
      </LinkButton>
    }
    pad={false}
  >
    <ul class="changes">
      {keys.slice(0, SHOWN_MAX).map(({ id, type, last4, plaintext, lastUsedAt, label }) => (
        <li key={id}>
          <span class="grow stack">
            <span class="row">
              {plaintext === null ? (
                <code class="tiny">
                  {type === 'secret' ? 'sk_' : 'pk_'}…{last4}
                </code>
              ) : (
                <Copy text={plaintext} label={`Copy key pk_…${last4}`}>
                  <code class="tiny key-text">{plaintext}</code>
                </Copy>
              )}
              {label && <Chip>{label}</Chip>}
            </span>
            <span class="tiny faint">
              {type === 'secret' ? 'Secret, for servers' : 'Publishable, for pages'}
            </span>
          </span>
          <span class="tiny faint">
            {lastUsedAt ? <Time iso={lastUsedAt}>used {ago(lastUsedAt)}</Time> : 'never used'}
          </span>
        </li>
      ))}
    </ul>
  </Card>
)
