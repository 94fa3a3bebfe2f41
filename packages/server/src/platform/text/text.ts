/** Control characters, and characters that change the direction of the text around them. */
const UNPRINTABLE = String.raw`\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069`
const ONE = new RegExp(`[${UNPRINTABLE}]`, 'u')
const ALL = new RegExp(`[${UNPRINTABLE}]`, 'gu')
const ALL_BUT_LINES = new RegExp(`(?![\\n\\t])[${UNPRINTABLE}]`, 'gu')

/** Whether the text has control characters, line breaks, or characters that change the direction of text. */
export const hasUnprintable = (text: string): boolean => ONE.test(text)

/** One line of text by a user, such as a label. */
export const cleanLine = (text: string): string => text.replaceAll(ALL, '')

/** Text by a user with its line breaks, such as a reason or an appeal. */
export const cleanText = (text: string): string =>
  text.replaceAll(/\r\n?|[\u2028\u2029]/gu, '\n').replaceAll(ALL_BUT_LINES, '')

/** A blank that counts as a symbol: the empty Braille pattern, a note without a head, the place of an embedded object. */
const BLANK_SYMBOLS = String.raw`\u2800\u{1d159}\ufffc`
const VISIBLE = new RegExp(
  `(?![\\p{Default_Ignorable_Code_Point}${BLANK_SYMBOLS}])[\\p{L}\\p{N}\\p{P}\\p{S}]`,
  'u',
)

/** Whether a name shows anything at all: some letters are invisible. */
export const hasVisible = (text: string): boolean => VISIBLE.test(text)
