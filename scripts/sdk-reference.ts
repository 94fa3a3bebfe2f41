import { anchorOf } from '../packages/docs/src/anchors.ts'
import { SDK_CODES } from './sdk-reference-codes.ts'
import {
  type Declared,
  declaredIn,
  type Doc,
  isCallable,
  type Member,
  MEMBERS_MAX,
  membersOf,
  oneLine,
  readDoc,
} from './sdk-reference-declarations.ts'
import type { Entry, Part } from './sdk-reference-entries.ts'
import { callOf, COMMENT, signatureOf, typeIn } from './sdk-reference-signatures.ts'

export { ENTRIES } from './sdk-reference-entries.ts'

/** Writes the reference of the SDK from its declaration files: one heading per function, with its signature, example and errors. */

/** A table has no longer types than this. */
const TYPE_CHARACTERS_MAX = 120
/** Described elsewhere: the codes in the part about `SvcError`, listeners with each `on`. */
const NOT_LISTED = ['On', 'SvcErrorCode', 'ErrorCode', 'PlayerSignInError', 'ClientErrorCode']

type Context = {
  entry: Entry
  known: ReadonlyMap<string, Declared>
  /** What is described where: name → heading. */
  headings: ReadonlyMap<string, string>
  deprecated: [name: string, instead: string][]
}

/** The page of an entry, as Markdown. */
export function referencePage(entry: Entry, types: string, note: string): string {
  const known = new Map(declaredIn(types).map((one) => [one.name, one]))
  const used = new Set([...usedBy(entry, known), ...NOT_LISTED])
  const helpers = [...known.values()]
    .filter(({ name, kind }) => kind !== 'function' && kind !== 'const' && !used.has(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const headings = new Map([
    ...entry.parts.flatMap(({ title, of }) => of.map((name): [string, string] => [name, title])),
    ...entry.parts.flatMap(({ events }) => (events === undefined ? [] : [events])).map(asHeading),
    ...entry.parts.flatMap((part) => part.with ?? []).map(asHeading),
    ...helpers.map(({ name }) => asHeading(name)),
    ...Object.entries(entry.partTypes ?? {}),
    asHeading('SvcErrorCode'),
  ])
  const context: Context = { entry, known, headings, deprecated: [] }
  const blocks = [
    `# ${entry.module}`,
    note,
    entry.about,
    ...entry.parts.flatMap((part) => partBlocks(part, context)),
    ...(helpers.length === 0 ? [] : ['## Helper types']),
    ...partTypesBlock(entry),
    ...helpers.flatMap((one) => typeBlocks(one, context)),
    ...deprecatedBlocks(context),
  ]
  return `${blocks.join('\n\n')}\n`
}

const asHeading = (name: string): [string, string] => [name, name]

/** The declarations that the parts describe, and those that only combine them. */
function usedBy({ parts, partTypes = {} }: Entry, known: Context['known']): string[] {
  const direct = parts.flatMap(({ of, events, with: more = [] }) => [
    ...of.map((name) => name.split('.', 1)[0] ?? ''),
    ...(events === undefined ? [] : [events]),
    ...more,
  ])
  const combined = [...known.values()].flatMap(({ name, text }) => {
    const [, types] = /^type \w+ = ((?:\w+ & )+\w+);$/.exec(text) ?? []
    return types === undefined ? [] : [name]
  })
  return [...direct, ...combined, ...Object.keys(partTypes)]
}

function partBlocks(part: Part, context: Context): string[] {
  const { title, of, as = title, events, with: more = [] } = part
  const [first = ''] = of
  const declared = context.known.get(first)
  if (declared?.kind === 'function' || declared?.kind === 'const')
    return [
      `## ${title}`,
      ...functionBlocks(declared, readDoc(declared.doc), signatureOf(declared), context),
      ...more.flatMap((name) => declaredBlocks(name, context)),
    ]

  const members = of
    .flatMap((path) => membersAt(path, context))
    .filter((member) => !isLeftOut(member, as, context) && !isConstant(member))
  const functions = members.filter(isCallable)
  return [
    `## ${title}`,
    aboutOf(part, context),
    ...propertyBlocks(
      members.filter((member) => !isCallable(member)),
      as,
      context,
    ),
    ...functions.flatMap((member) => [
      `### ${member.name === 'constructor' ? `new ${title}` : `${as}.${member.name}`}`,
      ...functionBlocks(member, readDoc(member.doc), callOf(member, as, title), context),
      ...(member.name === 'on' && events !== undefined ? eventBlocks(events, context) : []),
    ]),
    ...more.flatMap((name) => declaredBlocks(name, context)),
    ...(title === 'SvcError' ? codeBlocks(context.entry) : []),
  ].filter((block) => block !== '')
}

/** The text of the type of the part. */
function aboutOf({ title, of }: Part, { entry, known }: Context): string {
  const [path = ''] = of
  const [first = '', inner] = path.split('.')
  const [name = first] = Object.entries(entry.partTypes ?? {}).find(([, part]) => part === title) ?? []
  const declared = known.get(name)
  const member = membersOfType(declared).find((one) => one.name === inner)
  return readDoc(member?.doc ?? declared?.doc ?? '').text
}

const membersOfType = (declared: Declared | undefined): Member[] => (declared ? membersOf(declared) : [])

function membersAt(path: string, { known }: Context): Member[] {
  const [name = '', inner] = path.split('.')
  const members = membersOfType(known.get(name))
  return inner === undefined ? members : (members.find((member) => member.name === inner)?.members ?? [])
}

/** `readonly name = "SvcError"` */
const isConstant = ({ text }: Member): boolean => /^readonly \w+ = /.test(text)

/** Deprecated names are in a table of their own. */
function isLeftOut({ name, doc }: Member, as: string, { deprecated }: Context): boolean {
  const instead = readDoc(doc).deprecated
  if (instead !== undefined) deprecated.push([`${as}.${name}`, instead])
  return instead !== undefined
}

/** One function: what it does, how it is called, its parameters, an example, its errors. */
function functionBlocks(
  { name, text: code }: { name: string; text: string },
  { text, params, errors, example }: Doc,
  signature: string,
  context: Context,
): string[] {
  const list = (rows: [string, string][]) =>
    rows.map(([first, words]) => `- \`${first}\`: ${words}`).join('\n')
  return [
    text,
    fence(signature),
    ...(params.length === 0 ? [] : [list(params)]),
    ...linksIn(code, name, context),
    ...(example === undefined ? [] : [fence(example, 'js')]),
    ...(errors.length === 0 ? [] : ['Errors:', list(errors)]),
  ].filter((block) => block !== '')
}

function propertyBlocks(members: readonly Member[], as: string, context: Context): string[] {
  if (members.length === 0) return []
  const rows = members.map(({ name, doc, text, members: inner }) => {
    const path = `${as}.${name}`
    const words = readDoc(doc).text
    // A part with functions of its own has a heading.
    const isPart = context.entry.parts.some(({ title }) => title === path)
    if (isPart) return [`[${path}](#${anchorOf(path)})`, words]
    return [named(path, inner.length > 0 ? 'object' : typeIn(text)), words]
  })
  const code = members.map(({ text }) => text).join('\n')
  return [table(['Property', 'Description'], rows), ...linksIn(code, '', context)]
}

function eventBlocks(name: string, context: Context): string[] {
  const declared = context.known.get(name)
  const rows = membersOfType(declared).map(({ name: event, doc, text }) => {
    const [, args = ''] = /\[([\s\S]*)\];$/.exec(text) ?? []
    return [named(event, oneLine(args)), readDoc(doc).text]
  })
  return [
    `### ${name}`,
    readDoc(declared?.doc ?? '').text,
    table(['Event', 'When'], rows),
    ...linksIn(declared?.text ?? '', name, context),
  ]
}

function declaredBlocks(name: string, context: Context): string[] {
  const declared = context.known.get(name)
  if (!declared) throw new Error(`the SDK does not declare ${name}`)
  if (declared.kind === 'type') return typeBlocks(declared, context)
  return [`### ${name}`, ...functionBlocks(declared, readDoc(declared.doc), signatureOf(declared), context)]
}

/** A type: a table if its members have comments and short types, otherwise its code. */
function typeBlocks(declared: Declared, context: Context): string[] {
  const { name, text } = declared
  const all = membersOf(declared)
  const blocks = [`### ${name}`, readDoc(declared.doc).text].filter((block) => block !== '')
  if (all.length > MEMBERS_MAX)
    return [
      ...blocks,
      'One member per endpoint, with its request and its response. The [API reference](endpoints.md) describes them.',
      all.map((member) => `\`${member.name}\``).join(', '),
    ]
  const members = all.filter((member) => !isLeftOut(member, name, context))
  const isTable =
    members.some(({ doc }) => doc !== '') &&
    members.every((member) => typeIn(member.text).length <= TYPE_CHARACTERS_MAX)
  if (!isTable) return [...blocks, fence(signatureOf(declared)), ...linksIn(text, name, context)]
  const [, others] = /^type \w+(?:<.*>)? = ((?:[\w<>]+ & )+)\{/.exec(text) ?? []
  const also =
    others === undefined
      ? []
      : [
          `Has everything of ${others
            .replace(/ & $/, '')
            .split(' & ')
            .map((one) => linkTo(one, context))
            .join(' and ')}, and:`,
        ]
  const rows = members.map((member) => [
    named(/^(?:readonly )?\w+\?/.test(member.text) ? `${member.name}?` : member.name, typeIn(member.text)),
    readDoc(member.doc).text,
  ])
  return [...blocks, ...also, table(['Field', 'Description'], rows), ...linksIn(text, name, context)]
}

/** The codes of the SDK; the service documents its own. */
function codeBlocks({ hasCodes = false }: Entry): string[] {
  if (!hasCodes)
    return [
      '### SvcErrorCode',
      'The codes of the service are in [Errors](errors.md), those of the SDK in [@svc/sdk](sdk-browser.md#svcerrorcode).',
    ]
  return [
    '### SvcErrorCode',
    'The codes of the service are in [Errors](errors.md). The SDK adds these:',
    table(
      ['Code', 'Meaning'],
      Object.entries(SDK_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
  ]
}

function partTypesBlock({ partTypes = {} }: Entry): string[] {
  const rows = Object.entries(partTypes).map(
    ([name, title]) => `\`${name}\` is the type of [${title}](#${anchorOf(title)})`,
  )
  return rows.length === 0 ? [] : [`${rows.join(', ')}.`]
}

function deprecatedBlocks({ deprecated }: Context): string[] {
  if (deprecated.length === 0) return []
  const rows = deprecated.map(([name, instead]) => [`~~\`${name}\`~~`, instead])
  return ['## Deprecated names', 'They still work.', table(['Name', 'Instead'], rows)]
}

// --- text

/** A name and its type in one cell: the name alone would get an id, which could be that of a heading. */
const named = (name: string, type: string) => `**\`${name}\`**${type === '' ? '' : ` \`${type}\``}`

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) =>
    `| ${cells.map((cell) => oneLine(cell).replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

const linkTo = (name: string, { headings }: Context) => {
  const heading = headings.get(name)
  return heading === undefined ? `\`${name}\`` : `[${name}](#${anchorOf(heading)})`
}

/** Types that the code mentions and that are on the same page. */
function linksIn(code: string, name: string, context: Context): string[] {
  const words = new Set(code.replace(COMMENT, '').match(/\b[A-Z]\w+\b/g))
  const links = [...words].filter((word) => word !== name && word !== 'On' && context.headings.has(word))
  return links.length === 0 ? [] : [`Types: ${links.map((word) => linkTo(word, context)).join(', ')}.`]
}

const fence = (text: string, language = 'ts') => `\`\`\`${language}\n${text}\n\`\`\``
