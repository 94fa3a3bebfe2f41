const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const SPACE = 0x20

/**
 * The text of a member of a JSON object, without the white space around it: the text that `JSON.parse` would use for its value, so
 * the last one if a name occurs twice. The text must be valid JSON; it is not checked again.
 */
export function rawMember(object: string, name: string): string | undefined {
  let found: string | undefined
  walk(object, (member, from, to) => {
    if (member === name) found = object.slice(from, to)
  })
  return found
}

/** The texts of all members. */
export function rawMembers(object: string): Map<string, string> {
  const found = new Map<string, string>()
  walk(object, (member, from, to) => void found.set(member, object.slice(from, to)))
  return found
}

function walk(object: string, visit: (name: string, from: number, to: number) => void) {
  let at = skipSpace(object, object.indexOf('{') + 1)
  while (object.charCodeAt(at) === QUOTE) {
    const nameEnd = endOfString(object, at)
    const from = skipSpace(object, object.indexOf(':', nameEnd) + 1)
    const to = endOfValue(object, from)
    visit(nameOf(object, at, nameEnd), from, to)

    at = skipSpace(object, to)
    if (object.charCodeAt(at) === COMMA) at = skipSpace(object, at + 1)
  }
}

function nameOf(text: string, from: number, to: number): string {
  const plain = text.slice(from + 1, to - 1)
  return plain.includes('\\') ? (JSON.parse(`"${plain}"`) as string) : plain
}

/** JSON has four white space characters, and valid JSON has no other character up to the space between two tokens. */
function skipSpace(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) <= SPACE) at++
  return at
}

function endOfValue(text: string, from: number): number {
  const first = text.charCodeAt(from)
  if (first === QUOTE) return endOfString(text, from)
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNested(text, from)
  return endOfWord(text, from)
}

export function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); ; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return at + 1
  }
}

function endOfNested(text: string, from: number): number {
  let depth = 0
  for (let at = from; ; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at) - 1
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++
    else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --depth === 0) return at + 1
  }
}

/** A number, `true`, `false` or `null`. */
function endOfWord(text: string, from: number): number {
  let at = from
  for (let code = text.charCodeAt(at); code > SPACE && code !== COMMA && code !== CLOSE_BRACE;) {
    code = text.charCodeAt(++at)
  }
  return at
}
