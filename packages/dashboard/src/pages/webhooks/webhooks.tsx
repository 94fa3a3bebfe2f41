import type { Delivery } from '@svc/contract/stats'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { ago, number } from '../../format.ts'
import { refresh, useCall } from '../../queries.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { RefreshIcon, WebhooksIcon } from '../../ui/icons.ts'
import { notify, notifyError } from '../../ui/messages.tsx'
import { Card, Chip, Copy, Snippet, Time } from '../../ui/parts.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'

const EVERY_MS = 5_000

/** The webhook that verifies stats: its secret, its deliveries, and a test. */
export function Webhooks({ route }: { route: Route }) {
  const answer = useCall(
    'listWebhookDeliveries',
    { params: route.params, query: { limit: 50 } },
    { everyMs: EVERY_MS },
  )
  const config = useCall('readConfig', { params: route.params })
  const url = config.data?.config.integrity?.stats?.webhook?.url
  const send = useAction(
    async (act: () => Promise<{ delivery: Delivery }>) => {
      const { delivery } = await act()
      notify(
        delivery.outcome === 'answered'
          ? `Your webhook returned ${delivery.status} after ${delivery.durationMs} ms.`
          : `The call failed: ${delivery.error ?? 'no response'}`,
        { isError: delivery.outcome !== 'answered' },
      )
    },
    notifyError,
    () => refresh('listWebhookDeliveries'),
  )
  return (
    <div class="page">
      <header class="page-head">
        <h1>Webhooks</h1>
        <span class="grow" />
        <Button
          busy={send.busy}
          disabled={url === undefined}
          onClick={() => send.run(() => call('testWebhook', { params: route.params }))}
        >
          Send a test{inProduction(route)}
        </Button>
      </header>
      <div class="one-one">
        <Card title="Stats verification" pad={false}>
          <dl class="plain-list">
            <dt>URL</dt>
            <dd class="row">
              {url === undefined ? (
                <span class="faint">not set</span>
              ) : (
                <Copy text={url} label="Copy the URL">
                  <code class="cut">{url}</code>
                </Copy>
              )}
            </dd>
            <dt>Set in</dt>
            <dd class="row">
              <a class="link" href={route.href('config', '', { path: '$.integrity.stats.webhook.url' })}>
                <code>integrity.stats.webhook.url</code>
              </a>
            </dd>
          </dl>
        </Card>
        <SigningSecret route={route} />
      </div>
      <Card title="Deliveries" pad={false}>
        <div class="card-part">
          <Loaded answer={answer} lines={6}>
            {({ deliveries }) =>
              deliveries.length > 0 ? (
                <ul class="audit-list">
                  {deliveries.map((delivery) => (
                    <DeliveryRow
                      key={delivery.id}
                      delivery={delivery}
                      replay={() =>
                        send.run(() =>
                          call('replayWebhookDelivery', { params: { ...route.params, id: delivery.id } }),
                        )
                      }
                    />
                  ))}
                </ul>
              ) : (
                <EmptyState
                  icon={WebhooksIcon}
                  title="No deliveries yet"
                  action={
                    url === undefined && (
                      <LinkButton kind="main" href={route.href('config', '', { path: '$.integrity' })}>
                        Open Config
                      </LinkButton>
                    )
                  }
                >
                  <p>Your server can check stats before they are stored. Each call appears here.</p>
                  {url === undefined && (
                    <>
                      <br />
                      <Snippet
                        label="Config"
                        code={`"features": { "stats": true, "statsVerification": true },\n"integrity": { "stats": { "webhook": { "url": "https://example.com/verify" } } }`}
                      />
                    </>
                  )}
                </EmptyState>
              )
            }
          </Loaded>
        </div>
      </Card>
    </div>
  )
}

function SigningSecret({ route }: { route: Route }) {
  const [secret, setSecret] = useState<string>()
  const show = useAction(async () => {
    setSecret((await call('readWebhookSecret', { params: route.params })).secret)
  }, notifyError)
  return (
    <Card
      title="Signing secret"
      side={
        <Button small kind="quiet" onClick={() => (secret === undefined ? show.run() : setSecret(undefined))}>
          {secret === undefined ? 'Show' : 'Hide'}
        </Button>
      }
    >
      <p class="small soft">Your server checks with it that a call comes from this service.</p>
      {secret !== undefined && (
        <div class="secret-value">
          <code>{secret}</code>
          <Copy text={secret} label="Copy the secret" />
        </div>
      )}
    </Card>
  )
}

const DeliveryRow = ({ delivery, replay }: { delivery: Delivery; replay: () => unknown }) => (
  <li>
    <details>
      <summary>
        <Chip tone={delivery.outcome === 'answered' ? 'good' : 'bad'}>
          {delivery.outcome === 'answered' ? `Returned ${delivery.status ?? ''}` : 'Failed'}
        </Chip>
        <span class="grow cut">
          <code>{delivery.kind}</code>
        </span>
        <span class="tiny soft tabular">{number(delivery.durationMs)} ms</span>
        <Time iso={delivery.at}>
          <span class="tiny faint">{ago(delivery.at)}</span>
        </Time>
      </summary>
      <dl class="facts audit-facts">
        <dt>URL</dt>
        <dd>
          <code>{delivery.url}</code>
        </dd>
        {delivery.error && (
          <>
            <dt>Error</dt>
            <dd class="is-bad">{delivery.error}</dd>
          </>
        )}
        {delivery.answer !== null && (
          <>
            <dt>Answer</dt>
            <dd>
              <pre class="json">{delivery.answer}</pre>
            </dd>
          </>
        )}
        <dt />
        <dd>
          <Button small icon={RefreshIcon} onClick={replay}>
            Send again
          </Button>
        </dd>
      </dl>
    </details>
  </li>
)
