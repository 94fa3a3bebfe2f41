import { useState } from 'preact/hooks'

import { isObject, type Path, pathKey } from '../json-patch.ts'

/** More entries of one list or object are not drawn. */
const ENTRIES_SHOWN_MAX = 200
/** Below this depth, or with more entries, objects are closed at first. */
const OPEN_DEPTH = 3
const OPEN_ENTRIES_MAX = 50

type Props = {
  value: unknown
  /** Paths to highlight. */
  changed?: readonly Path[]
  /** What to show beside a key, such as the name of the player whose id it is. */
  names?: ReadonlyMap<string, string>
  label: string
}

/** JSON whose objects and lists open and close. What is open stays so when the value changes. */
export const JsonTree = ({ value, changed = [], names = NO_NAMES, label }: Props) => (
  <div class="json-tree" role="region" aria-label={label} tabIndex={0}>
    <Value value={value} path={[]} marks={marksOf(changed)} names={names} />
  </div>
)

const NO_NAMES: ReadonlyMap<string, string> = new Map()

/** By the key of a path: whether it has changed itself, or something inside. */
type Marks = ReadonlyMap<string, 'changed' | 'inside'>

function marksOf(changed: readonly Path[]): Marks {
  const marks = new Map<string, 'changed' | 'inside'>()
  for (const path of changed)
    for (let length = 0; length < path.length; length++) marks.set(pathKey(path.slice(0, length)), 'inside')
  for (const path of changed) marks.set(pathKey(path), 'changed')
  return marks
}

type Branch = Record<string, unknown> | unknown[]
const isBranch = (value: unknown): value is Branch => isObject(value) || Array.isArray(value)
/** What is shown with an arrow. A list of numbers or words is easier to read in one line. */
const opens = (value: unknown): value is Branch =>
  Array.isArray(value) ? value.some(isBranch) : isObject(value) && Object.keys(value).length > 0

type NodeProps = { value: unknown; path: Path; marks: Marks; names: ReadonlyMap<string, string> }

const Value = (props: NodeProps) =>
  opens(props.value) ? (
    <Entries {...props} value={props.value} />
  ) : Array.isArray(props.value) && props.value.length > 0 ? (
    <Items {...props} value={props.value} />
  ) : (
    <Leaf {...props} />
  )

function Entries({ value, path, marks, names }: NodeProps & { value: Branch }) {
  const entries = Object.entries(value)
  return (
    <ul>
      {entries.slice(0, ENTRIES_SHOWN_MAX).map(([key, inside]) => (
        <li key={key}>
          <Entry name={key} value={inside} path={[...path, key]} marks={marks} names={names} />
        </li>
      ))}
      {entries.length > ENTRIES_SHOWN_MAX && <li class="faint">{rest(entries.length)}</li>}
    </ul>
  )
}

function Entry({ name, ...props }: NodeProps & { name: string }) {
  const { value, path, marks, names } = props
  const count = isBranch(value) ? Object.keys(value).length : 0
  const [isOpen, setOpen] = useState(path.length <= OPEN_DEPTH && count <= OPEN_ENTRIES_MAX)
  const mark = marks.get(pathKey(path))
  const classes = `json-entry${mark === 'changed' || (mark && !isOpen) ? ' is-changed' : ''}`
  if (!opens(value))
    return (
      <span class={classes}>
        <bdi class="json-key">{name}</bdi> <Value {...props} />
      </span>
    )
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class={classes}>
        <bdi class="json-key">{name}</bdi>{' '}
        <span class="faint">{Array.isArray(value) ? `[${count}]` : `{${count}}`}</span>
        {names.has(name) && <bdi class="json-name">{names.get(name)}</bdi>}
        {mark === 'changed' && <Changed />}
      </summary>
      {isOpen && <Entries {...props} value={value} />}
    </details>
  )
}

/** Values of a list, side by side. */
const Items = ({ value, path, marks, names }: NodeProps & { value: unknown[] }) => (
  <span class="json-items">
    {value.slice(0, ENTRIES_SHOWN_MAX).map((item, at) => (
      <Leaf key={at} value={item} path={[...path, String(at)]} marks={marks} names={names} />
    ))}
    {value.length > ENTRIES_SHOWN_MAX && <span class="faint">{rest(value.length)}</span>}
  </span>
)

function Leaf({ value, path, marks }: NodeProps) {
  const isChanged = marks.get(pathKey(path)) === 'changed'
  return (
    <span class={`json-value is-${value === null ? 'null' : typeof value}${isChanged ? ' is-changed' : ''}`}>
      <bdi>{JSON.stringify(value) ?? '–'}</bdi>
      {isChanged && <Changed />}
    </span>
  )
}

const Changed = () => <span class="visually-hidden"> changed</span>

const rest = (count: number) => `… and ${count - ENTRIES_SHOWN_MAX} more`
