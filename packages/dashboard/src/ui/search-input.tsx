import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

import { Icon } from './icon.tsx'
import { SearchIcon } from './icons.ts'

/** A search is sent when nobody has typed for this long. */
const TYPED_MS = 180

type Props = { value: string; label: string; placeholder: string; onChange: (text: string) => void }

/** A field whose text is searched for when nobody has typed for a moment. */
export function SearchInput({ value, label, placeholder, onChange }: Props) {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  // A panel may have opened since the person typed: the newest callback knows it.
  const latest = useRef(onChange)
  latest.current = onChange
  const sent = useRef(value)
  // Only a search of another part of the page replaces the text: letters typed while an own search is sent stay.
  useLayoutEffect(() => {
    if (value === sent.current) return
    sent.current = value
    clearTimeout(timer.current)
    setText(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const send = (typed: string) => {
    sent.current = typed.trim()
    latest.current(sent.current)
  }
  const type = (typed: string) => {
    setText(typed)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => send(typed), TYPED_MS)
  }
  return (
    <div class="search">
      <Icon of={SearchIcon} size={15} />
      <input
        class="input"
        type="search"
        placeholder={placeholder}
        aria-label={label}
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
        spellcheck={false}
        autocomplete="off"
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
  )
}
