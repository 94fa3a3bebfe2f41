import type { ComponentChildren, ComponentProps, Ref } from 'preact'
import { useId } from 'preact/hooks'

type FieldProps = {
  label: string
  hint?: ComponentChildren
  problem?: string | undefined
  side?: ComponentChildren
  children: (id: string, describedBy: string) => ComponentChildren
}

/** A label, what is filled in, and a hint or the problem with it. */
export function Field({ label, hint, problem, side, children }: FieldProps) {
  const id = useId()
  return (
    <div class="field">
      <div class="row field-label">
        <label htmlFor={id} class="grow">
          {label}
        </label>
        {side}
      </div>
      {children(id, `${id}-hint`)}
      <p
        class={problem ? 'field-hint is-bad' : 'field-hint'}
        id={`${id}-hint`}
        role={problem ? 'alert' : undefined}
      >
        {problem ?? hint}
      </p>
    </div>
  )
}

type TextFieldProps = Omit<FieldProps, 'children'> &
  Omit<ComponentProps<'input'>, 'label' | 'children' | 'onInput' | 'ref'> & {
    change?: (text: string) => void
    inputRef?: Ref<HTMLInputElement>
  }

/** A `Field` with an input of one line. */
export const TextField = ({
  label,
  hint,
  problem,
  side,
  change,
  inputRef = null,
  ...input
}: TextFieldProps) => (
  <Field label={label} hint={hint} problem={problem} side={side}>
    {(id, describedBy) => (
      <input
        ref={inputRef}
        id={id}
        class="input"
        aria-describedby={describedBy}
        onInput={(event) => change?.(event.currentTarget.value)}
        {...input}
      />
    )}
  </Field>
)
