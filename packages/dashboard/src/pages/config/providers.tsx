import type {
  NewProviderCredentials,
  ProviderCredentials,
} from '@svc/contract/developers/provider-credentials'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { ago } from '../../format.ts'
import { refresh, useCall } from '../../queries.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { notify, notifyError } from '../../ui/messages.tsx'
import { Card, Chip, Copy, Time } from '../../ui/parts.tsx'
import { Loaded } from '../../ui/states.tsx'

const TITLES: Record<string, string> = { google: 'Google', discord: 'Discord', apple: 'Apple', x: 'X' }

type FieldName = 'clientId' | 'clientSecret' | 'servicesId' | 'bundleId' | 'teamId' | 'keyId' | 'privateKey'
const LABELS: Record<FieldName, string> = {
  clientId: 'Client id',
  clientSecret: 'Client secret',
  servicesId: 'Services id',
  bundleId: 'Bundle id (optional)',
  teamId: 'Team id',
  keyId: 'Key id',
  privateKey: 'Private key (.p8)',
}
const FIELDS: Record<string, readonly FieldName[]> = {
  apple: ['servicesId', 'bundleId', 'teamId', 'keyId', 'privateKey'],
}
const USUAL_FIELDS: readonly FieldName[] = ['clientId', 'clientSecret']
const SECRETS: readonly FieldName[] = ['clientSecret', 'privateKey']

/** Credentials with which players sign in at external providers. Secrets are written and never shown. */
export function Providers({ route }: { route: Route }) {
  const answer = useCall('listProviderCredentials', { params: route.params })
  const [edited, setEdited] = useState<ProviderCredentials>()
  const changed = () => refresh('listProviderCredentials', 'listFeatures')
  const change = useAction(
    async (act: () => Promise<unknown>, done: string) => {
      await act()
      notify(done)
    },
    notifyError,
    changed,
  )
  const test = useAction(async (provider: string) => {
    const { ok, problems } = await call('testProviderCredentials', { params: { ...route.params, provider } })
    notify(ok ? 'The provider accepts the credentials.' : problems.map(({ message }) => message).join(' '), {
      isError: !ok,
    })
  }, notifyError)
  return (
    <Card title="Sign-in providers" pad={false}>
      <div class="card-part">
        <Loaded answer={answer} lines={6}>
          {({ providers }) => (
            <ul class="switches">
              {providers.map((provider) => {
                const params = { ...route.params, provider: provider.provider }
                return (
                  <li key={provider.provider}>
                    <span class="grow stack tight">
                      <span class="row">
                        <strong>{TITLES[provider.provider] ?? provider.provider}</strong>
                        <State provider={provider} />
                        {provider.updatedAt && (
                          <Time iso={provider.updatedAt}>
                            <span class="tiny faint">{ago(provider.updatedAt)}</span>
                          </Time>
                        )}
                      </span>
                      <span class="tiny soft row">
                        Redirect URL
                        <Copy text={provider.redirectUri} label="Copy the redirect address">
                          <code class="cut">{provider.redirectUri}</code>
                        </Copy>
                      </span>
                    </span>
                    {route.env === 'development' && !provider.configured && (
                      <Button
                        small
                        kind="quiet"
                        onClick={() =>
                          change.run(
                            () => call('writeProviderCredentials', { params, body: { testProvider: true } }),
                            'The test provider is used.',
                          )
                        }
                      >
                        Use the test provider
                      </Button>
                    )}
                    {provider.configured && (
                      <Button small kind="quiet" onClick={() => test.run(provider.provider)}>
                        Test
                      </Button>
                    )}
                    {provider.configured && (
                      <Button
                        small
                        kind="quiet"
                        onClick={() =>
                          change.run(
                            () => call('deleteProviderCredentials', { params }),
                            'The credentials are deleted.',
                          )
                        }
                      >
                        Delete
                      </Button>
                    )}
                    <Button small onClick={() => setEdited(provider)}>
                      {provider.configured ? 'Replace…' : 'Set up…'}
                    </Button>
                  </li>
                )
              })}
            </ul>
          )}
        </Loaded>
      </div>
      {edited && (
        <CredentialsDialog
          route={route}
          provider={edited}
          onSaved={() => {
            setEdited(undefined)
            changed()
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Card>
  )
}

const State = ({ provider }: { provider: ProviderCredentials }) => {
  if (!provider.configured) return <Chip>Not set up</Chip>
  if (provider.testProvider) return <Chip tone="warn">Test provider</Chip>
  return <Chip tone="good">{provider.useShared ? 'Shared app' : 'Set up'}</Chip>
}

function CredentialsDialog({
  route,
  provider,
  onSaved,
  onClose,
}: {
  route: Route
  provider: ProviderCredentials
  onSaved: () => void
  onClose: () => void
}) {
  const fields = FIELDS[provider.provider] ?? USUAL_FIELDS
  const [values, setValues] = useState<Partial<Record<FieldName, string>>>({})
  const title = TITLES[provider.provider] ?? provider.provider
  const save = useAction(async () => {
    const filled = Object.fromEntries(
      Object.entries(values).filter(([, value]) => value !== ''),
    ) as NewProviderCredentials
    await call('writeProviderCredentials', {
      params: { ...route.params, provider: provider.provider },
      body: filled,
    })
    notify(`The credentials of ${title} are stored.`)
    onSaved()
  })
  return (
    <FormDialog
      route={route}
      title={`Sign-in with ${title}`}
      label={`Credentials of ${title}`}
      about="Secrets are stored encrypted and never shown again."
      submit={`Store${inProduction(route)}`}
      disabled={fields.some((name) => name !== 'bundleId' && !values[name])}
      action={save}
      onClose={onClose}
    >
      {fields.map((name) => (
        <Field key={name} label={LABELS[name]}>
          {(id) =>
            name === 'privateKey' ? (
              <textarea
                id={id}
                class="input mono"
                rows={4}
                value={values[name] ?? ''}
                onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
              />
            ) : (
              <input
                id={id}
                class="input"
                type={SECRETS.includes(name) ? 'password' : 'text'}
                autocomplete="off"
                spellcheck={false}
                value={values[name] ?? ''}
                onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
              />
            )
          }
        </Field>
      ))}
    </FormDialog>
  )
}
