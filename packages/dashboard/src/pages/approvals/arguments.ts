/** Characters that are not seen or change the direction of a text: an agent could hide in them what it really sends. */
const INVISIBLE = /[\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u00ad\u115f\u1160\u3164\uffa0]/gu

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => String.raw`\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')

/** The page shows them on its own, and the agent does not choose them. */
const OF_TOKEN = ['projectId', 'env']

/** The arguments of a call as JSON, without parts that are empty. */
export function argumentsText(values: unknown): string {
  return JSON.stringify(isObject(values) ? chosenIn(values) : values, null, 2).replace(INVISIBLE, escaped)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function chosenIn({ params, ...others }: Record<string, unknown>) {
  const chosen = isObject(params)
    ? Object.fromEntries(Object.entries(params).filter(([name]) => !OF_TOKEN.includes(name)))
    : params
  return Object.fromEntries(
    Object.entries({ params: chosen, ...others }).filter(([, part]) => !isEmpty(part)),
  )
}

const isEmpty = (part: unknown): boolean =>
  part === null || part === undefined || (typeof part === 'object' && Object.keys(part).length === 0)

/** The player whom a call is about. */
export function playerOf(values: unknown): string | undefined {
  const { params } = (values ?? {}) as { params?: { playerId?: unknown } }
  return typeof params?.playerId === 'string' ? params.playerId : undefined
}
