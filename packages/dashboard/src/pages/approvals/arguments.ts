/** What the service adds; the page shows it, and the agent does not choose it. */
const OF_TOKEN = ['projectId', 'env']

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What the agent sends, by the name of the argument. A body that is one document, such as a config, has the name `body`. */
export function argumentsOf(values: unknown, tool: string): [name: string, value: unknown][] {
  if (!isObject(values)) return [['', values]]
  const { params, query, body } = values
  const members = (part: unknown) => (isObject(part) ? Object.entries(part) : [])
  const ofBody: [string, unknown][] =
    tool === 'push_config' || !isObject(body) ? [['body', body]] : members(body)
  return [
    ...members(params).filter(([name]) => !OF_TOKEN.includes(name)),
    ...members(query),
    ...ofBody,
  ].flatMap(([name, value]) => (value === undefined || value === null ? [] : leavesOf(name, value)))
}

/** Code in a list of objects is shown with its lines; everything else stays together. */
function leavesOf(name: string, value: unknown): [name: string, value: unknown][] {
  const isNested = typeof value === 'object' && JSON.stringify(value).includes(String.raw`\n`)
  if (!isNested || value === null) return [[name, value]]
  return Object.entries(value).flatMap(([key, member]) =>
    leavesOf(Array.isArray(value) ? `${name}[${key}]` : `${name}.${key}`, member),
  )
}
