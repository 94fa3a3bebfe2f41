import type { ComponentChildren } from 'preact'

type PageProps = {
  title: ComponentChildren
  /** Directly after the title. */
  beside?: ComponentChildren
  /** At the other end of the line of the title: filters and actions. */
  side?: ComponentChildren
  class?: string
  children: ComponentChildren
}

/** A page: its title, what belongs to the whole page, and its content. */
export const Page = ({ title, beside, side, class: extra = '', children }: PageProps) => (
  <div class={`page ${extra}`}>
    <header class="page-head">
      <h1>{title}</h1>
      {beside}
      <span class="grow" />
      {side}
    </header>
    {children}
  </div>
)
