export type Encoding = 'br' | 'gzip'

/** The first of `offered` that the client takes (RFC 9110, 12.5.3); undefined: the bytes as they are. */
export function acceptedEncoding(
  header: string | undefined,
  offered: readonly Encoding[],
): Encoding | undefined {
  if (header === undefined || header === '') return undefined
  const refused = new Set<string>()
  const accepted = new Set<string>()
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    const isRefused = parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter))
    if (isRefused) refused.add(name)
    else accepted.add(name)
  }
  return offered.find((name) => accepted.has(name) || (accepted.has('*') && !refused.has(name)))
}

/** RFC 9110, 13.1.2: weakly compared. */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag) return true
  return ifNoneMatch.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
}

export type ByteRange = { start: number; end: number }

/**
 * The one range that is asked for; `beyond` when there is no such byte. Undefined: answer with all of it, also where several
 * are asked for, or where If-Range names other bytes than these (RFC 9110, 14.2).
 */
export function askedRange(
  { range, ifRange }: { range: string | undefined; ifRange: string | undefined },
  size: number,
  etag: string,
): ByteRange | 'beyond' | undefined {
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined
  const [, first, last] = /^bytes\s*=\s*(\d*)-(\d*)$/i.exec(range) ?? []
  if (first === undefined || last === undefined || first + last === '') return undefined

  if (first === '') {
    const count = Math.min(Number(last), size)
    return count === 0 ? 'beyond' : { start: size - count, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? 'beyond' : { start, end }
}
