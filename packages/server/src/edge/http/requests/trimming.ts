import type { TSchema } from 'typebox'

type Marked = { properties?: Record<string, { trimmed?: boolean }> }

/** Removes white space around the marked texts of a body (see `TRIMMED` in the contract). Undefined if no text is marked. */
export function trimmingOf(schema: TSchema): ((body: unknown) => unknown) | undefined {
  const { properties = {} } = schema as Marked
  const names = Object.keys(properties).filter((name) => properties[name]?.trimmed)
  if (names.length === 0) return undefined

  return (body) => {
    if (typeof body !== 'object' || body === null) return body
    const input = body as Record<string, unknown>
    const trimmed = names.flatMap((name) => {
      const text = input[name]
      return typeof text === 'string' ? [[name, text.normalize('NFC').trim()]] : []
    })
    return { ...input, ...Object.fromEntries(trimmed) }
  }
}
