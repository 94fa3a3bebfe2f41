import type { DeveloperView } from '@svc/contract/developers/developers'
import { useState } from 'preact/hooks'

import { asSvcError, call } from '../../developer.ts'
import { cents } from '../../format.ts'
import { forgetToken } from '../../session.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { notify } from '../../ui/messages.tsx'
import { Card } from '../../ui/parts.tsx'
import { ProofField, useProof } from '../../ui/proof-field.tsx'

/** Deletes the account, after a question if prepaid credit would be lost. */
export function DeleteAccount({ developer }: { developer: DeveloperView }) {
  const [isOpen, setOpen] = useState(false)
  const [email, setEmail] = useState('')
  const proof = useProof()
  /** Credit that the account still has, after the service has said so. */
  const [lost, setLost] = useState<number>()
  const onError = (failure: unknown) => {
    const refused = asSvcError(failure)
    if (refused.code !== 'balance_remaining') throw refused
    setLost(Number(refused.details['balance']))
  }
  const remove = useAction(
    async () => {
      await call('deleteMe', {
        body: { ...proof.proof, ...(lost !== undefined && { forfeitBalance: true }) },
      })
      forgetToken()
      notify('Account deleted.')
    },
    onError,
    proof.spend,
  )
  return (
    <Card title="Delete account">
      <div class="row wrap">
        <p class="small soft grow">
          Delete your projects first. You lose any remaining credit. This cannot be undone.
        </p>
        <Button onClick={() => setOpen(true)}>Delete account…</Button>
      </div>
      {isOpen && (
        <FormDialog
          title="Delete your account?"
          label="Delete your account"
          submit={lost === undefined ? 'Delete account' : 'Delete account and lose credit'}
          isDanger
          disabled={email !== developer.email || !proof.proof}
          action={remove}
          onClose={() => setOpen(false)}
        >
          <TextField
            label="Your email address"
            hint="Type it to confirm."
            autocomplete="off"
            value={email}
            change={setEmail}
            autofocus
          />
          <ProofField of={proof} />
          {lost !== undefined && (
            <p role="alert">
              Your account has <strong>{cents(lost)}</strong> of prepaid credit, which you will lose.
            </p>
          )}
        </FormDialog>
      )}
    </Card>
  )
}
