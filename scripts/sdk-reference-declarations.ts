/**
 * Reads the declaration files of the SDK (`sdk-types.ts`). The compiler formats declarations always in the same way: statements are
 * separated by an empty line, and members are indented by four spaces and end with a semicolon.
 */

export type Declared = {
  name: string
  kind: 'type' | 'class' | 'function' | 'const'
  isExported: boolean
  doc: string
  /** Without `export`, `declare` and the doc comment. */
  text: string
}
export type Member = { name: string; doc: string; text: string; members: Member[] }

/** A doc comment by its parts. `params` and `errors` are the texts of `@param` and `@throws`, by name and code. */
export type Doc = {
  text: string
  params: [name: string, text: string][]
  errors: [code: string, text: string][]
  example: string | undefined
  /** What to use instead. */
  deprecated: string | undefined
}

/** A type with more members than this has one per endpoint: the API describes them. */
export const MEMBERS_MAX = 60
/** Types that the caller implements, so the SDK has no example of their functions. */
const IMPLEMENTED_BY_CALLER = [
  'CallOptions',
  'DeveloperOptions',
  'EventHandlers',
  'KeyValueStorage',
  'MeshOptions',
  'Platform',
  'QuickMatchOptions',
  'WebhookOptions',
  'WebSocketLike',
]

const STATEMENT =
  /^(?:\/\*\*([\s\S]*?)\*\/\n)?(export )?(?:declare )?((type|class|function|const) (\w+)[\s\S]*)$/
const NAME = /^(?:(?:readonly|static|get) )*(\w+)/
const CALLABLE = /^(?:readonly )?(?:\w+\??(?:<.*?>)?\(|\w+\??: (?:<.*?>)?\([^)]*\) =>|\w+: On<)/s

/** Reads a declaration file. */
export function declaredIn(types: string): Declared[] {
  const statements = types.trim().split('\n\n')
  const listed = statements.flatMap((text) => /^export type \{ (.*) \};$/.exec(text)?.[1]?.split(', ') ?? [])
  return statements.flatMap((statement) => {
    const [, doc = '', exported, text = '', kind, name = ''] = STATEMENT.exec(statement) ?? []
    if (kind === undefined) return []
    const isExported = exported !== undefined || listed.includes(name)
    return [{ name, kind: kind as Declared['kind'], isExported, doc: docText(doc), text }]
  })
}

/** The members of a class, or of a type that is an object, perhaps with those of other types. */
export function membersOf({ kind, text }: Pick<Declared, 'kind' | 'text'>): Member[] {
  const lines = text.split('\n')
  if (kind === 'class') return readMembers(lines.slice(1, -1), 4)
  const start = lines.findIndex((line) => /^(?:type .* = (?:[\w<>, ]+ & )*)?\{$/.test(line))
  return kind === 'type' && start === 0 && lines.at(-1) === '};' ? readMembers(lines.slice(1, -1), 4) : []
}

function readMembers(lines: readonly string[], indent: number): Member[] {
  const members: Member[] = []
  let doc: string[] | undefined
  let own: string[] = []
  let isInDoc = false
  for (const line of lines) {
    const isFirst = own.length === 0
    if (isFirst && (isInDoc || line.trimStart().startsWith('/**'))) {
      doc = [...(isInDoc ? (doc ?? []) : []), line]
      isInDoc = !line.trimEnd().endsWith('*/')
      continue
    }
    own.push(line.slice(indent))
    const isAtEnd = /^ *\S/.exec(line)?.[0].length === indent + 1 && line.endsWith(';')
    if (!isAtEnd) continue
    const text = own.join('\n')
    const [, name = ''] = NAME.exec(text) ?? []
    const inner = own.length > 2 && /^\w+\??: \{$/.test(own[0] ?? '') ? readMembers(own.slice(1, -1), 4) : []
    if (name !== '')
      members.push({
        name,
        doc: docText((doc ?? []).join('\n').replace(/^\s*\/\*\*|\*\/\s*$/g, '')),
        text,
        members: inner,
      })
    doc = undefined
    own = []
  }
  return members
}

const docText = (comment: string): string =>
  comment
    .split('\n')
    .map((line) => line.trim().replace(/^\* ?/, ''))
    .join('\n')
    .trim()

/** Splits a doc comment at its tags. */
export function readDoc(comment: string): Doc {
  const [text = '', ...tags] = comment.split(/^@(?=\w)/m)
  const tagged = (name: string) =>
    tags.filter((tag) => tag.startsWith(`${name} `)).map((tag) => tag.slice(name.length + 1))
  const pairs = (name: string) =>
    tagged(name).map((tag): [string, string] => {
      const [, first = '', rest = ''] = /^(\S+)\s+([\s\S]*)$/.exec(tag) ?? []
      return [first.replaceAll('`', ''), oneLine(rest)]
    })
  const [example] = tags.flatMap((tag) => /^example\n([\s\S]*)$/.exec(tag)?.[1]?.trimEnd() ?? [])
  return {
    text: text.trim(),
    params: pairs('param'),
    errors: pairs('throws'),
    example,
    deprecated: tagged('deprecated').map(oneLine)[0],
  }
}

export const oneLine = (text: string): string => text.trim().replace(/\s+/g, ' ')

export const isCallable = ({ text }: Member): boolean => CALLABLE.test(text)

/** A function that can be called, by its path: `connect`, `Saves.get`, `ServerClient.players.find`. */
export type Callable = { path: string } & Doc

/** Every function that can be called, without deprecated names. */
export function callablesIn(types: string): Callable[] {
  const among = (path: string, member: Member): Callable[] => [
    ...(isCallable(member) ? [{ path: `${path}.${member.name}`, ...readDoc(member.doc) }] : []),
    ...member.members.flatMap((inner) => among(`${path}.${member.name}`, inner)),
  ]
  return declaredIn(types)
    .flatMap((declared) => {
      const { name, kind, doc } = declared
      if (kind === 'function' || kind === 'const') return [{ path: name, ...readDoc(doc) }]
      const members = membersOf(declared)
      return members.length > MEMBERS_MAX ? [] : members.flatMap((member) => among(name, member))
    })
    .filter(({ deprecated }) => deprecated === undefined)
}

/** The names that need a doc comment and have none: what is exported, and every function that can be called. */
export const undocumentedIn = (types: string): string[] => [
  ...new Set([
    ...declaredIn(types).flatMap(({ name, doc, isExported }) => (isExported && doc === '' ? [name] : [])),
    ...callablesIn(types).flatMap(({ path, text }) => (text === '' ? [path] : [])),
  ]),
]

/** The functions of the SDK that have no example. */
export const withoutExampleIn = (types: string): string[] =>
  callablesIn(types)
    .filter(({ path, example }) => example === undefined && !IMPLEMENTED_BY_CALLER.includes(typeOf(path)))
    .map(({ path }) => path)

/** The declaration that has the function. */
export const typeOf = (path: string): string => path.split('.', 1)[0] ?? ''
