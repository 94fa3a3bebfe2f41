// Conditions and ranges of reads and writes of files.

type Etag = { type: 'strong' | 'weak' | 'wildcard'; value?: string }
export type Condition = {
  etagMatches?: Etag[]
  etagDoesNotMatch?: Etag[]
  uploadedBefore?: number | string
  uploadedAfter?: number | string
  secondsGranularity?: boolean
}
export type Range = {
  offset?: number | string
  length?: number | string
  suffix?: number | string | undefined
}

const matches = (etags: readonly Etag[], etag: string, isWeak: boolean): boolean =>
  etags.some(({ type, value }) => type === 'wildcard' || (value === etag && (type === 'strong' || isWeak)))

/** Whether the operation may happen; `file` is undefined where there is none. */
export function holds(
  { etagMatches, etagDoesNotMatch, uploadedBefore, uploadedAfter, secondsGranularity }: Condition,
  file: { etag: string; uploaded: number } | undefined,
) {
  if (!file) return etagMatches === undefined && uploadedAfter === undefined
  const uploaded = secondsGranularity ? Math.floor(file.uploaded / 1000) * 1000 : file.uploaded
  const isMatch = etagMatches === undefined || matches(etagMatches, file.etag, false)
  const isOther = etagDoesNotMatch === undefined || !matches(etagDoesNotMatch, file.etag, true)
  // As in HTTP: an entity tag outranks a date.
  const isUnmodified =
    uploadedBefore === undefined ||
    uploaded < Number(uploadedBefore) ||
    (etagMatches !== undefined && isMatch)
  const isModified =
    uploadedAfter === undefined ||
    uploaded > Number(uploadedAfter) ||
    (etagDoesNotMatch !== undefined && isOther)
  return isMatch && isOther && isUnmodified && isModified
}

/** Offset and length of what is read; undefined if it is outside the file. */
export function rangeOf({ range, rangeHeader }: { range?: Range; rangeHeader?: string }, size: number) {
  const whole = { offset: 0, length: size }
  const part = rangeHeader ? headerRange(rangeHeader, size) : range
  if (!part) return whole
  if (part.suffix !== undefined) {
    const length = Math.min(Number(part.suffix), size)
    return length > 0 ? { offset: size - length, length } : undefined
  }
  const offset = Number(part.offset ?? 0)
  if (offset > size || (offset === size && size > 0)) return undefined
  const length = Math.min(Number(part.length ?? size), size - offset)
  return part.length !== undefined && Number(part.length) <= 0 ? undefined : { offset, length }
}

/** One range of `bytes=…`; several, or none that can be read, mean the whole file. */
function headerRange(header: string, size: number): Range | undefined {
  const [, first, last] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/.exec(header) ?? []
  if (!first && !last) return undefined
  if (!first) return { suffix: last }
  return { offset: first, ...(last ? { length: Number(last) - Number(first) + 1 } : { length: size }) }
}
