import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Names files that are not deployed. */
export const IGNORE_FILE = '.svcignore'

/** Whether a path, relative to the deployed folder and with `/` between its parts, is ignored. */
type IsIgnored = (path: string, isFolder: boolean) => boolean

type Rule = { pattern: RegExp; foldersOnly: boolean; isIgnored: boolean }

/** Reads the ignore files of these folders, in this order; later lines take precedence. */
export function readIgnoreFiles(folders: readonly string[]): IsIgnored {
  const paths = [...new Set(folders)].map((folder) => join(folder, IGNORE_FILE)).filter(existsSync)
  return ignoreRules(paths.map((path) => readFileSync(path, 'utf8')).join('\n'))
}

/**
 * A part of the syntax of .gitignore: `#` begins a comment, `*` and `?` match within a name, `**` matches folders, a `/` at the end
 * means folders only, a `/` elsewhere ties the pattern to the deployed folder, `!` includes again.
 */
export function ignoreRules(text: string): IsIgnored {
  const rules = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(ruleOf)
  return (path, isFolder) =>
    rules.findLast(({ pattern, foldersOnly }) => (isFolder || !foldersOnly) && pattern.test(path))
      ?.isIgnored ?? false
}

function ruleOf(line: string): Rule {
  const isIgnored = !line.startsWith('!')
  const foldersOnly = line.endsWith('/')
  const body = line.replace(/^!/, '').replace(/\/+$/, '')
  const isTied = body.includes('/')
  const source = body
    .replace(/^\//, '')
    .split('/')
    .map((part) => (part === '**' ? '**' : partSource(part)))
    .join('/')
    .replace(/^\*\*\//, '(?:.*/)?')
    .replaceAll('/**/', '/(?:.*/)?')
    .replace(/\/\*\*$/, '/.*')
    .replace(/^\*\*$/, '.*')
  return { pattern: new RegExp(`^${isTied ? '' : '(?:.*/)?'}${source}$`, 'u'), foldersOnly, isIgnored }
}

/** Several `*` in a row match the same as one, and one costs less. */
const partSource = (part: string) =>
  part
    .replace(/\*+/g, '*')
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[^/]*')
    .replaceAll('?', '[^/]')
