import type { Identity } from '@svc/contract/developers/sign-in'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { providerTitle, startExternalSignIn } from '../../external-sign-in.ts'
import { onDate } from '../../format.ts'
import { refresh, useCall } from '../../queries.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { notify, notifyError } from '../../ui/messages.tsx'
import { Time } from '../../ui/parts.tsx'
import { ProofField, useProof } from '../../ui/proof-field.tsx'
import { LoadedCard } from '../../ui/states.tsx'

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
    <LoadedCard
      title="Sign-in methods"
      answer={answer}
      lines={2}
      foot={removed && <RemoveDialog identity={removed} onClose={() => setRemoved(undefined)} />}
    >
      {({ identities }) => (
        <ul class="changes">
          {identities.map((identity) => (
            <li key={identity.provider}>
              <span class="grow stack tight">
                <strong>{providerTitle(identity.provider)}</strong>
                <span class="tiny faint">
                  <bdi>{identity.email}</bdi> since{' '}
                  <Time iso={identity.linkedAt}>{onDate(identity.linkedAt)}</Time>
                </span>
              </span>
              <Button
                small
                disabled={!hasPassword && identities.length === 1}
                onClick={() => setRemoved(identity)}
              >
                Remove…
              </Button>
            </li>
          ))}
          {offered.map((name) => (
            <li key={name}>
              <span class="grow">{providerTitle(name)}</span>
              <Button small onClick={() => startExternalSignIn(name, 'link').catch(notifyError)}>
                Add
              </Button>
            </li>
          ))}
        </ul>
      )}
    </LoadedCard>
  )
}

function RemoveDialog({ identity, onClose }: { identity: Identity; onClose: () => void }) {
  const proof = useProof()
  const remove = useAction(
    async () => {
      await call('removeIdentity', { params: { provider: identity.provider }, body: { ...proof.proof } })
      refresh('listIdentities', 'readMe')
      onClose()
      notify('Sign-in method removed.')
    },
    undefined,
    proof.spend,
  )
  return (
    <FormDialog
      title={`Remove ${providerTitle(identity.provider)}?`}
      label="Remove sign-in method"
      about="You are signed out everywhere else."
      submit="Remove"
      isDanger
      disabled={!proof.proof}
      action={remove}
      onClose={onClose}
    >
      <ProofField of={proof} autofocus />
    </FormDialog>
  )
}
