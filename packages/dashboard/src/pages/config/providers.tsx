import type {
  ProviderCredentialsInput,
  ProviderCredentials,
} from '@svc/contract/developers/provider-credentials'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { refresh, useCall } from '../../queries.ts'
import { isAllowed } from '../../roles.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction, useChange } from '../../ui/action.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { notify, notifyError } from '../../ui/messages.tsx'
import { Ago, Chip, Copy } from '../../ui/parts.tsx'
import { LoadedCard } from '../../ui/states.tsx'

const TITLES: Record<string, string> = { google: 'Google', discord: 'Discord', apple: 'Apple', x: 'X' }

type FieldName = 'clientId' | 'clientSecret' | 'servicesId' | 'bundleId' | 'teamId' | 'keyId' | 'privateKey'
const LABELS: Record<FieldName, string> = {
  clientId: 'Client ID',
  clientSecret: 'Client secret',
  servicesId: 'Services ID',
  bundleId: 'Bundle ID (optional)',
  teamId: 'Team ID',
  keyId: 'Key ID',
  privateKey: 'Private key (.p8)',
}
const FIELDS: Record<string, readonly FieldName[]> = {
  apple: ['servicesId', 'bundleId', 'teamId', 'keyId', 'privateKey'],
}
const USUAL_FIELDS: readonly FieldName[] = ['clientId', 'clientSecret']
const SECRETS: readonly FieldName[] = ['clientSecret', 'privateKey']
/** What a change of credentials affects. */
const CHANGED = ['listProviderCredentials', 'listFeatures'] as const

/** Credentials with which players sign in at external providers. Secrets are written and never shown. */
export function Providers({ route }: { route: Route }) {
  const answer = useCall('listProviderCredentials', { params: route.params })
  const [edited, setEdited] = useState<ProviderCredentials>()
  const change = useChange(CHANGED, async (act: () => Promise<unknown>, done: string) => {
    await act()
    notify(done)
  })
  const test = useAction(async (provider: string) => {
    const { ok, problems } = await call('testProviderCredentials', { params: { ...route.params, provider } })
    notify(ok ? 'Credentials accepted by the provider.' : problems.map(({ message }) => message).join(' '), {
      isError: !ok,
    })
  }, notifyError)
  const isWritable = isAllowed('writeProviderCredentials', route)
  return (
    <>
      <Allowed route={route} call="writeProviderCredentials" to="change provider credentials" />
      <LoadedCard
        title="Sign-in providers"
        answer={answer}
        lines={6}
        foot={
          edited && (
            <CredentialsDialog
              route={route}
              provider={edited}
              onSaved={() => {
                setEdited(undefined)
                refresh(...CHANGED)
              }}
              onClose={() => setEdited(undefined)}
            />
          )
        }
      >
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
                      {provider.updatedAt && <Ago iso={provider.updatedAt} small />}
                    </span>
                    <span class="tiny soft row">
                      Redirect URL
                      <Copy text={provider.redirectUri} label="Copy redirect URL">
                        <code class="cut">{provider.redirectUri}</code>
                      </Copy>
                    </span>
                  </span>
                  {route.env === 'development' && !provider.configured && isWritable && (
                    <Button
                      small
                      kind="quiet"
                      onClick={() =>
                        change.run(
                          () => call('writeProviderCredentials', { params, body: { testProvider: true } }),
                          'Now using the test provider.',
                        )
                      }
                    >
                      Use test provider
                    </Button>
                  )}
                  {provider.configured && isAllowed('testProviderCredentials', route) && (
                    <Button small kind="quiet" onClick={() => test.run(provider.provider)}>
                      Test
                    </Button>
                  )}
                  {provider.configured && isWritable && (
                    <Button
                      small
                      kind="quiet"
                      onClick={() =>
                        change.run(
                          () => call('deleteProviderCredentials', { params }),
                          'Credentials deleted.',
                        )
                      }
                    >
                      Delete
                    </Button>
                  )}
                  {isWritable && (
                    <Button small onClick={() => setEdited(provider)}>
                      {provider.configured ? 'Replace…' : 'Set up…'}
                    </Button>
                  )}
                </li>
              )
            })}
          </ul>
        )}
      </LoadedCard>
    </>
  )
}

const State = ({ provider }: { provider: ProviderCredentials }) => {
  if (!provider.configured) return <Chip>Not set up</Chip>
  if (provider.testProvider) return <Chip tone="warn">Test provider</Chip>
  return <Chip tone="good">{provider.useShared ? 'Shared app' : 'Set up'}</Chip>
}

type Props = { route: Route; provider: ProviderCredentials; onSaved: () => void; onClose: () => void }

function CredentialsDialog({ route, provider, onSaved, onClose }: Props) {
  const fields = FIELDS[provider.provider] ?? USUAL_FIELDS
  const [values, setValues] = useState<Partial<Record<FieldName, string>>>({})
  const title = TITLES[provider.provider] ?? provider.provider
  const save = useAction(async () => {
    const filled = Object.fromEntries(
      Object.entries(values).filter(([, value]) => value !== ''),
    ) as ProviderCredentialsInput
    await call('writeProviderCredentials', {
      params: { ...route.params, provider: provider.provider },
      body: filled,
    })
    notify(`${title} credentials saved.`)
    onSaved()
  })
  return (
    <FormDialog
      route={route}
      title={`Sign-in with ${title}`}
      label={`${title} credentials`}
      about="Secrets are stored encrypted and never shown again."
      submit={`Store${inProduction(route)}`}
      disabled={fields.some((name) => name !== 'bundleId' && !values[name])}
      action={save}
      onClose={onClose}
    >
      {fields.map((name) => {
        const field = {
          label: LABELS[name],
          value: values[name] ?? '',
          change: (text: string) => setValues({ ...values, [name]: text }),
        }
        if (name === 'privateKey') return <TextArea key={name} class="input mono" rows={4} {...field} />
        const type = SECRETS.includes(name) ? 'password' : 'text'
        return <TextField key={name} type={type} autocomplete="off" spellcheck={false} {...field} />
      })}
    </FormDialog>
  )
}
