/**
 * Headers that a request may carry only once. If there are two Host or Authorization headers, Node uses the first, while a proxy
 * may have checked the last. Their names differ in length, so one comparison rules out nearly every other header.
 */
const SINGLE = ['Host', 'Origin', 'X-Svc-Key', 'Content-Type', 'Authorization', 'Idempotency-Key']

const byLength: (string | undefined)[] = []
for (const name of SINGLE) byLength[name.length] = name.toLowerCase()

/** The problem of raw headers (name, value, name, value …); undefined if there is none. */
export function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  let seen = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    const single = byLength[name.length]
    if (single === undefined || name.toLowerCase() !== single) continue
    const bit = 1 << name.length
    if (seen & bit)
      return `the header ${SINGLE.find(({ length }) => length === name.length)} must occur only once`
    seen |= bit
  }
  return undefined
}
