import type { Identity } from '@svc/contract/developers/sign-in'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { onDate } from '../../format.ts'
import { refresh, useCall } from '../../queries.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { notify, notifyError } from '../../ui/messages.tsx'
import { Card, Time } from '../../ui/parts.tsx'
import { Loaded } from '../../ui/states.tsx'
import { startExternalSignIn } from '../sign-in/external-sign-in.ts'

const TITLES: Record<string, string> = { google: 'Google', github: 'GitHub' }
const titleOf = (provider: string) => TITLES[provider] ?? provider

/** External sign-in methods of the account. */
export function Identities({ hasPassword }: { hasPassword: boolean }) {
  const answer = useCall('listIdentities', {})
  const info = useCall('readPlatformInfo', {})
  const [removed, setRemoved] = useState<Identity>()
  const linked = answer.data?.identities ?? []
  const offered = (info.data?.oauthProviders ?? []).filter(
    (name) => !linked.some(({ provider }) => provider === name),
  )
  if (linked.length === 0 && offered.length === 0) return null
  return (
    <Card title="Sign-in methods" pad={false}>
      <div class="card-part">
        <Loaded answer={answer} lines={2}>
          {({ identities }) => (
            <ul class="changes">
              {identities.map((identity) => (
                <li key={identity.provider}>
                  <span class="grow stack tight">
                    <strong>{titleOf(identity.provider)}</strong>
                    <span class="tiny faint">
                      <bdi>{identity.email}</bdi> since{' '}
                      <Time iso={identity.linkedAt}>{onDate(identity.linkedAt)}</Time>
                    </span>
                  </span>
                  <Button small disabled={!hasPassword} onClick={() => setRemoved(identity)}>
                    Remove…
                  </Button>
                </li>
              ))}
              {offered.map((name) => (
                <li key={name}>
                  <span class="grow">{titleOf(name)}</span>
                  <Button small onClick={() => startExternalSignIn(name, 'link').catch(notifyError)}>
                    Add
                  </Button>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </div>
      {removed && <RemoveDialog identity={removed} onClose={() => setRemoved(undefined)} />}
    </Card>
  )
}

function RemoveDialog({ identity, onClose }: { identity: Identity; onClose: () => void }) {
  const [password, setPassword] = useState('')
  const remove = useAction(async () => {
    await call('removeIdentity', { params: { provider: identity.provider }, body: { password } })
    refresh('listIdentities', 'readMe')
    onClose()
    notify('The sign-in method is removed.')
  })
  return (
    <FormDialog
      title={`Remove ${titleOf(identity.provider)}?`}
      label="Remove the sign-in method"
      about="All other sessions end."
      submit="Remove"
      isDanger
      disabled={password === ''}
      action={remove}
      onClose={onClose}
    >
      <TextField
        label="Your password"
        type="password"
        autocomplete="current-password"
        value={password}
        change={setPassword}
        autofocus
      />
    </FormDialog>
  )
}
