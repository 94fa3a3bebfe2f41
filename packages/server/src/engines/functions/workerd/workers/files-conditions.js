// Conditions and ranges of reads and writes of files.

const matches = (etags, etag, isWeak) =>
  etags.some(({ type, value }) => type === 'wildcard' || (value === etag && (type === 'strong' || isWeak)))

/** Whether the operation may happen; `file` is undefined where there is none. */
export function holds(
  { etagMatches, etagDoesNotMatch, uploadedBefore, uploadedAfter, secondsGranularity },
  file,
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
export function rangeOf({ range, rangeHeader }, size) {
  const whole = { offset: 0, length: size }
  const wanted = rangeHeader ? headerRange(rangeHeader, size) : range
  if (!wanted) return whole
  if (wanted.suffix !== undefined) {
    const length = Math.min(Number(wanted.suffix), size)
    return length > 0 ? { offset: size - length, length } : undefined
  }
  const offset = Number(wanted.offset ?? 0)
  if (offset > size || (offset === size && size > 0)) return undefined
  const length = Math.min(Number(wanted.length ?? size), size - offset)
  return wanted.length !== undefined && Number(wanted.length) <= 0 ? undefined : { offset, length }
}

/** One range of `bytes=…`; several, or none that can be read, mean the whole file. */
function headerRange(header, size) {
  const [, first, last] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/.exec(header) ?? []
  if (!first && !last) return undefined
  if (!first) return { suffix: last }
  return { offset: first, ...(last ? { length: Number(last) - Number(first) + 1 } : { length: size }) }
}
