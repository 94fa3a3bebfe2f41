const LENGTH_MAX = 40

/** Invisible: control, bidirectional and zero-width characters, and unpaired surrogates. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu
/** Parts that make mail programs show a link: of `https://…`, of `name@…`, and the dot in a name, in any script. */
const LINK_PARTS = /[/\\@]+|:(?=\S)|[.\u3002\uff0e\uff61](?=\p{L})/gu

/** A name chosen by a user, made safe for mails: one short line, without links or invisible characters. */
export function mailName(name: string): string {
  const shown = name
    .replace(/[\p{Z}\s]+/gu, ' ')
    .replace(INVISIBLE, '')
    .replace(LINK_PARTS, ' ')
    .replace(/ +/g, ' ')
    .trim()
  const characters = Array.from(shown)
  if (characters.length <= LENGTH_MAX) return shown
  return `${characters
    .slice(0, LENGTH_MAX - 1)
    .join('')
    .trimEnd()}…`
}
