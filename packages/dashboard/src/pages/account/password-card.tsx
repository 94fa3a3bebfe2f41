import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { refresh } from '../../queries.ts'
import { submits, useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { notify } from '../../ui/messages.tsx'
import { Card } from '../../ui/parts.tsx'
import { type Proof, ProofField, useProof } from '../../ui/proof-field.tsx'
import { ErrorNotice } from '../../ui/states.tsx'

const LENGTH_MIN = 8

/** A new password ends all other sessions. */
export function PasswordCard({ hasPassword }: { hasPassword: boolean }) {
  const proof = useProof()
  const [password, setPassword] = useState('')
  const { run, busy, error } = useAction(
    async () => {
      await call('changePassword', { body: { password, ...currentOf(proof.proof) } })
      proof.change(undefined)
      setPassword('')
      notify('Password changed. You are signed out everywhere else.')
      refresh('readMe')
    },
    undefined,
    proof.spend,
  )
  return (
    <Card title="Password">
      <form class="form" onSubmit={submits(run)}>
        <ProofField of={proof} label="Current password" />
        <TextField
          label="New password"
          hint="At least 8 characters. Signs you out everywhere else."
          type="password"
          autocomplete="new-password"
          minLength={LENGTH_MIN}
          maxLength={256}
          value={password}
          change={setPassword}
        />
        {error && <ErrorNotice error={error} />}
        <div>
          <Button type="submit" busy={busy} disabled={password.length < LENGTH_MIN || !proof.proof}>
            {hasPassword ? 'Change password' : 'Set password'}
          </Button>
        </div>
      </form>
    </Card>
  )
}

const currentOf = (proof: Proof | undefined) =>
  proof && 'password' in proof ? { currentPassword: proof.password } : proof
