/** Control characters, and those that turn the direction of the text around them. */
const UNPRINTABLE = String.raw`\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069`
const ONE = new RegExp(`[${UNPRINTABLE}]`, 'u')
const ALL = new RegExp(`[${UNPRINTABLE}]`, 'gu')
const ALL_BUT_LINES = new RegExp(`(?![\\n\\t])[${UNPRINTABLE}]`, 'gu')

export const hasUnprintable = (text: string): boolean => ONE.test(text)

/** One line that somebody wrote for others to read: a label. */
export const cleanLine = (text: string): string => text.replaceAll(ALL, '')

/** Text that somebody wrote for others to read, with its line breaks: a reason, an appeal. */
export const cleanText = (text: string): string =>
  text.replaceAll(/\r\n?|[\u2028\u2029]/gu, '\n').replaceAll(ALL_BUT_LINES, '')
