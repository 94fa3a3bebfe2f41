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

/** The current password of the developer, which confirms what they do. */
export const PasswordField = ({ label = 'Your password', ...field }: Partial<TextFieldProps>) => (
  <TextField label={label} type="password" autocomplete="current-password" {...field} />
)

type SelectProps = Omit<ComponentProps<'select'>, 'onChange' | 'children'> & {
  items: readonly { id: string; title: string }[]
  change: (id: string) => void
}

/** A choice among options that are shown when it is opened. */
export const Select = ({ items, change, ...select }: SelectProps) => (
  <select class="input" onChange={(event) => change(event.currentTarget.value)} {...select}>
    {items.map(({ id, title }) => (
      <option key={id} value={id}>
        {title}
      </option>
    ))}
  </select>
)

type CheckProps = { checked: boolean; change: (isChecked: boolean) => void; children: ComponentChildren }

/** A box that can be ticked, and its text. */
export const Check = ({ checked, change, children }: CheckProps) => (
  <label class="check">
    <input type="checkbox" checked={checked} onChange={(event) => change(event.currentTarget.checked)} />{' '}
    {children}
  </label>
)

type TextAreaProps = Omit<FieldProps, 'children'> &
  Omit<ComponentProps<'textarea'>, 'label' | 'children' | 'onInput'> & { change: (text: string) => void }

/** A `Field` with an input of several lines. */
export const TextArea = ({ label, hint, problem, side, change, ...area }: TextAreaProps) => (
  <Field label={label} hint={hint} problem={problem} side={side}>
    {(id, describedBy) => (
      <textarea
        id={id}
        class="input"
        aria-describedby={describedBy}
        onInput={(event) => change(event.currentTarget.value)}
        {...area}
      />
    )}
  </Field>
)

type SliderProps = {
  label: string
  value: number
  min?: number
  max: number
  step: number
  /** The value as text, such as "200 ms". */
  format: (value: number) => string
  disabled?: boolean
  change: (value: number) => void
}

/** A number between two others, with its value as text. */
export function Slider({ label, value, min = 0, max, step, format, disabled, change }: SliderProps) {
  const id = useId()
  return (
    <div class="slider">
      <label htmlFor={id}>{label}</label>
      <output htmlFor={id} class="tabular">
        {format(value)}
      </output>
      <input
        id={id}
        type="range"
        class="range"
        min={min}
        max={max}
        step={step}
        value={value}
        disabled={disabled}
        aria-valuetext={format(value)}
        onInput={(event) => change(Number(event.currentTarget.value))}
      />
    </div>
  )
}
