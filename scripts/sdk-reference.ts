/**
 * Writes the reference of the SDK from its declaration files (`sdk-types.ts`): every name with its doc comment and its signature. The
 * compiler formats declarations always in the same way: statements are separated by an empty line, and members are indented by four
 * blanks and end with a semicolon.
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

/** The reference of one entry of the SDK. */
export type Entry = {
  /** The page in docs/. */
  file: string
  module: string
  about: string
  /** The declaration file. */
  types: string
}

export const ENTRIES: readonly Entry[] = [
  {
    file: 'docs/sdk-browser.md',
    module: '@svc/sdk',
    about:
      'For pages and games, in a browser or in Node. A page that the service hosts imports `/.svc/sdk.js`. Begin with [connect](#connect); [Svc](#svc) is what it returns.',
    types: 'packages/sdk/dist/sdk.d.ts',
  },
  {
    file: 'docs/sdk-ui.md',
    module: '@svc/sdk/ui',
    about: 'The sign-in dialog. A page that the service hosts imports `/.svc/sdk-ui.js`.',
    types: 'packages/sdk/dist/sdk-ui.d.ts',
  },
  {
    file: 'docs/sdk-server.md',
    module: '@svc/sdk/server',
    about: 'For your own server, with the secret key of an environment.',
    types: 'packages/sdk/dist/server.d.ts',
  },
  {
    file: 'docs/sdk-developer.md',
    module: '@svc/sdk/developer',
    about: 'For tools of developers, with a developer session or a secret key. The command line uses it.',
    types: 'packages/sdk/dist/developer.d.ts',
  },
]

/** Longer signatures get a block of code of their own. */
const LINE_CHARACTERS_MAX = 96
/** A type with more members than this has one per endpoint: the API describes them. */
const MEMBERS_MAX = 60
/** Types that the caller implements, so the SDK has no example of their functions. */
const IMPLEMENTED_BY_CALLER = [
  'CallOptions',
  'DeveloperOptions',
  'EventHandlers',
  'KeyValueStorage',
  'MeshOptions',
  'Platform',
  'WebhookOptions',
  'WebSocketLike',
]

const STATEMENT =
  /^(?:\/\*\*([\s\S]*?)\*\/\n)?(export )?(?:declare )?((type|class|function|const) (\w+)[\s\S]*)$/
const COMMENT = /\n? *\/\*\*[\s\S]*?\*\//g
const NAME = /^(?:(?:readonly|static|get) )*(\w+)/
const CALLABLE = /^(?:readonly )?(?:\w+\??(?:<.*?>)?\(|\w+\??: (?:<.*?>)?\([^)]*\) =>|\w+: On<)/s
const EXAMPLE = /\n*@example\n/

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

const isCallable = ({ text, members }: Member): boolean => CALLABLE.test(text) || members.some(isCallable)

/** A function that can be called, by its path: `connect`, `Saves.get`, `ServerClient.players.find`. */
export type Callable = { path: string; doc: string; example: string | undefined }

/** Every function that can be called. */
export function callablesIn(types: string): Callable[] {
  const callable = (path: string, doc: string): Callable => ({ path, ...partsOf(doc) })
  const among = (path: string, { name, doc, text, members }: Member): Callable[] => [
    ...(CALLABLE.test(text) ? [callable(`${path}.${name}`, doc)] : []),
    ...members.flatMap((member) => among(`${path}.${name}`, member)),
  ]
  return declaredIn(types).flatMap((declared) => {
    const { name, kind, doc } = declared
    if (kind === 'function' || kind === 'const') return [callable(name, doc)]
    const members = membersOf(declared)
    return members.length > MEMBERS_MAX ? [] : members.flatMap((member) => among(name, member))
  })
}

/** The names that need a doc comment and have none: what is exported, and every function that can be called. */
export const undocumentedIn = (types: string): string[] => [
  ...new Set([
    ...declaredIn(types).flatMap(({ name, doc, isExported }) => (isExported && doc === '' ? [name] : [])),
    ...callablesIn(types).flatMap(({ path, doc }) => (doc === '' ? [path] : [])),
  ]),
]

/** The functions of the SDK that have no example. */
export const withoutExampleIn = (types: string): string[] =>
  callablesIn(types)
    .filter(({ path, example }) => example === undefined && !IMPLEMENTED_BY_CALLER.includes(typeOf(path)))
    .map(({ path }) => path)

/** The declaration that has the function. */
export const typeOf = (path: string): string => path.split('.', 1)[0] ?? ''

/** Splits a doc comment in its text and the code after `@example`. */
function partsOf(comment: string): { doc: string; example: string | undefined } {
  const [doc = '', example] = comment.split(EXAMPLE)
  return { doc, example }
}

/** The page of an entry, as Markdown. */
export function referencePage({ module, about }: Entry, types: string, note: string): string {
  const declared = declaredIn(types)
  const names = new Set(declared.map(({ name }) => name))
  const section = (one: Declared) => [`### ${one.name}`, ...describe(one, names)].join('\n\n')
  const byKind = (kinds: readonly Declared['kind'][], isExported: boolean) =>
    declared
      .filter((one) => kinds.includes(one.kind) && one.isExported === isExported)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map(section)
  const group = (title: string, sections: string[]) =>
    sections.length > 0 ? [`## ${title}`, ...sections] : []
  return `${[
    `# ${module}`,
    note,
    about,
    ...group('Exported functions', byKind(['function', 'const'], true)),
    ...group('Exported classes', byKind(['class'], true)),
    ...group('Exported types', byKind(['type'], true)),
    ...group('Types that are not exported', byKind(['type', 'class'], false)),
  ].join('\n\n')}\n`
}

function describe(one: Declared, names: ReadonlySet<string>): string[] {
  const members = membersOf(one)
  const links = linksIn(one, names)
  const { doc: words, example } = partsOf(one.doc)
  const doc = words === '' ? [] : [words]
  if (members.length > MEMBERS_MAX)
    return [
      ...doc,
      'One member per endpoint, with its request and its response; the [endpoints](endpoints.md) describe them:',
      members.map(({ name }) => `\`${name}\``).join(', '),
    ]
  if (members.length === 0)
    return [
      ...doc,
      fence(signatureOf(one)),
      ...(example === undefined ? [] : [fence(example, 'js')]),
      ...links,
    ]
  const head = one.text.slice(0, one.text.indexOf('{\n')).trim()
  const extended = / extends | &$/.test(head) ? [fence(`${head} { … }`)] : []
  return [...doc, ...extended, members.flatMap((member) => listed(member, '')).join('\n'), ...links]
}

/** Types that the declaration mentions and that are on the same page. */
function linksIn({ name, text }: Declared, names: ReadonlySet<string>): string[] {
  const words = new Set(text.replace(COMMENT, '').match(/\b[A-Z]\w+\b/g))
  const links = [...words].filter((word) => word !== name && names.has(word))
  return links.length === 0
    ? []
    : [`See ${links.map((word) => `[${word}](#${word.toLowerCase()})`).join(', ')}.`]
}

function listed(member: Member, path: string): string[] {
  const { name, text, members } = member
  const { doc, example } = partsOf(member.doc)
  const words = doc === '' ? '' : `  \n  ${doc.replaceAll('\n', ' ')}`
  if (members.some(isCallable))
    return [`- \`${path}${name}\`${words}`, ...members.flatMap((inner) => listed(inner, `${path}${name}.`))]
  const signature = withoutComments(text).replace(/;$/, '')
  const oneLine = signature.replace(/\s+/g, ' ')
  const isShort = oneLine.length <= LINE_CHARACTERS_MAX
  const blocks = [
    ...(isShort ? [] : [fence(`${path}${signature}`)]),
    ...(example === undefined ? [] : [fence(example, 'js')]),
  ].map((block) => `\n\n${indented(block)}`)
  return [
    `- \`${path}${isShort ? oneLine : name}\`${words}${blocks.join('')}${blocks.length > 0 ? '\n' : ''}`,
  ]
}

const indented = (text: string) => text.replace(/^(?=.)/gm, '  ')

const withoutComments = (text: string) => text.replace(COMMENT, '').replace(/^\n/, '')

function signatureOf({ kind, text, name }: Declared): string {
  const bare = withoutComments(text).replace(/;$/, '')
  if (kind === 'const') return bare.replace(/^const /, '')
  return wrapped(kind === 'function' ? bare.replace(/^function /, '') : bare, name)
}

/** A long union gets several lines. */
function wrapped(text: string, name: string): string {
  if (text.length <= LINE_CHARACTERS_MAX || text.includes('\n') || !text.startsWith(`type ${name} = `))
    return text
  const lines = [`type ${name} =`]
  for (const part of text.slice(`type ${name} = `.length).split(' | ')) {
    const last = lines.at(-1) ?? ''
    if (lines.length === 1 || last.length + part.length > LINE_CHARACTERS_MAX) lines.push(`  | ${part}`)
    else lines[lines.length - 1] = `${last} | ${part}`
  }
  return lines.join('\n')
}

const fence = (text: string, language = 'ts') => `\`\`\`${language}\n${text}\n\`\`\``
