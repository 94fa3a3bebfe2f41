// Texts for SQL: where the last statement ends, and where the names with a prefix end.

const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\s+|[^'"`[\-/\s]+|[\s\S]/g
const NOTHING = /^(?:--|\/\*|\s)/

/** Without comments and spaces at the end: workerd rejects a last statement that is only a comment. Empty if it contains nothing else. */
export function withoutTrailingComments(sql: string) {
  let end = 0
  for (const { 0: token, index } of sql.matchAll(TOKEN)) if (!NOTHING.test(token)) end = index + token.length
  return sql.slice(0, end)
}

const LAST_CODE_POINT = 0x10ffff

/** The smallest text after all texts that begin with the prefix, in the order of their code points. Undefined: there is none. */
export function endOfPrefix(prefix: string) {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0)
  while (points.at(-1) === LAST_CODE_POINT) points.pop()
  const last = points.pop()
  if (last === undefined) return undefined
  // There is no character from 0xd800 to 0xdfff.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
}
