import type { KeyType } from '@svc/contract/developers/projects'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { newId } from '../../platform.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog, InfoDialog } from '../../ui/dialog.tsx'
import { Check, TextField } from '../../ui/field.tsx'
import { CopiedValue, Segments } from '../../ui/parts.tsx'

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
          ? 'For servers and CI. It can read and change everything in this environment, so never put it in a page.'
          : 'For pages and apps. It identifies the environment; players sign in with it.'}
      </p>
      <TextField
        label="Label"
        hint="Optional. For example, the server that uses it."
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
    <InfoDialog
      route={route}
      title="Your new key"
      label="New key"
      about={
        isSecret
          ? 'Copy it now. You won’t be able to see it again.'
          : 'Safe in a page. You can find it in the list of keys.'
      }
      isKept={!isStored}
      onClose={onClose}
    >
      <CopiedValue text={value} label="Copy key" />
      {isSecret && (
        <Check checked={isStored} change={setStored}>
          I saved it
        </Check>
      )}
    </InfoDialog>
  )
}
