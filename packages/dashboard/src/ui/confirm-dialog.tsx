import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../developer.ts'
import { useCall } from '../queries.ts'
import type { Route } from '../route.ts'
import { isFresh, replaceToken } from '../session.ts'
import { useAction } from './action.ts'
import { FormDialog } from './dialog.tsx'
import { PasswordField, TextField } from './field.tsx'

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

/** For actions that cannot be undone: asks for the name, and for the password if it was entered more than 15 minutes ago. */
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
  const [password, setPassword] = useState('')
  const me = useCall('readMe', {})
  const developer = me.data?.developer
  const asksForPassword = developer?.hasPassword === true && !isFresh()

  const confirm = useAction(async () => {
    if (asksForPassword) {
      const session = await call('logIn', { body: { email: developer.email, password } })
      await call('logOut', {}).catch(() => undefined)
      replaceToken(session.token)
    }
    await act()
    onDone()
  })

  return (
    <FormDialog
      title={title}
      label={label}
      submit={submit}
      isDanger
      disabled={text !== typed || developer === undefined || (asksForPassword && password === '')}
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
      {asksForPassword && (
        <PasswordField hint="You signed in more than 15 minutes ago." value={password} change={setPassword} />
      )}
    </FormDialog>
  )
}
