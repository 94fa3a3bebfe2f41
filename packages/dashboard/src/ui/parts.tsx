import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

import { ago, exactly } from '../format.ts'
import { Icon } from './icon.tsx'
import { CheckIcon, CopyIcon, type IconType } from './icons.ts'

export type CardProps = {
  title?: ComponentChildren
  side?: ComponentChildren
  children: ComponentChildren
  class?: string
  /** False: the content reaches the edges. */
  pad?: boolean
}

/** A part of a page with a border and, mostly, a title. */
export const Card = ({ title, side, children, class: extra = '', pad = true }: CardProps) => (
  <section class={`card ${extra}`}>
    {title && (
      <header class="card-head">
        <h2>{title}</h2>
        {side}
      </header>
    )}
    <div class={pad ? 'card-body' : 'card-bare'}>{children}</div>
  </section>
)

/** The color of a state. */
export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'accent'

type ChipProps = { tone?: Tone; icon?: IconType; children: ComponentChildren }

/** A word with a colored background: the state of something. */
export const Chip = ({ tone = 'neutral', icon, children }: ChipProps) => (
  <span class={`chip ${tone}`}>
    {icon && <Icon of={icon} size={12} />}
    {children}
  </span>
)

/** A time as text of any form; a tooltip shows it exactly. */
export const Time = ({ iso, children }: { iso: string; children: ComponentChildren }) => (
  <time dateTime={iso} title={exactly(iso)}>
    {children}
  </time>
)

type AgoProps = { iso: string | null; small?: boolean }

/** How long ago something happened, like "5 min ago", or never; `small` for the end of a line in a list. */
export const Ago = ({ iso, small = false }: AgoProps) =>
  iso === null ? (
    <>never</>
  ) : (
    <Time iso={iso}>{small ? <span class="tiny faint">{ago(iso)}</span> : ago(iso)}</Time>
  )

/** A name that somebody chose: its direction does not affect the text around it. */
export const Name = ({ children }: { children: string | null }) => (
  <bdi class="name cut">{children === null || children.trim() === '' ? '(no name)' : children}</bdi>
)

const HUES = 6

/** The first letter of a name; the color comes from the id, so that two people with one name differ. */
export function Avatar({ name, id, big = false }: { name: string; id: string; big?: boolean }) {
  let sum = 0
  for (const character of id.slice(-6)) sum += character.charCodeAt(0)
  const letter = Array.from(name.replace(/[^\p{L}\p{N}]/gu, ''))[0]?.toUpperCase() ?? '·'
  return (
    <span class={`avatar hue-${sum % HUES}${big ? ' big' : ''}`} aria-hidden="true">
      {letter}
    </span>
  )
}

const COPIED_MS = 1_600

type CopyProps = { text: string; label: string; children?: ComponentChildren }

/** A button that copies a text, with an icon or with the text itself. */
export function Copy({ text, label, children }: CopyProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  const copy = async () => {
    // A page that is not a secure context has no clipboard.
    const copied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    )
    setState(copied ? 'copied' : 'failed')
    setTimeout(() => setState('idle'), COPIED_MS)
  }
  const message = { idle: label, copied: 'Copied', failed: 'Your browser does not allow copying here' }[state]
  return (
    <button
      type="button"
      class={children ? 'copy with-text' : 'copy'}
      onClick={() => void copy()}
      title={message}
    >
      {children}
      <span class="visually-hidden">{message}</span>
      <Icon
        of={state === 'copied' ? CheckIcon : CopyIcon}
        size={14}
        class={state === 'copied' ? 'is-good' : state === 'failed' ? 'is-bad' : ''}
      />
    </button>
  )
}

/** A long value that can be copied, such as a key or a link. */
export const CopiedValue = ({ text, label }: { text: string; label: string }) => (
  <div class="secret-value">
    <code>{text}</code>
    <Copy text={text} label={label} />
  </div>
)

/** An address that can be copied. */
export const CopiedUrl = ({ url }: { url: string }) => (
  <Copy text={url} label="Copy URL">
    <code class="cut">{url}</code>
  </Copy>
)

/** An id that can be copied, in small letters. */
export const CopiedId = ({ id }: { id: string }) => (
  <Copy text={id} label="Copy ID">
    <code class="tiny faint cut">{id}</code>
  </Copy>
)

/** Code that can be copied. */
export const Snippet = ({ code, label }: { code: string; label: string }) => (
  <div class="snippet">
    <pre tabIndex={0} role="region" aria-label={label}>
      <code>{code}</code>
    </pre>
    <Copy text={code} label={`Copy: ${label}`} />
  </div>
)

export type Segment<Id extends string> = { id: Id; title: ComponentChildren }

type SegmentsProps<Id extends string> = {
  label: string
  items: readonly Segment<Id>[]
  chosen: Id
  choose: (id: Id) => void
}

/** A choice among a few options; one is always chosen. */
export const Segments = <Id extends string>({ label, items, chosen, choose }: SegmentsProps<Id>) => (
  <div class="segments" role="group" aria-label={label}>
    {items.map(({ id, title }) => (
      <button type="button" key={id} aria-pressed={id === chosen} onClick={() => choose(id)}>
        {title}
      </button>
    ))}
  </div>
)

type FigureProps = { title: string; tone?: string; note?: ComponentChildren; children: ComponentChildren }

/** A number with its name, in a list with the class `figures`. */
export const Figure = ({ title, tone = '', note, children }: FigureProps) => (
  <div>
    <dt>{title}</dt>
    <dd class={`tabular ${tone}`}>{children}</dd>
    {note && <dd class="tile-note">{note}</dd>}
  </div>
)

type FactsProps = {
  rows: readonly (readonly [string, ComponentChildren] | false | null | undefined | '')[]
  class?: string
}

/** Pairs of a name and a value; a pair that is not there, such as `false`, is left out. */
export const Facts = ({ rows, class: classes = 'facts' }: FactsProps) => (
  <dl class={classes}>
    {rows.map(
      (row) =>
        row && (
          <>
            <dt>{row[0]}</dt>
            <dd>{row[1]}</dd>
          </>
        ),
    )}
  </dl>
)
