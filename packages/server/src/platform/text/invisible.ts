/**
 * Characters that a reader does not see, or that change what is around them: controls, format characters (zero width, direction, tags),
 * ignorable code points and separators of lines. Lone surrogates, too.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Replaces each invisible character by `\u{…}` with its number, so that it can be seen. */
export const escapeInvisible = (text: string): string =>
  text.replaceAll(INVISIBLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
