/** JSON merge patches, as rooms with code send them: objects are merged, null deletes a key, everything else is replaced. */

export type JsonObject = { [key: string]: unknown }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value after the patch. What the patch does not name is shared with `target`; neither is changed. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged: JsonObject = isObject(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    // Not by assignment: a key may be `__proto__`.
    if (value === null) Reflect.deleteProperty(merged, key)
    else define(merged, key, mergePatch(Object.hasOwn(merged, key) ? merged[key] : undefined, value))
  }
  return merged
}

const define = (object: JsonObject, key: string, value: unknown) =>
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })

/** A place in a value: the keys that lead to it. */
export type Path = readonly string[]
/** A path as one text, for sets. */
export const pathKey = (path: Path): string => JSON.stringify(path)

/** `undefined` stands for what is not there. */
export type Change = { path: Path; before: unknown; after: unknown }

/** Where two values differ. An object or list that is new or gone is one change; so is a list whose items moved. */
export function changesBetween(before: unknown, after: unknown, path: Path = []): Change[] {
  // What a patch does not name is the same object before and after.
  if (before === after) return []
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].flatMap((key) =>
      changesBetween(memberOf(before, key), memberOf(after, key), [...path, key]),
    )
  }
  if (!Array.isArray(before) || !Array.isArray(after)) return [{ path, before, after }]
  const shared = Math.min(before.length, after.length)
  const inShared = changesOfItems(before, after, path, 0, shared)
  if (before.length === after.length) return inShared
  if (inShared.length > 0) return [{ path, before, after }]
  return changesOfItems(before, after, path, shared, Math.max(before.length, after.length))
}

const changesOfItems = (
  before: readonly unknown[],
  after: readonly unknown[],
  path: Path,
  from: number,
  to: number,
): Change[] =>
  Array.from({ length: to - from }, (_, at) => from + at).flatMap((at) =>
    changesBetween(before[at], after[at], [...path, String(at)]),
  )

const memberOf = (object: JsonObject, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined
