/** Characters that are not seen or change the direction of a text: an agent could hide in them what it really sends. */
const INVISIBLE = /[\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u00ad\u115f\u1160\u3164\uffa0]/gu

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => String.raw`\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')

/** The arguments of a call as JSON. Parts without a value are left out; a call without arguments is empty. */
export function argumentsText(values: unknown): string {
  const shown =
    typeof values === 'object' && values !== null && !Array.isArray(values)
      ? Object.fromEntries(Object.entries(values).filter(([, part]) => !isEmpty(part)))
      : values
  return JSON.stringify(shown, null, 2).replace(INVISIBLE, escaped)
}

const isEmpty = (part: unknown): boolean =>
  part === null || part === undefined || (typeof part === 'object' && Object.keys(part).length === 0)

/** The player whom a call is about. */
export function playerOf(values: unknown): string | undefined {
  const { params } = (values ?? {}) as { params?: { playerId?: unknown } }
  return typeof params?.playerId === 'string' ? params.playerId : undefined
}
