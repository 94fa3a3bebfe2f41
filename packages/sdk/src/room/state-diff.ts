import {
  append,
  atMostBytes,
  bytesOf,
  getPrototypeOf,
  isArray,
  isFinite,
  keysOf,
  messageOf,
  plainPrototype,
  SafeMap,
  setMember,
  textOfPlain,
} from './intrinsics.ts'

/**
 * Finds what changed in a state: compares it with a copy, the shadow, and brings the shadow up to date on the way. The keys of an object
 * are compared in their order, so that nothing is looked up while its shape stays the same. The result is a merge patch (RFC 7396):
 * objects are merged, arrays replaced, null deletes.
 */

/** Deeper states cannot be sent. */
const DEPTH_MAX = 64

type Copied = string | number | boolean | null | Shadow
/** An object or an array as it was last sent. A value of an object that is null counts as missing. */
type Shadow = { readonly isList: boolean; keys: string[]; values: Copied[] }
type Members = Record<string, unknown>
/** `at` -1: all keys and values were replaced, otherwise one value. Taken back if the rest of the state cannot be sent. */
type Change = { shadow: Shadow; at: number; keys: string[]; values: Copied[]; value: Copied }
/** Keys that are compared only if they were touched, and whether they were. */
type Still = SafeMap<string, boolean>

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

/** One state, and what of it was sent. */
export class TrackedState {
  readonly #name: string
  readonly #bytesMax: number
  readonly #still: Still | undefined
  readonly #shadow = emptyObject()
  /** The size is not larger than this. */
  #bytesAtMost = 2
  /** Whether its patches are worth measuring. */
  #isLarge = false
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
      const patch = difference(membersOf(state, 0), this.#shadow, 0, changes, this.#still)
      // Keys that only moved are in no patch, but in the text.
      if (changes.length > 0) this.#text = undefined
      const text = patch === undefined ? '' : textOfPlain(patch)
      if (text !== '') this.#checkSize(text)
      this.#still?.forEach(untouch)
      return text
    } catch (error) {
      undo(changes)
      this.#text = undefined
      throw located(error, this.#name)
    }
  }

  /** The whole state as it was last sent. */
  get text(): string {
    return (this.#text ??= textOfPlain(plainOf(this.#shadow)))
  }

  /** A patch adds at most its own size. The whole state is measured only if that could be too much. */
  #checkSize(patch: string) {
    this.#bytesAtMost += this.#isLarge ? bytesOf(patch) : atMostBytes(patch)
    if (this.#bytesAtMost <= this.#bytesMax) return
    const bytes = bytesOf(this.text)
    this.#bytesAtMost = bytes
    this.#isLarge = bytes > this.#bytesMax / 4
    if (bytes <= this.#bytesMax) return
    throw new UnsendableError('', `has ${bytes} bytes as JSON, the maximum is ${this.#bytesMax}`)
  }
}

function untouch(isTouched: boolean, key: string, still: Map<string, boolean>) {
  if (isTouched) still.set(key, false)
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const emptyObject = (): Shadow => ({ isList: false, keys: [], values: [] })

// --- comparing

/** The objects that contain the one that is being read. */
const ancestors: unknown[] = []
for (let depth = 0; depth < DEPTH_MAX; depth++) append(ancestors, null)

/**
 * Checks an object, but not yet its members. Only what is new is checked: a shadow ends somewhere, so that a cycle is always found where
 * something has no shadow yet.
 */
function membersOf(value: unknown, depth: number): Members {
  if (!isObject(value) || isArray(value))
    throw new UnsendableError('', `is ${described(value)}, not an object`)
  const prototype = getPrototypeOf(value) as object | null
  // An object of another realm, as some test runners have, has another `Object.prototype`.
  if (prototype !== plainPrototype && prototype !== null && getPrototypeOf(prototype) !== null)
    throw new UnsendableError('', `is ${described(value)}: use a plain object, as a restored room will get`)
  return entered(value, depth) as Members
}

function entered<Value extends object>(value: Value, depth: number): Value {
  if (depth >= DEPTH_MAX) throw new UnsendableError('', `is nested more than ${DEPTH_MAX} levels deep`)
  for (let above = 0; above < depth; above++)
    if (ancestors[above] === value) throw new UnsendableError('', 'contains itself')
  ancestors[depth] = value
  return value
}

/** The patch of an object; undefined if nothing changed. */
function difference(
  now: Members,
  before: Shadow,
  depth: number,
  changes: Change[],
  still?: Still,
): Members | undefined {
  const { keys, values } = before
  ancestors[depth] = now
  let patch: Members | undefined
  let at = 0
  let place = ''
  try {
    for (const key in now) {
      if (key !== keys[at]) {
        at = -1
        break
      }
      place = key
      const value = now[key]
      const old = values[at] as Copied
      if (value !== old && still?.get(key) !== false) {
        // What is most frequent first: an object that was one before.
        if (isObject(value) && isObject(old) && !old.isList && !isArray(value)) {
          const inner = difference(value as Members, old, depth + 1, changes)
          if (inner !== undefined) setMember((patch ??= {}), key, inner)
        } else if (!isSame(value, old)) {
          append(changes, { shadow: before, at, keys, values, value: old })
          const copy = copyOf(value, depth + 1)
          values[at] = copy
          setMember((patch ??= {}), key, plainOf(copy))
        }
      }
      at++
    }
  } catch (error) {
    throw located(error, `.${place}`)
  }
  return at === keys.length ? patch : differenceOfShape(now, before, depth, changes, still, patch)
}

/** As `difference`, for an object whose keys came, went or moved. `patch` is what was already found. */
function differenceOfShape(
  now: Members,
  before: Shadow,
  depth: number,
  changes: Change[],
  still: Still | undefined,
  patch: Members | undefined,
): Members | undefined {
  membersOf(now, depth)
  const old = new SafeMap<string, Copied>()
  for (let at = 0; at < before.keys.length; at++) old.set(before.keys[at] ?? '', before.values[at] ?? null)
  const keys = keysOf(now)
  const values: Copied[] = []
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] ?? ''
    const was = old.get(key)
    let copy = was ?? null
    try {
      const value = was !== undefined && still?.get(key) === false ? was : now[key]
      if (isObject(value) && isObject(was) && value !== was && !was.isList && !isArray(value)) {
        const inner = difference(value as Members, was, depth + 1, changes)
        if (inner !== undefined) setMember((patch ??= {}), key, inner)
      } else if (value !== was && !isSame(value, copy)) {
        copy = copyOf(value, depth + 1)
        setMember((patch ??= {}), key, plainOf(copy))
      }
    } catch (error) {
      throw located(error, `.${key}`)
    }
    append(values, copy)
    old.delete(key)
  }
  old.forEach((value, key) => {
    if (value !== null) setMember((patch ??= {}), key, null)
  })
  append(changes, { shadow: before, at: -1, keys: before.keys, values: before.values, value: null })
  before.keys = keys
  before.values = values
  return patch
}

function undo(changes: Change[]) {
  for (let last = changes.length - 1; last >= 0; last--) {
    const { shadow, at, keys, values, value } = changes[last] as Change
    if (at >= 0) values[at] = value
    shadow.keys = keys
    shadow.values = values
  }
}

/** Whether a value is the same as its copy. An array that changed is sent as a whole. */
function isSame(value: unknown, before: Copied): boolean {
  if (!isObject(value)) return value === before || (value === undefined && before === null)
  if (!isObject(before) || isArray(value) !== before.isList) return false
  const { keys, values } = before
  if (isArray(value)) {
    if (value.length !== values.length) return false
    for (let at = 0; at < values.length; at++) {
      const item: unknown = value[at]
      // In an array undefined is not the same as null.
      if (item !== values[at] && (!isObject(item) || !isSame(item, values[at] as Copied))) return false
    }
    return true
  }
  let at = 0
  for (const key in value) {
    if (key !== keys[at]) return false
    const member = (value as Members)[key]
    if (member !== values[at] && !isSame(member, values[at] as Copied)) return false
    at++
  }
  return at === keys.length
}

// --- copying

/** Copies a value, and checks that it can be sent. */
function copyOf(value: unknown, depth: number): Copied {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && isFinite(value)) return value
  if (typeof value !== 'object')
    throw new UnsendableError('', `is ${described(value)}, which JSON does not have`)
  if (isArray(value)) return copyOfList(entered(value, depth), depth + 1)
  const members = membersOf(value, depth)
  const copy = emptyObject()
  copy.keys = keysOf(members)
  for (let at = 0; at < copy.keys.length; at++) {
    const key = copy.keys[at] ?? ''
    try {
      append(copy.values, copyOf(members[key], depth + 1))
    } catch (error) {
      throw located(error, `.${key}`)
    }
  }
  return copy
}

function copyOfList(list: readonly unknown[], depth: number): Shadow {
  const values: Copied[] = []
  for (let at = 0; at < list.length; at++) {
    try {
      const value = list[at]
      if (value === undefined) throw new UnsendableError('', 'is undefined: use null in an array')
      append(values, copyOf(value, depth))
    } catch (error) {
      throw located(error, `.${at}`)
    }
  }
  return { isList: true, keys: [], values }
}

/** A copy as JSON has it: objects without members that count as missing. */
function plainOf(copy: Copied): unknown {
  if (!isObject(copy)) return copy
  const { isList, keys, values } = copy
  const list: unknown[] = []
  const members: Members = {}
  for (let at = 0; at < values.length; at++) {
    const value = plainOf(values[at] as Copied)
    if (isList) append(list, value)
    else if (value !== null) setMember(members, keys[at] ?? '', value)
  }
  return isList ? list : members
}

// --- problems

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
    ? `of the class ${constructor.name}`
    : 'of a class'
}
