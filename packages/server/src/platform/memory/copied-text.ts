/**
 * Copies a text that is stored for long. Otherwise V8 keeps the whole string that it is a part of: a value of a few bytes would
 * keep a frame of 68 KiB in memory.
 */
export const copyOf = (text: string): string =>
  text.isWellFormed() ? Buffer.from(text).toString() : Buffer.from(text, 'utf16le').toString('utf16le')
