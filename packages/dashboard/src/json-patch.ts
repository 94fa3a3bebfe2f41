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

export type Change = { path: Path; before: unknown; after: unknown }

/** What a patch changes in a value, key by key; `undefined` stands for a key that is not there. */
export function changesOf(before: unknown, patch: unknown, path: Path = []): Change[] {
  if (!isObject(patch)) return isSame(before, patch) ? [] : [{ path, before, after: patch }]
  const from = isObject(before) ? before : {}
  const changes = Object.entries(patch).flatMap(([key, value]) => {
    const had = Object.hasOwn(from, key) ? from[key] : undefined
    if (value === null)
      return had === undefined ? [] : [{ path: [...path, key], before: had, after: undefined }]
    return changesOf(had, value, [...path, key])
  })
  // An empty object, or one in place of something else, is a change of its own.
  const isNew = before === undefined ? changes.length === 0 : !isObject(before)
  return isNew ? [{ path, before, after: mergePatch(undefined, patch) }] : changes
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other ||
  (typeof one === 'object' && typeof other === 'object' && JSON.stringify(one) === JSON.stringify(other))
