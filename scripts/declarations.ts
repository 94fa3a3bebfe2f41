import { posix } from 'node:path'

/**
 * Reads a declaration file that `tsc` emitted: top-level statements that begin in the first column. Every name that is declared
 * there, or imported from another module, is marked with its module: `«errors.ts»SvcError`.
 */

export type Declaration = { doc: string; kind: 'type' | 'class' | 'function' | 'const'; text: string }
export type Exports = Map<string, { mark: string; isTypeOnly: boolean }>
export type Module = {
  id: string
  /** Marked name → its declaration, without `export` and `declare`. */
  declarations: Map<string, Declaration>
  exports: Exports
}

export const MARK = /«([^»]+)»(\w+)/g

const STATEMENT = /(?<!\*\/)\n(?=\/\*\*|import |export |declare |type )/
const IMPORT = /^import (?:type )?(?:\* as (\w+)|\{([^}]*)\}) from '([^']+)';/
const EXPORT = /^export (type )?\{([^}]*)\}(?: from '([^']+)')?;/
const DECLARATION =
  /^(\/\*\*[\s\S]*?\*\/\n)?(export )?(?:declare )?((type|class|function|const) (\w+)[\s\S]*?)\s*$/
/** Comments and strings are skipped. */
const WORDS =
  /\/\*[\s\S]*?\*\/|import\("([^"]+)"\)\.(\w+)|"[^"\n]*"|'[^'\n]*'|`[^`]*`|(?<![\w.#])([A-Za-z_]\w*)(?:\.(\w+))?/g

export function readModule(id: string, text: string): Module {
  const declarations = new Map<string, Declaration>()
  const exports: Exports = new Map()
  const names = new Map<string, string>()
  const namespaces = new Map<string, string>()
  const moduleOf = (specifier: string) =>
    specifier.startsWith('.') ? posix.join(posix.dirname(id), specifier) : specifier

  for (const statement of text.split(STATEMENT)) {
    const [, namespace, imported, importedFrom] = IMPORT.exec(statement) ?? []
    if (namespace !== undefined && importedFrom !== undefined)
      namespaces.set(namespace, moduleOf(importedFrom))
    if (imported !== undefined && importedFrom !== undefined)
      for (const { name, as } of listed(imported)) names.set(as, mark(moduleOf(importedFrom), name))

    const [, typeOnly, exported, exportedFrom] = EXPORT.exec(statement) ?? []
    if (exported !== undefined && exportedFrom !== undefined)
      for (const { name, as, isType } of listed(exported))
        exports.set(as, {
          mark: mark(moduleOf(exportedFrom), name),
          isTypeOnly: isType || typeOnly !== undefined,
        })

    const [, doc = '', isExported, declared, kind, name] = DECLARATION.exec(statement) ?? []
    if (declared === undefined || name === undefined) continue
    const own = mark(id, name)
    names.set(name, own)
    declarations.set(own, { doc, kind: kind as Declaration['kind'], text: declared })
    if (isExported !== undefined) exports.set(name, { mark: own, isTypeOnly: false })
  }

  /** Types begin with a capital letter; the operand of `typeof` is a value. */
  const marked = (source: string) =>
    source.replace(WORDS, (found, file, named, word, member, offset: number) => {
      if (file !== undefined) return mark(moduleOf(file), named)
      const namespace = namespaces.get(word)
      if (namespace !== undefined && member !== undefined) return mark(namespace, member)
      const isMeant = /^[A-Z]/.test(word ?? '') || source.slice(0, offset).endsWith('typeof ')
      const known = isMeant ? names.get(word) : undefined
      return known === undefined ? found : known + (member === undefined ? '' : `.${member}`)
    })
  for (const declaration of declarations.values()) declaration.text = marked(declaration.text)
  return { id, declarations, exports }
}

/** Position of the return type in the declaration of a function. */
export function returnedBy({ text }: Declaration): { before: string; type: string } {
  let depth = 0
  for (let at = text.indexOf('('); at < text.length; at++) {
    if (text[at] === '(') depth++
    if (text[at] === ')' && --depth === 0) {
      const [before = ''] = /^.(:| =>) /.exec(text.slice(at)) ?? []
      return { before: text.slice(0, at) + before, type: text.slice(at + before.length).replace(/;$/, '') }
    }
  }
  throw new Error(`no function: ${text}`)
}

const mark = (module: string, name: string) => `«${module}»${name}`

/** `A, type B, C as D` */
const listed = (names: string) =>
  [...names.matchAll(/(type )?(\w+)(?: as (\w+))?/g)].map(([, type, name = '', as = name]) => ({
    name,
    as,
    isType: type !== undefined,
  }))
