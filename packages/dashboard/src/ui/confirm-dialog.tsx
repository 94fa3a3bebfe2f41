import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../developer.ts'
import { useCall } from '../queries.ts'
import type { Route } from '../route.ts'
import { isFresh, replaceToken, token } from '../session.ts'
import { useAction } from './action.ts'
import { FormDialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { type Proof, ProofField, useProof } from './proof-field.tsx'

type Props = {
  title: ComponentChildren
  label: string
  /** What happens. */
  children: ComponentChildren
  /** The text to type, and the label of its field. */
  typed: string
  typedLabel: string
  submit: string
  route?: Route
  act: () => Promise<unknown>
  onDone: () => void
  onClose: () => void
}

/** For actions that cannot be undone: asks for the name, and for a proof of identity if the last one is older than 15 minutes. */
export function ConfirmDialog({
  title,
  label,
  children,
  typed,
  typedLabel,
  submit,
  route,
  act,
  onDone,
  onClose,
}: Props) {
  const [text, setText] = useState('')
  const proof = useProof()
  const email = useCall('readMe', {}).data?.developer.email
  const asksForProof = !isFresh()

  const confirm = useAction(
    async () => {
      if (asksForProof && proof.proof && email !== undefined) await renewSession(email, proof.proof)
      await act()
      onDone()
    },
    undefined,
    proof.spend,
  )

  return (
    <FormDialog
      title={title}
      label={label}
      submit={submit}
      isDanger
      disabled={text !== typed || (asksForProof && !proof.proof)}
      action={confirm}
      onClose={onClose}
      {...(route && { route })}
    >
      <div class="soft stack">{children}</div>
      <TextField
        label={typedLabel}
        hint={
          <>
            Type <bdi class="strong">{typed}</bdi> to confirm.
          </>
        }
        value={text}
        change={setText}
        autocomplete="off"
        spellcheck={false}
        autofocus
      />
      {asksForProof && <ProofField of={proof} hint="You signed in more than 15 minutes ago." />}
    </FormDialog>
  )
}

/** The next 15 minutes need no proof. A password is checked by a new sign-in; the service has already checked the other proof. */
async function renewSession(email: string, proof: Proof) {
  if (!('password' in proof)) return replaceToken(token.value ?? '')
  const session = await call('logIn', { body: { email, password: proof.password } })
  await call('logOut', {}).catch(() => undefined)
  replaceToken(session.token)
}
