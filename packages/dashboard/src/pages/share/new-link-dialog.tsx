import { useState } from 'preact/hooks'

import { call, type ResponseOf } from '../../developer.ts'
import { refresh } from '../../queries.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog, InfoDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { CopiedValue } from '../../ui/parts.tsx'

/** A link that counts the visits of one post or page. */
export function NewLinkDialog({ route, onClose }: { route: Route; onClose: () => void }) {
  const [label, setLabel] = useState('')
  const [created, setCreated] = useState<ResponseOf<'createTrackedLink'>>()
  const create = useAction(async () => {
    setCreated(await call('createTrackedLink', { params: route.params, body: { label: label.trim() } }))
    refresh('readShareStats', 'listAudit')
  })
  if (created)
    return (
      <InfoDialog
        route={route}
        title={<bdi>{created.link.label}</bdi>}
        label="Tracked link"
        about={created.url ? 'Post this URL.' : 'Your app is not hosted here. Add this to your own URL.'}
        onClose={onClose}
      >
        <CopiedValue text={created.url ?? created.query} label="Copy" />
      </InfoDialog>
    )
  return (
    <FormDialog
      route={route}
      title="Tracked link"
      about="Counts visits from one post or page."
      submit={`Create${inProduction(route)}`}
      disabled={label.trim() === ''}
      action={create}
      onClose={onClose}
    >
      <TextField
        label="Label"
        hint="For example, the post or page."
        maxLength={80}
        value={label}
        change={setLabel}
        autofocus
      />
    </FormDialog>
  )
}
