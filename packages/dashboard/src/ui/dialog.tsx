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

/** In which environment the dialog changes something: by word, shape and color. */
const EnvironmentBand = ({ route: { env, project } }: { route: Route }) => (
  <p class="dialog-env" data-env={env}>
    <span class="env-dot" aria-hidden="true" />
    {environmentTitle(env)} <span aria-hidden="true">·</span> <bdi>{project.name}</bdi>
  </p>
)

type InfoDialogProps = {
  title: ComponentChildren
  label: string
  about?: ComponentChildren
  route?: Route
  /** The text of the only button. */
  close?: string
  /** It cannot be closed yet. */
  isKept?: boolean
  onClose: () => void
  children: ComponentChildren
}

/** A dialog that only shows something, such as the result of a form. */
export const InfoDialog = ({
  title,
  label,
  about,
  route,
  close = 'Done',
  isKept = false,
  onClose,
  children,
}: InfoDialogProps) => (
  <Dialog onClose={() => isKept || onClose()} label={label}>
    {route && <EnvironmentBand route={route} />}
    <header class="dialog-head">
      <h2>{title}</h2>
      {about && <p class="soft">{about}</p>}
    </header>
    <div class="dialog-main">{children}</div>
    <footer class="dialog-foot">
      <Button kind="main" disabled={isKept} onClick={onClose}>
        {close}
      </Button>
    </footer>
  </Dialog>
)

type FormDialogProps = {
  title: ComponentChildren
  /** For screen readers, if the title is not plain text. */
  label?: string
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
  const { title, about, route, submit, isDanger, action, disabled = false } = props
  const label = props.label ?? (typeof title === 'string' ? title : '')
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
