/**
 * What the runtime uses of the language, as it was before the developer's code was loaded: code that replaces a method of `Map`, or adds
 * `toJSON` to every object, must not change what the service receives. For the same reason the runtime destructures no array and has no
 * `for … of`, which both call a method of `Array.prototype`.
 */
export const { parse, stringify } = JSON
/** As `Object.keys` and the others, at the time of loading. */
export const { defineProperty, freeze, getPrototypeOf, keys: keysOf, hasOwn } = Object
/** The prototype of plain objects. */
export const plainPrototype: object = Object.prototype
/** As `Array.isArray`, at the time of loading. */
export const { isArray } = Array
/** As `Number.isFinite`, at the time of loading. */
export const { isFinite, isInteger } = Number
/** As `queueMicrotask`, at the time of loading. */
export const queueTask: (task: () => void) => void = globalThis.queueMicrotask

const encoder = new TextEncoder()
const encode = encoder.encode.bind(encoder)

/** The number of bytes of a text in UTF-8. Needs time: first compare `atMostBytes`. */
export const bytesOf = (text: string): number => encode(text).length
/** A UTF-16 unit has at most three bytes in UTF-8. */
export const atMostBytes = (text: string): number => text.length * 3

/** A map whose methods the developer's code cannot replace. */
export class SafeMap<Key, Value> extends Map<Key, Value> {}
for (const name of ['get', 'set', 'has', 'delete', 'forEach'] as const)
  Object.defineProperty(SafeMap.prototype, name, { value: Map.prototype[name] })
const size = Object.getOwnPropertyDescriptor(Map.prototype, 'size')
if (size) Object.defineProperty(SafeMap.prototype, 'size', size)
freeze(SafeMap.prototype)

/** Appends to an array of the runtime. */
export function append<Item>(items: Item[], item: Item) {
  items[items.length] = item
}

/** Sets an own member of an object of the runtime. `__proto__` would set its prototype. */
export function setMember(members: Record<string, unknown>, key: string, value: unknown) {
  if (key !== '__proto__') members[key] = value
  else defineProperty(members, key, { value, writable: true, enumerable: true, configurable: true })
}

const arrayPrototype: object = Array.prototype

/** The JSON of plain objects and arrays of the runtime. `toJSON`, which the code may have added to all of them, is not called. */
export const textOfPlain = (value: unknown): string =>
  'toJSON' in arrayPrototype ? writtenOut(value) : stringify(value)

function writtenOut(value: unknown): string {
  if (typeof value !== 'object' || value === null) return stringify(value)
  let text = ''
  if (isArray(value)) {
    for (let at = 0; at < value.length; at++) text += `${at === 0 ? '' : ','}${writtenOut(value[at])}`
    return `[${text}]`
  }
  const members = value as Record<string, unknown>
  const keys = keysOf(members)
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] ?? ''
    text += `${at === 0 ? '' : ','}${stringify(key)}:${writtenOut(members[key])}`
  }
  return `{${text}}`
}

/** As `String`, at the time of loading. */
export const asText: (value: unknown) => string = String

/** What a thrown value says, whatever it is. */
export function messageOf(error: unknown): string {
  try {
    const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error
    return shortened(asText(message), MESSAGE_LENGTH_MAX)
  } catch {
    return 'an error that cannot be shown'
  }
}

const MESSAGE_LENGTH_MAX = 500

/** At most so many UTF-16 units. Reads by index: no method of a string is called. */
export function shortened(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  let short = ''
  for (let at = 0; at < lengthMax; at++) short += text[at]
  return short
}
