import { signal } from '@preact/signals'

import { asSvcError } from '../developer.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { CloseIcon, DoneIcon, UndoIcon, WarningIcon } from './icons.ts'

type Message = { id: number; text: string; undo?: () => void; isError?: boolean }

/** How long a message with `undo` is shown. */
export const UNDO_MS = 10_000
const SHOWN_MS = 6_000
const SHOWN_MAX = 3

const messages = signal<Message[]>([])
let lastId = 0

/** Shows what happened; `undo` reverts it while the message is shown. */
export function notify(text: string, more: Omit<Message, 'id' | 'text'> = {}) {
  const message = { id: ++lastId, text, ...more }
  messages.value = [...messages.value, message].slice(-SHOWN_MAX)
  setTimeout(() => dismiss(message.id), more.undo ? UNDO_MS : SHOWN_MS)
}

/** Shows why a call failed, at the edge of the page. */
export const notifyError = (error: unknown) => notify(asSvcError(error).message, { isError: true })

const dismiss = (id: number) => (messages.value = messages.value.filter((message) => message.id !== id))

/** The short messages of `notify`; the app contains it once. */
export const Messages = () => (
  <div class="messages" role="status" aria-live="polite">
    {messages.value.map(({ id, text, undo, isError }) => (
      <div key={id} class="message">
        <Icon of={isError ? WarningIcon : DoneIcon} class={isError ? 'is-bad' : 'is-good'} />
        <span class="grow">{text}</span>
        {undo && (
          <Button
            small
            kind="quiet"
            icon={UndoIcon}
            onClick={() => {
              dismiss(id)
              undo()
            }}
          >
            Undo
          </Button>
        )}
        <Button small kind="quiet" icon={CloseIcon} label="Dismiss" onClick={() => dismiss(id)} />
      </div>
    ))}
  </div>
)
