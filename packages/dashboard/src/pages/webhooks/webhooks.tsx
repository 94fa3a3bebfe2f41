import type { Delivery } from '@svc/contract/stats'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { number } from '../../format.ts'
import { useCall } from '../../queries.ts'
import { isAllowed } from '../../roles.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction, useChange } from '../../ui/action.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { RefreshIcon, WebhooksIcon } from '../../ui/icons.ts'
import { notify, notifyError } from '../../ui/messages.tsx'
import { Page } from '../../ui/page.tsx'
import { Ago, Card, Chip, CopiedUrl, CopiedValue, Facts, Snippet } from '../../ui/parts.tsx'
import { EmptyState, LoadedCard } from '../../ui/states.tsx'

const EVERY_MS = 5_000

/** The webhook that verifies stats: its secret, its deliveries, and a test. */
export default function Webhooks({ route }: { route: Route }) {
  const answer = useCall(
    'listWebhookDeliveries',
    { params: route.params, query: { limit: 50 } },
    { everyMs: EVERY_MS },
  )
  const config = useCall('readConfig', { params: route.params })
  const url = config.data?.config.integrity?.stats?.webhook?.url
  const send = useChange(['listWebhookDeliveries'], async (act: () => Promise<{ delivery: Delivery }>) => {
    const { delivery } = await act()
    notify(
      delivery.outcome === 'answered'
        ? `Your webhook returned ${delivery.status} after ${delivery.durationMs} ms.`
        : `The request failed: ${delivery.error ?? 'no response'}`,
      { isError: delivery.outcome !== 'answered' },
    )
  })
  return (
    <Page
      title="Webhooks"
      side={
        <Button
          busy={send.busy}
          disabled={url === undefined}
          onClick={() => send.run(() => call('testWebhook', { params: route.params }))}
        >
          Send test{inProduction(route)}
        </Button>
      }
    >
      <div class="one-one">
        <Card title="Stats verification" pad={false}>
          <Facts
            class="plain-list"
            rows={[
              ['URL', url === undefined ? <span class="faint">not set</span> : <CopiedUrl url={url} />],
              [
                'Set in',
                <a class="link" href={route.href('config', '', { path: '$.integrity.stats.webhook.url' })}>
                  <code>integrity.stats.webhook.url</code>
                </a>,
              ],
            ]}
          />
        </Card>
        <SigningSecret route={route} />
      </div>
      <LoadedCard title="Deliveries" answer={answer} lines={6}>
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
              <p>Your server can check stats before they are stored. Each request appears here.</p>
              {url === undefined && (
                <>
                  <Snippet
                    label="Config"
                    code={`"features": { "stats": true, "statsVerification": true },\n"integrity": { "stats": { "webhook": { "url": "https://example.com/verify" } } }`}
                  />
                </>
              )}
            </EmptyState>
          )
        }
      </LoadedCard>
    </Page>
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
        isAllowed('readWebhookSecret', route) && (
          <Button
            small
            kind="quiet"
            onClick={() => (secret === undefined ? show.run() : setSecret(undefined))}
          >
            {secret === undefined ? 'Show' : 'Hide'}
          </Button>
        )
      }
    >
      <p class="small soft">Use it to verify that requests come from svc.</p>
      <Allowed route={route} call="readWebhookSecret" to="see the secret" />
      {secret !== undefined && <CopiedValue text={secret} label="Copy secret" />}
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
        <Ago iso={delivery.at} small />
      </summary>
      <Facts
        class="facts audit-facts"
        rows={[
          ['URL', <code>{delivery.url}</code>],
          delivery.error && ['Error', <span class="is-bad">{delivery.error}</span>],
          delivery.answer !== null && ['Response', <pre class="json">{delivery.answer}</pre>],
          [
            '',
            <Button small icon={RefreshIcon} onClick={replay}>
              Resend
            </Button>,
          ],
        ]}
      />
    </details>
  </li>
)
