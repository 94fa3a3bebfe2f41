import type { ComponentChildren } from 'preact'

import { Icon } from './icon.tsx'
import { type IconType, OpenIcon } from './icons.ts'

type ButtonProps = {
  children?: ComponentChildren
  kind?: 'main' | 'plain' | 'quiet' | 'danger'
  icon?: IconType
  /** Required without children; also shown as a tooltip. */
  label?: string
  busy?: boolean
  small?: boolean
  type?: 'button' | 'submit'
  disabled?: boolean
  class?: string
  popovertarget?: string
  onClick?: () => unknown
  'aria-pressed'?: boolean
  'aria-expanded'?: boolean
}

/** A button. While it is busy it is disabled and shows that something runs. */
export function Button({
  children,
  kind = 'plain',
  icon,
  label,
  busy = false,
  small = false,
  type = 'button',
  class: extra,
  disabled,
  onClick,
  ...rest
}: ButtonProps) {
  const classes = ['button', kind, small && 'small-button', !children && 'square', busy && 'busy', extra]
  return (
    <button
      type={type}
      class={classes.filter(Boolean).join(' ')}
      aria-label={label}
      title={children ? undefined : label}
      aria-busy={busy || undefined}
      disabled={disabled || busy}
      onClick={() => void onClick?.()}
      {...rest}
    >
      {icon && <Icon of={icon} />}
      {children && <span>{children}</span>}
    </button>
  )
}

type LinkProps = {
  href: string
  children: ComponentChildren
  kind?: 'main' | 'plain' | 'quiet'
  icon?: IconType
  small?: boolean
  /** Opens in a new tab. */
  external?: boolean
}

/** A link that looks like a button. */
export const LinkButton = ({ href, children, kind = 'plain', icon, small, external }: LinkProps) => (
  <a
    class={`button ${kind}${small ? ' small-button' : ''}`}
    href={href}
    {...(external && { target: '_blank', rel: 'noreferrer' })}
  >
    {icon && <Icon of={icon} />}
    <span>{children}</span>
    {external && <Icon of={OpenIcon} size={14} class="faint" />}
  </a>
)
