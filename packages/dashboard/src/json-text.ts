/** JSON as text: numbers stay as they are written, also those that are too long for `JSON.parse`. */

/** A problem of a document, in a line that counts from 1. */
export type LineProblem = { line: number; message: string }

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g
const tokensOf = (text: string): string[] => text.match(TOKENS) ?? []

/** Without the white space between its tokens. */
export const compactJson = (text: string): string => tokensOf(text).join('')

/** One member or element per line. */
export function indentJson(text: string): string {
  const tokens = tokensOf(text)
  let depth = 0
  const newLine = () => `\n${'  '.repeat(depth)}`
  return tokens
    .map((token, at) => {
      const isEmpty = /^[}\]]$/.test(tokens[at + 1] ?? '')
      if (token === '{' || token === '[') return isEmpty ? token : (depth++, token + newLine())
      if (token === ',') return token + newLine()
      if (token === ':') return ': '
      if (token !== '}' && token !== ']') return token
      return /^[{[]$/.test(tokens[at - 1] ?? '') ? token : (depth--, newLine() + token)
    })
    .join('')
}

/** Why it is not JSON; undefined if it is. */
export function problemOfJson(text: string): LineProblem | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const line = text.slice(0, offsetOfProblem(text)).split('\n').length
    return { line, message: `This is not JSON: ${message}` }
  }
}

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end' | 'nothing'

/** Where a text stops being JSON: the messages of `JSON.parse` say it in some browsers only. */
function offsetOfProblem(text: string): number {
  const open: string[] = []
  let expected: Expected = 'value'
  let end = 0
  const afterValue = (): Expected => (open.length === 0 ? 'nothing' : ', or end')
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    const other = text.slice(end, index).search(/\S/)
    if (other !== -1) return end + other
    end = index + token.length
    const takesValue = expected === 'value' || expected === 'value or ]'
    if (takesValue && (token === '{' || token === '[')) {
      open.push(token === '{' ? '}' : ']')
      expected = token === '{' ? 'key or }' : 'value or ]'
    } else if (
      token === open.at(-1) &&
      (expected === ', or end' || expected === `${takesValue ? 'value' : 'key'} or ${token}`)
    ) {
      open.pop()
      expected = afterValue()
    } else if (token === ',' && expected === ', or end') expected = open.at(-1) === '}' ? 'key' : 'value'
    else if (token === ':' && expected === ':') expected = 'value'
    else if (isScalar(token) && takesValue) expected = afterValue()
    else if (isScalar(token) && token.startsWith('"') && expected.startsWith('key')) expected = ':'
    else return index
  }
  return text.length
}

function isScalar(token: string): boolean {
  try {
    return !/^[[{]/.test(token) && JSON.parse(token) !== undefined
  } catch {
    return false
  }
}
