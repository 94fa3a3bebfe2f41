/** Positions of an object's members in a JSON text: from the key to the end of the value. */
type Member = { key: string; start: number; valueStart: number; end: number }

const TOKEN = /"(?:\\.|[^"\\])*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** Changes one value in the text of a JSON object and leaves every other character as it is. Missing objects are added. */
export function setInJson(text: string, path: readonly string[], value: boolean): string {
  const start = text.indexOf('{')
  return setIn(text, start, path, value)
}

function setIn(text: string, at: number, [key = '', ...rest]: readonly string[], value: boolean): string {
  const { members, end } = membersAt(text, at)
  const found = members.findLast((member) => member.key === key)
  if (!found) return insert(text, at, { members, end }, `${JSON.stringify(key)}: ${nested(rest, value)}`)
  if (rest.length > 0 && text[found.valueStart] === '{') return setIn(text, found.valueStart, rest, value)
  return text.slice(0, found.valueStart) + nested(rest, value) + text.slice(found.end)
}

const nested = (path: readonly string[], value: boolean): string =>
  path.reduceRight((inner, key) => `{ ${JSON.stringify(key)}: ${inner} }`, String(value))

/** After the last member, in the same layout: on a line of its own, or on the same line. */
function insert(text: string, at: number, { members, end }: ReturnType<typeof membersAt>, member: string) {
  const last = members.at(-1)
  const [first] = members
  if (!last || !first) return `${text.slice(0, at)}{ ${member} }${text.slice(end)}`
  const gap = /^\s*\n\s*/.exec(text.slice(at + 1, first.start))?.[0]
  return `${text.slice(0, last.end)},${gap ?? ' '}${member}${text.slice(last.end)}`
}

/** The members of the object that begins at `at`; `end` is the position after its closing brace. */
function membersAt(text: string, at: number): { members: Member[]; end: number } {
  const members: Member[] = []
  let depth = 0
  let member: Omit<Member, 'end'> | undefined
  TOKEN.lastIndex = at
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    const [token] = match
    const end = match.index + token.length
    if (token === '}' || token === ']') depth--
    if (depth === 0 && token === '}') return { members, end }
    if (depth === 1) {
      if (member === undefined && token.startsWith('"'))
        member = { key: JSON.parse(token), start: match.index, valueStart: -1 }
      else if (token === ',') member = undefined
      else if (member && token !== ':') {
        if (member.valueStart === -1) member.valueStart = match.index
        // A closed object or list ends here; a plain value is a single token.
        if (token !== '{' && token !== '[') members.push({ ...member, end })
      }
    }
    if (token === '{' || token === '[') depth++
  }
  return { members, end: text.length }
}
