/**
 * Headers that a request may carry only once. Of two Host or Authorization headers Node takes the first, while a proxy in front may
 * have checked the last. Their names differ in length, so one comparison rules out nearly every other header.
 */
const SINGLE = ['Host', 'Origin', 'X-Svc-Key', 'Content-Type', 'Authorization', 'Idempotency-Key']

const byLength: (string | undefined)[] = []
for (const name of SINGLE) byLength[name.length] = name.toLowerCase()

/** What is wrong with headers as they were sent: name, value, name, value …; undefined when nothing is. */
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
