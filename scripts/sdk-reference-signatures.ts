import { type Declared, type Member, oneLine, readDoc } from './sdk-reference-declarations.ts'

/** Signatures and types as the reference shows them. */

/** Longer signatures get several lines. */
const LINE_CHARACTERS_MAX = 64
/** Longer objects inside of a signature get several lines. */
const SMALL_OBJECT_MAX = 56

export const COMMENT = /\n? *\/\*\*[\s\S]*?\*\//g

/** The type of a property or a method. */
export function typeIn(text: string): string {
  const line = oneLine(text).replace(/;$/, '').replaceAll('; }', ' }')
  const [, parameters, result] = /^\w+\??(\(.*\)): (.*)$/.exec(line) ?? []
  if (parameters !== undefined) return `${parameters} => ${result}`
  return line.replace(/^(?:(?:readonly|get) )*\w+\??(?:\(\))?(?:: | = )/, '')
}

/** How a member is called: `svc.saves.get<Data>(key: string): Promise<Save<Data> | null>`. */
export function callOf({ name, text }: Member, as: string, title: string): string {
  const bare = text.replace(/;$/, '').replace(/^readonly /, '')
  if (name === 'constructor') return shortened(bare.replace(/^constructor/, `new ${title}`))
  const [, events] = /^\w+: On<(\w+)>$/.exec(bare) ?? []
  if (events !== undefined) return `${as}.on(event: keyof ${events}, listener: (...args) => void): () => void`
  return shortened(`${as}.${asMethod(bare, name)}`)
}

/** `get: (key: string) => Promise<Save>` becomes `get(key: string): Promise<Save>`. */
function asMethod(text: string, name: string): string {
  const [start] = new RegExp(`^${name}\\??: `).exec(text) ?? []
  if (start === undefined) return text
  const call = text.slice(start.length)
  let depth = 0
  for (let at = call.indexOf('('); at < call.length; at++) {
    if (call[at] === '(') depth++
    if (call[at] === ')' && --depth === 0)
      return `${name}${call.slice(0, at + 1)}: ${call.slice(at + 1).replace(/^ => /, '')}`
  }
  return text
}

/** Parameters that the code takes apart have no name. */
const shortened = (text: string): string => wrapped(text.replace(/\{ [\w,. ]+ \}(\??): /g, 'options$1: '))

export function signatureOf({ kind, text, name }: Declared): string {
  const bare = withoutDeprecated(text).replace(COMMENT, '').replace(/;$/, '')
  if (kind === 'const') return shortened(asMethod(bare.replace(/^const /, ''), name))
  if (kind === 'function') return shortened(bare.replace(/^function /, ''))
  return union(indentedByTwo(withComments(text)))
}

const withoutDeprecated = (text: string) => text.replace(/\n *\/\*\* @deprecated [^\n]*\n[^\n]*/g, '')

/** The code of a type, with the first sentence of each comment. */
const withComments = (text: string) =>
  withoutDeprecated(text)
    .replace(/( *)\/\*\*([\s\S]*?)\*\//g, (_, indent: string, comment: string) => {
      const words = oneLine(readDoc(comment.replace(/^ *\* ?/gm, '').trim()).text)
      return `${indent}/** ${words} */`
    })
    .replace(/;$/, '')

/** With two spaces, and small objects in one line. */
function indentedByTwo(text: string): string {
  const small = /\{\n([^{}]*)\n *\}/g
  const joined = (whole: string, members: string) => {
    const line = `{ ${members
      .trim()
      .replace(/;$/, '')
      .replace(/;?\n */g, '; ')} }`
    return line.length <= SMALL_OBJECT_MAX && !members.includes('/*') ? line : whole
  }
  const isType = text.startsWith('type ')
  return (
    isType
      ? text.replace(/(?<=\n) {4}[\s\S]*/, (members) => members.replace(small, joined))
      : text.replace(small, joined)
  )
    .replace(/^(?: {4})+/gm, (blank) => ' '.repeat(blank.length / 2))
    .replace(/;$/gm, '')
}

/** Breaks the parameters of a long signature into lines. */
function wrapped(text: string): string {
  const short = indentedByTwo(text)
  if (short.includes('\n') || short.length <= LINE_CHARACTERS_MAX) return short
  const start = short.indexOf('(')
  const parts: string[] = []
  let depth = 0
  let from = start + 1
  for (let at = start; at < short.length; at++) {
    const character = short[at] ?? ''
    if ('([{<'.includes(character)) depth++
    // The `>` of an arrow closes nothing.
    if (')]}>'.includes(character) && short[at - 1] !== '=') depth--
    if (depth === 1 && character === ',') {
      parts.push(short.slice(from, at).trim())
      from = at + 1
    }
    if (depth > 0) continue
    const last = short.slice(from, at).trim()
    if (last === '') return short
    parts.push(last)
    return `${short.slice(0, start + 1)}\n${parts.map((part) => `  ${part},\n`).join('')}${short.slice(at)}`
  }
  return short
}

/** A long union gets several lines. */
function union(text: string): string {
  return text.replace(
    /^( *)((?:type )?\w+\??(?::| =)) ([^=\n]+ \| [^=\n]+)$/gm,
    (line, indent, name, types) => {
      if (line.length <= LINE_CHARACTERS_MAX) return line
      const lines: string[] = [`${indent}${name}`]
      for (const part of String(types).split(' | ')) {
        const last = lines.at(-1) ?? ''
        if (lines.length === 1 || last.length + part.length > LINE_CHARACTERS_MAX)
          lines.push(`${indent}  | ${part}`)
        else lines[lines.length - 1] = `${last} | ${part}`
      }
      return lines.join('\n')
    },
  )
}
