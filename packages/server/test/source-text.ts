import { dirname, join } from 'node:path/posix'

/** A source file, as the architecture test reads it. */
export type Source = {
  path: string
  text: string
  /** The text without comments. */
  code: string
  /** The text without comments and without the contents of strings and templates: only code. */
  bare: string
  /** Only the comments. */
  comments: string
  imports: Import[]
}

/** `target` is a path in the repository for our own files, otherwise a package name. */
export type Import = { target: string; typeOnly: boolean }

export function sourceOf(path: string, text: string): Source {
  const { code, bare, comments } = sift(text)
  return { path, text, code, bare, comments, imports: importsOf(path, code) }
}

const TOKEN = {
  comment: /\/\/[^\n]*|\/\*[^]*?\*\//y,
  quoted: /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/y,
  regex: /(?<=[=(,:[!&|?{;+>]\s*|\breturn\s+)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y,
  templateText: /(?:\\[^]|[^`\\$]|\$(?!\{))+/y,
}

function tokenAt(text: string, at: number, kind: keyof typeof TOKEN): string | undefined {
  TOKEN[kind].lastIndex = at
  return TOKEN[kind].exec(text)?.[0]
}

function sift(text: string): { code: string; bare: string; comments: string } {
  const open: ('template' | 'block')[] = []
  let code = ''
  let bare = ''
  let comments = ''
  const take = (token: string, inCode: string, inBare: string) => {
    code += inCode
    bare += inBare
    return token.length
  }

  for (let at = 0; at < text.length;) {
    if (open.at(-1) === 'template') {
      const words = tokenAt(text, at, 'templateText')
      if (words) at += take(words, words, ' ')
      else if (text[at] === '`') at += take('`', '`', (open.pop(), '`'))
      else at += take('${', '${', (open.push('block'), '${'))
      continue
    }
    const comment = tokenAt(text, at, 'comment')
    const words = tokenAt(text, at, 'quoted') ?? tokenAt(text, at, 'regex')
    const sign = text[at] ?? ''
    if (comment) {
      at += take(comment, ' ', ' ')
      comments += `${comment}\n`
    } else if (words) at += take(words, words, `''`)
    else {
      if (sign === '`') open.push('template')
      if (sign === '{') open.push('block')
      if (sign === '}') open.pop()
      at += take(sign, sign, sign)
    }
  }
  return { code, bare, comments }
}

/** `import … from`, `export … from`, `import '…'`, `import('…')`, with and without `type`. */
const IMPORT =
  /\b(?:import|export)\s+(?<type>type\s+)?(?:[\w$*\s,]|\{[^}]*\})+\sfrom\s*['"](?<from>[^'"]+)['"]|\bimport\s*\(?\s*['"](?<bare>[^'"]+)['"]|\brequire\s*\(\s*['"](?<required>[^'"]+)['"]/g

function importsOf(path: string, code: string): Import[] {
  return [...code.matchAll(IMPORT)].map(({ groups = {} }) => ({
    target: resolve(path, groups.from ?? groups.bare ?? groups.required ?? ''),
    typeOnly: groups.type !== undefined,
  }))
}

function resolve(path: string, specifier: string): string {
  if (specifier.startsWith('.')) return join(dirname(path), specifier)
  const [scope = '', name = '', file] = specifier.split('/')
  if (scope === '@svc') return `packages/${name}/src/${file ?? 'index'}.ts`
  return scope.startsWith('@') ? `${scope}/${name}` : scope
}
