/** Characters that are not seen or change the direction of a text: somebody could hide in them what a text really says. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** A text in which every invisible character is seen as its number; lines and tabs stay. */
export const visible = (text: string): string =>
  text.replace(INVISIBLE, (character) =>
    character === '\n' || character === '\t'
      ? character
      : String.raw`\u{${character.codePointAt(0)?.toString(16)}}`,
  )
