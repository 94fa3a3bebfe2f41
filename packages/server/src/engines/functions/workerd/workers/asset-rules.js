// The rules of `_headers` and `_redirects`. The service has checked them: one splat or placeholder between two slashes, so that no path
// makes a pattern slow.
/**
 * @typedef {{ from: string, to: string, status: number }} Redirect
 * @typedef {{ from: string, add: [string, string][], remove: string[] }} HeaderRule
 */

const VARIABLE = /\*|:([A-Za-z]\w*)/g
/** What rules add to a response, with the values of placeholders: below what the service accepts. */
const HEADERS_LENGTH_MAX = 32_768
const LOCATION_LENGTH_MAX = 8_192

/** @param {string} from */
function patternOf(from) {
  /** @type {(text: string) => string} */
  const escape = (text) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
  let source = ''
  let end = 0
  for (const { 0: found, 1: name, index } of from.matchAll(VARIABLE)) {
    source += escape(from.slice(end, index)) + (name ? `(?<${name}>[^/]+)` : '(?<splat>.*)')
    end = index + found.length
  }
  return new RegExp(`^${source}${escape(from.slice(end))}$`, 's')
}

/** @type {(rule: { from: string }) => boolean} */
const isStatic = ({ from }) => from.search(VARIABLE) < 0

/** @type {(text: string, values?: Record<string, string>) => string} */
const filled = (text, values = {}) =>
  text.replace(/:([A-Za-z]\w*)/g, (whole, name) =>
    Object.hasOwn(values, name) ? (values[name] ?? '') : whole,
  )

/**
 * Returns the first redirect for a path, with its destination.
 * @param {readonly Redirect[]} rules
 */
export function redirectsOf(rules) {
  /** @type {Map<string, { order: number, rule: Redirect }>} */
  const exact = new Map()
  /** @type {{ order: number, rule: Redirect, pattern: RegExp }[]} */
  const patterns = []
  for (const [order, rule] of rules.entries()) {
    if (!isStatic(rule)) patterns.push({ order, rule, pattern: patternOf(rule.from) })
    else if (!exact.has(rule.from)) exact.set(rule.from, { order, rule })
  }
  /** @param {string} pathname */
  return (pathname) => {
    const found = exact.get(pathname)
    for (const { order, rule, pattern } of patterns) {
      if (found && found.order < order) break
      const match = pattern.exec(pathname)
      if (match) return within({ to: filled(rule.to, match.groups), status: rule.status })
    }
    return found && { to: found.rule.to, status: found.rule.status }
  }
}
/** @type {(redirect: { to: string, status: number }) => { to: string, status: number } | undefined} */
const within = (redirect) => (redirect.to.length > LOCATION_LENGTH_MAX ? undefined : redirect)

/**
 * Relative on this host, so that it holds below `/.fn/`, too, and never leads to another one.
 * @param {string} to
 * @param {URL} url
 */
export function destinationOf(to, { pathname, search }) {
  const [, path = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(to) ?? []
  const rest = (query || search) + fragment
  if (!path.startsWith('/')) return path + rest
  const up = '../'.repeat(pathname.split('/').length - 2) || './'
  return up + path.replace(/^[/\\]+/, '') + rest
}

/**
 * Returns what changes the headers of a response with a file.
 * @param {readonly HeaderRule[]} rules
 */
export function headersOf(rules) {
  const patterns = rules.map((rule) => ({ rule, pattern: patternOf(rule.from) }))
  /**
   * @param {string} pathname
   * @param {Headers} headers
   */
  return (pathname, headers) => {
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
