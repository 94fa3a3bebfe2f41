import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { refresh } from '../../queries.ts'
import { Button } from '../../ui/button.tsx'
import { notify, notifyError } from '../../ui/messages.tsx'

export function NameForm({ name }: { name: string | null }) {
  const [text, setText] = useState(name ?? '')
  const [busy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      await call('renameMe', { body: { name: text.trim() } })
      refresh('readMe')
      notify('The name is saved.')
    } catch (error) {
      notifyError(error)
    }
    setBusy(false)
  }
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <input
        class="input"
        aria-label="Name"
        value={text}
        maxLength={80}
        autocomplete="name"
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" busy={busy} disabled={text.trim() === (name ?? '')}>
        Save
      </Button>
    </form>
  )
}
