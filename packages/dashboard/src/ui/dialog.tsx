import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

import { environmentTitle, type Route } from '../route.ts'
import { type Action, submits } from './action.ts'
import { Button } from './button.tsx'
import { ErrorNotice } from './states.tsx'

type DialogProps = {
  onClose: () => void
  label: string
  children: ComponentChildren
  class?: string
}

/** The browser's own dialog: it keeps the focus inside and returns it afterwards. */
export function Dialog({ onClose, label, children, class: classes = 'dialog' }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  // Before the next key: what is typed directly after the key that opens a dialog goes into its field.
  useLayoutEffect(() => {
    const dialog = element.current
    if (!dialog) return undefined
    const focusedBefore = document.activeElement
    dialog.showModal()
    dialog.querySelector<HTMLElement>('[autofocus]')?.focus()
    return () => {
      dialog.close()
      if (focusedBefore instanceof HTMLElement && focusedBefore.isConnected) focusedBefore.focus()
    }
  }, [])
  return (
    <dialog
      ref={element}
      class={classes}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => event.target === element.current && onClose()}
    >
      <div class="dialog-inside">{children}</div>
    </dialog>
  )
}

/** In which environment the dialog changes something: by word, shape and colour. */
export const EnvironmentBand = ({ route: { env, project } }: { route: Route }) => (
  <p class="dialog-env" data-env={env}>
    <span class="env-dot" aria-hidden="true" />
    {environmentTitle(env)} <span aria-hidden="true">·</span> <bdi>{project.name}</bdi>
  </p>
)

type FormDialogProps = {
  title: ComponentChildren
  label: string
  about?: ComponentChildren
  route?: Route
  submit: ComponentChildren
  cancel?: string
  isDanger?: boolean
  disabled?: boolean
  wide?: boolean
  /** Other actions, at the start of the footer. */
  side?: ComponentChildren
  /** What submit runs. Its error is shown below the fields. */
  action: Action
  onClose: () => void
  children?: ComponentChildren
}

/** A dialog that changes something: environment, title, fields, cancel and submit. */
export function FormDialog(props: FormDialogProps) {
  const { title, label, about, route, submit, isDanger, action, disabled = false } = props
  return (
    <Dialog onClose={props.onClose} label={label} class={props.wide ? 'dialog is-wide' : 'dialog'}>
      <form data-env={route?.env} onSubmit={submits(action.run)}>
        {route && <EnvironmentBand route={route} />}
        <header class="dialog-head">
          <h2>{title}</h2>
          {about && <p class="soft">{about}</p>}
        </header>
        <div class="dialog-main">
          {props.children}
          {action.error && <ErrorNotice error={action.error} />}
        </div>
        <footer class="dialog-foot">
          {props.side && <span class="grow">{props.side}</span>}
          <Button onClick={props.onClose}>{props.cancel ?? 'Cancel'}</Button>
          <Button kind={isDanger ? 'danger' : 'main'} type="submit" busy={action.busy} disabled={disabled}>
            {submit}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
