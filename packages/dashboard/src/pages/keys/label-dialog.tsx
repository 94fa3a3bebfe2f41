import type { KeyView } from '@svc/contract/developers/projects'
import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'

type Props = { route: Route; keyView: KeyView; onSaved: () => void; onClose: () => void }

/** Changes the label of a key. */
export function LabelDialog({ route, keyView, onSaved, onClose }: Props) {
  const [label, setLabel] = useState(keyView.label ?? '')
  const save = useAction(async () => {
    const params = { projectId: route.project.id, keyId: keyView.id }
    await call('relabelKey', { params, body: { label: label.trim() } })
    onSaved()
    onClose()
  })
  return (
    <FormDialog
      route={route}
      title="Key label"
      submit={`Save${inProduction(route)}`}
      disabled={label.trim() === (keyView.label ?? '')}
      action={save}
      onClose={onClose}
    >
      <TextField
        label="Label"
        hint="For example, the server that uses it. Leave empty for no label."
        maxLength={60}
        value={label}
        change={setLabel}
        autofocus
      />
    </FormDialog>
  )
}
