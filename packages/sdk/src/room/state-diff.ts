import {
  append,
  atMostBytes,
  bytesOf,
  getPrototypeOf,
  isArray,
  isFinite,
  keysOf,
  messageOf,
  SafeMap,
  stringify,
} from './intrinsics.ts'

/**
 * Finds what changed in a state: compares it with a copy, the shadow, and brings the shadow up to date on the way. The keys of an object
 * are compared in their order, so that nothing is looked up while its shape stays the same. The result is a merge patch as text (RFC 7396):
 * objects are merged, arrays replaced, null deletes.
 */

/** Deeper states cannot be sent. It also ends the comparison of a state that creates objects while it is read. */
const DEPTH_MAX = 64

type Copied = string | number | boolean | null | Shadow
/** An object or an array as it was last sent. */
type Shadow = {
  readonly isList: boolean
  /** Of an object, and the same as JSON with a colon. */
  keys: string[]
  names: string[]
  /** Null: the member counts as missing. */
  values: Copied[]
}
type Members = Record<string, unknown>

/** A state that cannot be sent as it is: where (`state.balls.2`), and why. */
export class UnsendableError extends Error {
  readonly path: string
  readonly why: string
  constructor(path: string, why: string) {
    super(`${path} ${why}`)
    this.path = path
    this.why = why
  }
}

/** What was changed in the shadow: taken back if the rest of the state cannot be sent. `at` -1: the keys and all values. */
type Change = { shadow: Shadow; at: number; keys: string[]; names: string[]; values: Copied[]; value: Copied }

/** One state, and what of it was sent. */
export class TrackedState {
  readonly #name: string
  readonly #bytesMax: number
  /** Keys that are compared only if they were touched. */
  readonly #still: SafeMap<string, boolean> | undefined
  #shadow: Shadow = emptyObject()
  /** The size is not larger than this. */
  #bytesAtMost = 2
  #text: string | undefined

  constructor(name: string, bytesMax: number, still: readonly string[] = []) {
    this.#name = name
    this.#bytesMax = bytesMax
    if (still.length === 0) return
    this.#still = new SafeMap()
    for (let at = 0; at < still.length; at++) this.#still.set(still[at] ?? '', false)
  }

  /** The next comparison includes this key. */
  touch(key: string) {
    if (this.#still?.has(key)) this.#still.set(key, true)
  }

  /**
   * Returns what changed since the last call, as a merge patch; an empty text if nothing did. Throws an `UnsendableError` if the state
   * cannot be sent: the next call compares with the same state as this one.
   */
  take(state: unknown): string {
    const changes: Change[] = []
    try {
      const members = membersOf(state, 0)
      const patch = difference(members, this.#shadow, 1, changes, this.#still)
      if (patch !== '') {
        this.#text = undefined
        this.#bytesAtMost += atMostBytes(patch)
        if (this.#bytesAtMost > this.#bytesMax) this.#measure()
      }
      this.#still?.forEach(untouch)
      return patch === '' ? '' : `{${patch}}`
    } catch (error) {
      undo(changes)
      this.#text = undefined
      throw located(error, this.#name)
    }
  }

  /** The whole state as it was last sent. */
  get text(): string {
    return (this.#text ??= textOf(this.#shadow))
  }

  #measure() {
    this.#bytesAtMost = bytesOf(this.text)
    if (this.#bytesAtMost > this.#bytesMax)
      throw new UnsendableError(
        '',
        `has ${this.#bytesAtMost} bytes as JSON, the maximum is ${this.#bytesMax}`,
      )
  }
}

function untouch(isTouched: boolean, key: string, still: Map<string, boolean>) {
  if (isTouched) still.set(key, false)
}

const emptyObject = (): Shadow => ({ isList: false, keys: [], names: [], values: [] })

/** The objects that contain the one that is being read. */
const ancestors: unknown[] = []
for (let depth = 0; depth <= DEPTH_MAX; depth++) append(ancestors, null)

/** Checks that an object can be sent, but not yet its members. */
function membersOf(value: unknown, depth: number): Members {
  if (typeof value !== 'object' || value === null || isArray(value))
    throw new UnsendableError('', `is ${described(value)}, not an object`)
  const prototype = getPrototypeOf(value) as object | null
  // An object of another realm, as some test runners have, has another `Object.prototype`.
  if (prototype !== null && prototype !== Object.prototype && getPrototypeOf(prototype) !== null)
    throw new UnsendableError(
      '',
      `is ${described(value)}: use a plain object, a restored room gets nothing else`,
    )
  return entered(value, depth) as Members
}

function entered<Value extends object>(value: Value, depth: number): Value {
  if (depth >= DEPTH_MAX) throw new UnsendableError('', `is nested more than ${DEPTH_MAX} levels deep`)
  for (let above = 0; above < depth; above++)
    if (ancestors[above] === value) throw new UnsendableError('', 'contains itself')
  ancestors[depth] = value
  return value
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isShadow = (value: Copied | undefined): value is Shadow => typeof value === 'object' && value !== null

/** The members of a patch, without its braces. `depth` is that of the values. */
function difference(
  now: Members,
  before: Shadow,
  depth: number,
  changes: Change[],
  still?: SafeMap<string, boolean>,
): string {
  const { keys, names, values } = before
  let patch = ''
  let at = 0
  let key = ''
  try {
    for (key in now) {
      if (key !== keys[at]) return joined(patch, differenceOfShape(now, before, depth, changes, still))
      const value = now[key]
      const old = values[at] as Copied
      if (value !== old && still?.get(key) !== false) {
        const member = memberDifference(value, old, depth, changes)
        if (member !== undefined) {
          patch = joined(patch, `${names[at]}${member.patch}`)
          if (member.copy !== old) {
            append(changes, { shadow: before, at, keys, names, values, value: old })
            values[at] = member.copy
          }
        }
      }
      at++
    }
  } catch (error) {
    throw located(error, `.${key}`)
  }
  return at === keys.length ? patch : joined(patch, differenceOfShape(now, before, depth, changes, still))
}

const joined = (one: string, other: string) => (one === '' ? other : other === '' ? one : `${one},${other}`)

/** How a member differs from its shadow, and its new shadow; undefined: not at all. */
function memberDifference(
  value: unknown,
  old: Copied,
  depth: number,
  changes: Change[],
): { patch: string; copy: Copied } | undefined {
  if (isObject(value) && isShadow(old)) {
    if (isArray(value)) {
      if (old.isList && isSameList(value, old, depth)) return undefined
    } else if (!old.isList) {
      const patch = difference(membersOf(value, depth), old, depth + 1, changes)
      return patch === '' ? undefined : { patch: `{${patch}}`, copy: old }
    }
  }
  const copy = copyOf(value, depth)
  return copy === old ? undefined : { patch: textOf(copy), copy }
}

/** Keys came, went or moved. */
function differenceOfShape(
  now: Members,
  before: Shadow,
  depth: number,
  changes: Change[],
  still?: SafeMap<string, boolean>,
): string {
  const old = new SafeMap<string, number>()
  for (let at = 0; at < before.keys.length; at++) old.set(before.keys[at] ?? '', at)
  const keys = keysOf(now)
  const names: string[] = []
  const values: Copied[] = []
  let patch = ''
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] ?? ''
    const was = old.get(key)
    const name = (was !== undefined && before.names[was]) || `${stringify(key)}:`
    let copy: Copied = was === undefined ? null : (before.values[was] ?? null)
    if (was === undefined || still?.get(key) !== false) {
      try {
        const value = now[key]
        const member = value === copy ? undefined : memberDifference(value, copy, depth, changes)
        if (member !== undefined) {
          patch = joined(patch, `${name}${member.patch}`)
          copy = member.copy
        }
      } catch (error) {
        throw located(error, `.${key}`)
      }
    }
    append(names, name)
    append(values, copy)
    old.delete(key)
  }
  old.forEach((at) => {
    if (before.values[at] !== null) patch = joined(patch, `${before.names[at]}null`)
  })
  append(changes, {
    shadow: before,
    at: -1,
    keys: before.keys,
    names: before.names,
    values: before.values,
    value: null,
  })
  before.keys = keys
  before.names = names
  before.values = values
  return patch
}

function undo(changes: Change[]) {
  for (let last = changes.length - 1; last >= 0; last--) {
    const change = changes[last] as Change
    if (change.at >= 0) change.values[change.at] = change.value
    change.shadow.keys = change.keys
    change.shadow.names = change.names
    change.shadow.values = change.values
  }
}

/** Compares without writing: an array that changed is copied and sent as a whole. */
function isSameList(list: readonly unknown[], before: Shadow, depth: number): boolean {
  entered(list, depth)
  const { values } = before
  if (list.length !== values.length) return false
  for (let at = 0; at < values.length; at++) {
    const value = list[at]
    const old = values[at] as Copied
    if (value !== old && !(isShadow(old) && isSameValue(value, old, depth + 1))) return false
  }
  return true
}

function isSameValue(value: unknown, before: Shadow, depth: number): boolean {
  if (!isObject(value)) return false
  if (isArray(value)) return before.isList && isSameList(value, before, depth)
  if (before.isList) return false
  const { keys, values } = before
  const members = membersOf(value, depth)
  let at = 0
  for (const key in members) {
    if (key !== keys[at]) return false
    const member = members[key]
    const old = values[at++] as Copied
    if (member !== old && !(isShadow(old) && isSameValue(member, old, depth + 1))) return false
  }
  return at === keys.length
}

/** Copies a value, and checks that it can be sent. */
function copyOf(value: unknown, depth: number): Copied {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && isFinite(value)) return value
  if (typeof value !== 'object')
    throw new UnsendableError('', `is ${described(value)}, which JSON does not have`)
  return isArray(value)
    ? copyOfList(entered(value, depth), depth + 1)
    : copyOfObject(membersOf(value, depth), depth + 1)
}

function copyOfObject(members: Members, depth: number): Shadow {
  const copy = emptyObject()
  copy.keys = keysOf(members)
  for (let at = 0; at < copy.keys.length; at++) {
    const key = copy.keys[at] ?? ''
    try {
      append(copy.values, copyOf(members[key], depth))
    } catch (error) {
      throw located(error, `.${key}`)
    }
    append(copy.names, `${stringify(key)}:`)
  }
  return copy
}

function copyOfList(list: readonly unknown[], depth: number): Shadow {
  const values: Copied[] = []
  for (let at = 0; at < list.length; at++) {
    try {
      if (list[at] === undefined) throw new UnsendableError('', 'is undefined: use null in an array')
      append(values, copyOf(list[at], depth))
    } catch (error) {
      throw located(error, `.${at}`)
    }
  }
  return { isList: true, keys: [], names: [], values }
}

function textOf(copy: Copied): string {
  if (typeof copy === 'string') return stringify(copy)
  if (!isShadow(copy)) return `${copy}`
  const { isList, names, values } = copy
  let text = ''
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as Copied
    if (isList) text += `${at === 0 ? '' : ','}${textOf(value)}`
    else if (value !== null) text += `${text === '' ? '' : ','}${names[at]}${textOf(value)}`
  }
  return isList ? `[${text}]` : `{${text}}`
}

/** Adds where it was found, from the inside out. Getters and proxies of the code may throw anything. */
function located(error: unknown, place: string): UnsendableError {
  if (error instanceof UnsendableError) return new UnsendableError(`${place}${error.path}`, error.why)
  return new UnsendableError(place, `cannot be read: ${messageOf(error)}`)
}

function described(value: unknown): string {
  if (typeof value === 'number' || value === null || value === undefined) return `${value}`
  if (isArray(value)) return 'an array'
  if (typeof value !== 'object') return `a ${typeof value}`
  const { constructor } = value
  return typeof constructor === 'function' && constructor.name !== ''
    ? `a ${constructor.name}`
    : 'no plain object'
}
