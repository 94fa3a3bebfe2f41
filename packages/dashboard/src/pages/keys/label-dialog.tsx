import type { KeyView } from '@svc/contract/projects'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { inProduction, type Place } from '../../place.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'

type Props = { here: Place; keyView: KeyView; onSaved: () => void; onClose: () => void }

export function LabelDialog({ here, keyView, onSaved, onClose }: Props) {
  const [label, setLabel] = useState(keyView.label ?? '')
  const save = useAction(async () => {
    const params = { projectId: here.project.id, keyId: keyView.id }
    await call('relabelKey', { params, body: { label: label.trim() } })
    onSaved()
    onClose()
  })
  return (
    <FormDialog
      here={here}
      title="Label of the key"
      label="Label of the key"
      submit={`Save${inProduction(here)}`}
      disabled={label.trim() === (keyView.label ?? '')}
      action={save}
      onClose={onClose}
    >
      <TextField
        label="Label"
        hint="Such as the server that uses it. Empty: no label."
        maxLength={60}
        value={label}
        change={setLabel}
        autofocus
      />
    </FormDialog>
  )
}
