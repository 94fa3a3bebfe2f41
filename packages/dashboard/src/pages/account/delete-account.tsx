import type { DeveloperView } from '@svc/contract/developers'
import { useState } from 'preact/hooks'

import { asSvcError, call, type SvcError } from '../../developer.ts'
import { forgetToken } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { notify } from '../../ui/messages.tsx'
import { Card } from '../../ui/parts.tsx'
import { ErrorNotice } from '../../ui/states.tsx'

export function DeleteAccount({ developer }: { developer: DeveloperView }) {
  const [isOpen, setOpen] = useState(false)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<SvcError>()
  const remove = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await call('deleteMe', { body: { password } })
      forgetToken()
      notify('Your account is deleted.')
    } catch (failure) {
      setError(asSvcError(failure))
      setBusy(false)
    }
  }
  return (
    <Card title="Delete the account">
      <div class="row wrap">
        <p class="small soft grow">
          Delete your projects first. Credit that is left is lost. This cannot be undone.
        </p>
        <Button disabled={!developer.hasPassword} onClick={() => setOpen(true)}>
          Delete the account…
        </Button>
      </div>
      {isOpen && (
        <FormDialog
          title="Delete your account?"
          label="Delete your account"
          submit="Delete the account"
          isDanger
          busy={busy}
          disabled={email !== developer.email || password === ''}
          onSubmit={remove}
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
          <TextField
            label="Your password"
            type="password"
            autocomplete="current-password"
            value={password}
            change={setPassword}
          />
          {error && <ErrorNotice error={error} />}
        </FormDialog>
      )}
    </Card>
  )
}
