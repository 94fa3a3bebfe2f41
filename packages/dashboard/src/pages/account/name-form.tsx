import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { refresh } from '../../queries.ts'
import { submits, useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { notify, notifyError } from '../../ui/messages.tsx'

/** The name of the developer, which the audit log shows. */
export function NameForm({ name }: { name: string | null }) {
  const [text, setText] = useState(name ?? '')
  const save = useAction(async () => {
    await call('renameMe', { body: { name: text.trim() } })
    refresh('readMe')
    notify('Name saved.')
  }, notifyError)
  return (
    <form class="row" onSubmit={submits(save.run)}>
      <input
        class="input"
        aria-label="Name"
        value={text}
        maxLength={80}
        autocomplete="name"
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" busy={save.busy} disabled={text.trim() === (name ?? '')}>
        Save
      </Button>
    </form>
  )
}
