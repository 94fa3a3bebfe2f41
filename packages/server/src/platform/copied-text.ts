/**
 * For a text that is kept: V8 keeps the whole string of which it is a part, so that a value of a few bytes would hold the frame of
 * 68 KiB that it came in.
 */
export const copyOf = (text: string): string =>
  text.isWellFormed() ? Buffer.from(text).toString() : Buffer.from(text, 'utf16le').toString('utf16le')
