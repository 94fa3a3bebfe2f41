// The rules of `_headers` and `_redirects`. The service has checked them: one splat or placeholder between two slashes, so that no path
// makes a pattern slow.
export type Redirect = { from: string; to: string; status: number }
export type HeaderRule = { from: string; add: [string, string][]; remove: string[] }

const VARIABLE = /\*|:([A-Za-z]\w*)/g
/** What rules add to a response, with the values of placeholders: below what the service accepts. */
const HEADERS_LENGTH_MAX = 32_768
const LOCATION_LENGTH_MAX = 8_192

function patternOf(from: string) {
  const escape = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
  let source = ''
  let end = 0
  for (const { 0: found, 1: name, index } of from.matchAll(VARIABLE)) {
    source += escape(from.slice(end, index)) + (name ? `(?<${name}>[^/]+)` : '(?<splat>.*)')
    end = index + found.length
  }
  return new RegExp(`^${source}${escape(from.slice(end))}$`, 's')
}

const isStatic = ({ from }: { from: string }): boolean => from.search(VARIABLE) < 0

const filled = (text: string, values: Record<string, string> = {}): string =>
  text.replace(/:([A-Za-z]\w*)/g, (whole, name) =>
    Object.hasOwn(values, name) ? (values[name] ?? '') : whole,
  )

/** Returns the first redirect for a path, with its destination. */
export function redirectsOf(rules: readonly Redirect[]) {
  const exact = new Map<string, { order: number; rule: Redirect }>()
  const patterns: { order: number; rule: Redirect; pattern: RegExp }[] = []
  for (const [order, rule] of rules.entries()) {
    if (!isStatic(rule)) patterns.push({ order, rule, pattern: patternOf(rule.from) })
    else if (!exact.has(rule.from)) exact.set(rule.from, { order, rule })
  }
  return (pathname: string) => {
    const found = exact.get(pathname)
    for (const { order, rule, pattern } of patterns) {
      if (found && found.order < order) break
      const match = pattern.exec(pathname)
      if (match) return within({ to: filled(rule.to, match.groups), status: rule.status })
    }
    return found && { to: found.rule.to, status: found.rule.status }
  }
}
const within = (redirect: { to: string; status: number }): { to: string; status: number } | undefined =>
  redirect.to.length > LOCATION_LENGTH_MAX ? undefined : redirect

/** Relative on this host, so that it holds below `/.fn/`, too, and never leads to another one. */
export function destinationOf(to: string, { pathname, search }: URL) {
  const [, path = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(to) ?? []
  const rest = (query || search) + fragment
  if (!path.startsWith('/')) return path + rest
  const up = '../'.repeat(pathname.split('/').length - 2) || './'
  return up + path.replace(/^[/\\]+/, '') + rest
}

/** Returns what changes the headers of a response with a file. */
export function headersOf(rules: readonly HeaderRule[]) {
  const patterns = rules.map((rule) => ({ rule, pattern: patternOf(rule.from) }))
  return (pathname: string, headers: Headers) => {
    const added = new Set()
    let length = 0
    for (const { rule, pattern } of patterns) {
      const match = pattern.exec(pathname)
      if (!match) continue
      for (const name of rule.remove) {
        headers.delete(name)
        added.delete(name)
      }
      for (const [name, text] of rule.add) {
        const value = filled(text, match.groups)
        length += name.length + value.length
        if (length > HEADERS_LENGTH_MAX) return
        if (added.has(name)) headers.append(name, value)
        else headers.set(name, value)
        added.add(name)
      }
    }
  }
}
