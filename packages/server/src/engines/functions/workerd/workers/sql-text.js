// Reads SQL only as far as needed to find where its last statement ends.

const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\s+|[^'"`[\-/\s]+|[\s\S]/g
const NOTHING = /^(?:--|\/\*|\s)/

/** Without comments and spaces at the end: workerd rejects a last statement that is only a comment. Empty if nothing else is there. */
export function withoutTrailingComments(sql) {
  let end = 0
  for (const { 0: token, index } of sql.matchAll(TOKEN)) if (!NOTHING.test(token)) end = index + token.length
  return sql.slice(0, end)
}
