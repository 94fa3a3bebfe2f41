const LENGTH_MAX = 40

/** Neither seen nor printed: control, bidirectional and zero-width characters, and half characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu
/** What makes mail programs show a link: `https://…`, `name@…`, and a name with a dot in it, in any script's dot. */
const OF_LINKS = /[/\\@]+|:(?=\S)|[.\u3002\uff0e\uff61](?=\p{L})/gu

/** A name chosen by a user, made safe for mails: one short line, without links or invisible characters. */
export function mailName(name: string): string {
  const shown = name
    .replace(/[\p{Z}\s]+/gu, ' ')
    .replace(INVISIBLE, '')
    .replace(OF_LINKS, ' ')
    .replace(/ +/g, ' ')
    .trim()
  const characters = Array.from(shown)
  if (characters.length <= LENGTH_MAX) return shown
  return `${characters
    .slice(0, LENGTH_MAX - 1)
    .join('')
    .trimEnd()}…`
}
