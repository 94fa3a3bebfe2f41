import type { TSchema } from 'typebox'

type Marked = { properties?: Record<string, { trimmed?: boolean; cleaned?: boolean }> }

/**
 * Removes white space around the texts of a body that the contract marks with `TRIMMED`, and U+0000 from those with `CLEANED`.
 * Undefined if no text is marked.
 */
export function trimmingOf(schema: TSchema): ((body: unknown) => unknown) | undefined {
  const { properties = {} } = schema as Marked
  const marked = Object.entries(properties).filter(([, { trimmed, cleaned }]) => trimmed || cleaned)
  if (marked.length === 0) return undefined

  return (body) => {
    const input = body as Record<string, unknown>
    const changed = marked.flatMap(([name, { trimmed }]) => {
      const text = input[name]
      if (typeof text !== 'string') return []
      return [[name, trimmed ? text.normalize('NFC').trim() : text.replaceAll('\0', '')]]
    })
    return { ...input, ...Object.fromEntries(changed) }
  }
}
