import { useState } from 'preact/hooks'

import { call, type ResponseOf } from '../../developer.ts'
import { refresh } from '../../queries.ts'
import { inProduction, type Route } from '../../route.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, EnvironmentBand, FormDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Copy } from '../../ui/parts.tsx'

/** A link that counts the visits of one post or page. */
export function NewLinkDialog({ route, onClose }: { route: Route; onClose: () => void }) {
  const [label, setLabel] = useState('')
  const [created, setCreated] = useState<ResponseOf<'createTrackedLink'>>()
  const create = useAction(async () => {
    setCreated(await call('createTrackedLink', { params: route.params, body: { label: label.trim() } }))
    refresh('readShareStats', 'listAudit')
  })
  if (created) {
    const text = created.url ?? created.query
    return (
      <Dialog onClose={onClose} label="Tracked link">
        <EnvironmentBand route={route} />
        <header class="dialog-head">
          <h2>
            <bdi>{created.link.label}</bdi>
          </h2>
          <p class="soft">
            {created.url
              ? 'Post this address.'
              : 'Your app has no address here: add this to your own address.'}
          </p>
        </header>
        <div class="dialog-main">
          <div class="secret-value">
            <code>{text}</code>
            <Copy text={text} label="Copy" />
          </div>
        </div>
        <footer class="dialog-foot">
          <Button kind="main" onClick={onClose}>
            Done
          </Button>
        </footer>
      </Dialog>
    )
  }
  return (
    <FormDialog
      route={route}
      title="Tracked link"
      label="Tracked link"
      about="It counts who comes from one post or page."
      submit={`Create${inProduction(route)}`}
      disabled={label.trim() === ''}
      action={create}
      onClose={onClose}
    >
      <TextField
        label="Label"
        hint="Such as the post or the page."
        maxLength={80}
        value={label}
        change={setLabel}
        autofocus
      />
    </FormDialog>
  )
}
