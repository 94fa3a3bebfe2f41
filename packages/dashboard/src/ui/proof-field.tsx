import { useEffect, useState } from 'preact/hooks'

import { providerTitle } from '../external-sign-in.ts'
import { newId } from '../platform.ts'
import { useCall } from '../queries.ts'
import { address } from '../route.ts'
import { PasswordField } from './field.tsx'
import { Chip } from './parts.tsx'

/** Proves that the developer is present: the password, or the token of a new external sign-in, which works once. */
export type Proof = { password: string } | { reauthToken: string }

/** The proof of a form. `spend` belongs to the end of its action: a token that was sent does not work again. */
export function useProof() {
  const [proof, change] = useState<Proof>()
  const spend = () => change((used) => (used && 'reauthToken' in used ? undefined : used))
  return { proof, change, spend }
}

type Props = {
  of: ReturnType<typeof useProof>
  label?: string
  hint?: string
  autofocus?: boolean
}

/** Asks for the password; an account without one confirms with a linked provider. */
export function ProofField({ of: { proof, change }, ...field }: Props) {
  const { data } = useCall('readMe', {})
  if (!data) return null
  return data.developer.hasPassword ? (
    <PasswordField
      value={proof && 'password' in proof ? proof.password : ''}
      change={(password) => change(password === '' ? undefined : { password })}
      {...field}
    />
  ) : (
    <ProviderProof isDone={proof !== undefined} change={change} />
  )
}

type ProviderProps = { isDone: boolean; change: (proof: Proof) => void }

/** The provider is opened in another tab, so that the form stays as it is. That tab sends the token. */
function ProviderProof({ isDone, change }: ProviderProps) {
  const { data } = useCall('listIdentities', {})
  const [channel] = useState(newId)
  useEffect(() => {
    const messages = new BroadcastChannel(channel)
    messages.onmessage = ({ data: reauthToken }: MessageEvent<string>) => change({ reauthToken })
    return () => messages.close()
  }, [channel])
  return (
    <div class="stack" role="status">
      {isDone ? (
        <Chip tone="good">Confirmed</Chip>
      ) : (
        <>
          <p class="small soft">Confirm that it is you. Valid for 5 minutes.</p>
          <div class="row wrap">
            {data?.identities.map(({ provider }) => (
              // The new tab needs the session, which may be stored for this tab only: hence `opener`.
              <a
                key={provider}
                class="button plain"
                target="_blank"
                rel="opener"
                href={address(['confirm', provider], { to: channel })}
              >
                Confirm with {providerTitle(provider)}
              </a>
            ))}
          </div>
        </>
      )}
    </div>
  )
}
