import { fieldPath } from './shape.ts'

const TOKEN = /"(?:\\.|[^"\\])*"|[{}[\],:\n]|[^\s{}[\],:"]+/g

/** Maps paths such as `$.stats[2].key` to the lines they begin in. `text` must be valid JSON. */
export function linesOf(text: string): Map<string, number> {
  const lines = new Map<string, number>()
  const open: { path: string; index: number | undefined }[] = []
  let line = 1
  let at = '$'
  let isKeyNext = false
  const record = () => void (lines.has(at) || lines.set(at, line))

  for (const [token] of text.matchAll(TOKEN)) {
    const inside = open.at(-1)
    if (token === '\n') line++
    else if (token === '}' || token === ']') {
      open.pop()
      isKeyNext = false
    } else if (token === ',') {
      if (inside?.index === undefined) isKeyNext = true
      else at = `${inside.path}[${++inside.index}]`
    } else if (token === '{') {
      record()
      open.push({ path: at, index: undefined })
      isKeyNext = true
    } else if (token === '[') {
      record()
      open.push({ path: at, index: 0 })
      at = `${at}[0]`
    } else if (isKeyNext && token !== ':') {
      at = fieldPath(inside?.path ?? '$', JSON.parse(token))
      isKeyNext = false
      record()
    } else if (token !== ':') record()
  }
  return lines
}

/** The line of a path, or of its nearest parent that exists. */
export function lineOf(lines: ReadonlyMap<string, number>, path: string): number {
  const line = lines.get(path)
  if (line !== undefined) return line
  const parent = path.replace(/(?:\.[^.[\]]*|\[[^[\]]*\])$/, '')
  return parent === path ? 1 : lineOf(lines, parent)
}
