import type { KeyView } from '@svc/contract/projects'
import { useState } from 'preact/hooks'

import { asSvcError, call, type SvcError } from '../../developer.ts'
import { inProduction, type Place } from '../../place.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/states.tsx'

type Props = { here: Place; keyView: KeyView; onSaved: () => void; onClose: () => void }

export function LabelDialog({ here, keyView, onSaved, onClose }: Props) {
  const [label, setLabel] = useState(keyView.label ?? '')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<SvcError>()
  const save = async () => {
    setBusy(true)
    setError(undefined)
    try {
      const params = { projectId: here.project.id, keyId: keyView.id }
      await call('relabelKey', { params, body: { label: label.trim() } })
      onSaved()
      onClose()
    } catch (failure) {
      setError(asSvcError(failure))
      setBusy(false)
    }
  }
  return (
    <FormDialog
      here={here}
      title="Label of the key"
      label="Label of the key"
      submit={`Save${inProduction(here)}`}
      busy={busy}
      disabled={label.trim() === (keyView.label ?? '')}
      onSubmit={save}
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
      {error && <ErrorNotice error={error} />}
    </FormDialog>
  )
}
