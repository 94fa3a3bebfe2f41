import { isObject, type Path, pathKey } from '../json-patch.ts'

/** More entries of one list or object are not drawn. */
const ENTRIES_SHOWN_MAX = 200
/** Below this depth, objects are closed at first. */
const OPEN_DEPTH = 3

type Props = {
  value: unknown
  /** Keys of the paths to highlight, see `pathKey`. */
  changed?: ReadonlySet<string>
  /** What to show beside a key, such as the name of the player whose id it is. */
  names?: ReadonlyMap<string, string>
  label: string
}

/** JSON whose objects and lists open and close. What is open stays so when the value changes. */
export const JsonTree = ({ value, changed = NOTHING, names = NO_NAMES, label }: Props) => (
  <div class="json-tree" role="region" aria-label={label} tabIndex={0}>
    {isBranch(value) && sizeOf(value) > 0 ? (
      <Entries value={value} path={[]} changed={changed} names={names} />
    ) : (
      <Leaf value={value} isChanged={changed.has(pathKey([]))} />
    )}
  </div>
)

const NOTHING: ReadonlySet<string> = new Set()
const NO_NAMES: ReadonlyMap<string, string> = new Map()

type Branch = Record<string, unknown> | unknown[]
const isBranch = (value: unknown): value is Branch => isObject(value) || Array.isArray(value)
const sizeOf = (value: Branch): number => (Array.isArray(value) ? value.length : Object.keys(value).length)

type NodeProps = { path: Path; changed: ReadonlySet<string>; names: ReadonlyMap<string, string> }

function Entries({ value, path, changed, names }: NodeProps & { value: Branch }) {
  const entries = Object.entries(value)
  const rest = entries.length - ENTRIES_SHOWN_MAX
  return (
    <ul>
      {entries.slice(0, ENTRIES_SHOWN_MAX).map(([key, inside]) => (
        <li key={key}>
          <Entry name={key} value={inside} path={[...path, key]} changed={changed} names={names} />
        </li>
      ))}
      {rest > 0 && <li class="faint">… and {rest} more</li>}
    </ul>
  )
}

function Entry({ name, value, path, changed, names }: NodeProps & { name: string; value: unknown }) {
  const isChanged = changed.has(pathKey(path))
  if (!isBranch(value) || sizeOf(value) === 0)
    return (
      <span class={isChanged ? 'json-entry is-changed' : 'json-entry'}>
        <bdi class="json-key">{name}</bdi> <Leaf value={value} isChanged={isChanged} />
      </span>
    )
  return (
    <details open={path.length <= OPEN_DEPTH}>
      <summary class={isChanged ? 'json-entry is-changed' : 'json-entry'}>
        <bdi class="json-key">{name}</bdi>{' '}
        <span class="faint">{Array.isArray(value) ? `[${value.length}]` : `{${sizeOf(value)}}`}</span>
        {names.has(name) && <bdi class="json-name">{names.get(name)}</bdi>}
        {isChanged && <span class="visually-hidden"> changed</span>}
      </summary>
      <Entries value={value} path={path} changed={changed} names={names} />
    </details>
  )
}

const Leaf = ({ value, isChanged }: { value: unknown; isChanged: boolean }) => (
  <>
    <span class={`json-value is-${value === null ? 'null' : typeof value}`}>
      <bdi>{JSON.stringify(value) ?? '–'}</bdi>
    </span>
    {isChanged && <span class="visually-hidden"> changed</span>}
  </>
)
