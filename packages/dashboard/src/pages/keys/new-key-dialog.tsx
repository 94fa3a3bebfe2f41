import type { KeyType } from '@svc/contract/developers/projects'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { newId } from '../../platform.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, EnvironmentBand, FormDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Copy, Segments } from '../../ui/parts.tsx'

const LABEL_LENGTH_MAX = 60

type Props = { route: Route; onCreated: () => void; onClose: () => void }

/** The value of a secret key exists only while this dialog is open. */
export function NewKeyDialog({ route, onCreated, onClose }: Props) {
  const [type, setType] = useState<KeyType>('publishable')
  const [label, setLabel] = useState('')
  const [value, setValue] = useState<string>()
  const [idempotencyKey] = useState(newId)

  const create = useAction(async () => {
    const { plaintext } = await call(
      'createKey',
      { params: route.params, body: { type, ...(label.trim() && { label: label.trim() }) } },
      { idempotencyKey },
    )
    setValue(plaintext)
    onCreated()
  })

  if (value !== undefined) return <CreatedKey route={route} type={type} value={value} onClose={onClose} />
  return (
    <FormDialog
      route={route}
      title="New key"
      label="New key"
      submit={`Create${inProduction(route)}`}
      action={create}
      onClose={onClose}
    >
      <Segments
        label="Type"
        items={[
          { id: 'publishable', title: 'Publishable' },
          { id: 'secret', title: 'Secret' },
        ]}
        chosen={type}
        choose={setType}
      />
      <p class="small soft">
        {type === 'secret'
          ? 'For servers and CI. It can read and change everything in this environment, so it must never be part of a page.'
          : 'For pages and apps. It identifies the environment; players sign in with it.'}
      </p>
      <TextField
        label="Label"
        hint="Optional, such as the server that uses it."
        maxLength={LABEL_LENGTH_MAX}
        value={label}
        change={setLabel}
        autofocus
      />
    </FormDialog>
  )
}

type CreatedProps = { route: Route; type: KeyType; value: string; onClose: () => void }

function CreatedKey({ route, type, value, onClose }: CreatedProps) {
  const isSecret = type === 'secret'
  const [isStored, setStored] = useState(!isSecret)
  return (
    <Dialog onClose={() => isStored && onClose()} label="New key">
      <EnvironmentBand route={route} />
      <header class="dialog-head">
        <h2>Your new key</h2>
        <p class="soft">
          {isSecret
            ? 'It is shown only now. Afterwards you can only create another one.'
            : 'It may be part of a page. The list of keys shows it again.'}
        </p>
      </header>
      <div class="dialog-main">
        <div class="secret-value">
          <code>{value}</code>
          <Copy text={value} label="Copy the key" />
        </div>
        {isSecret && (
          <label class="check">
            <input
              type="checkbox"
              checked={isStored}
              onChange={(event) => setStored(event.currentTarget.checked)}
            />{' '}
            I have stored the key
          </label>
        )}
      </div>
      <footer class="dialog-foot">
        <Button kind="main" disabled={!isStored} onClick={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  )
}
