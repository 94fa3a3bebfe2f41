import type { IconType } from './icons.ts'

type IconProps = { of: IconType; size?: number; class?: string }

/** Decoration: the text beside it, or the label of its button, says the same. */
export const Icon = ({ of: Shape, size = 16, class: extra = '' }: IconProps) => (
  <Shape size={size} class={`icon ${extra}`} strokeWidth={1.75} aria-hidden="true" />
)
