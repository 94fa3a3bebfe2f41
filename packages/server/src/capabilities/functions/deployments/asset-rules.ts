import type { HeaderRule, RedirectRule } from '../../../platform/ports/functions-engine.ts'

/** Files of rules. They are not served. */
export const RULE_FILES = { headers: '_headers', redirects: '_redirects' } as const

const HEADER_RULES_MAX = 100
const HEADER_LINE_LENGTH_MAX = 2_000
const REDIRECTS_MAX = { static: 2_000, dynamic: 100 }
const REDIRECT_LINE_LENGTH_MAX = 1_000
const WARNINGS_MAX = 20

const STATUSES = new Set([200, 301, 302, 303, 307, 308])
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e]+$/
/** They belong to the connection or to the length of the body, or only the service may send them. */
const NOT_FOR_RULES =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-(?:length|encoding)|svc-.*|cf-.*)$/
const VARIABLE = /\*|:[A-Za-z]\w*/g
const HOST_WITH_VARIABLE = /^https?:\/\/[^/?#]*(?:\*|:[A-Za-z])/
/** Everything would be this page, scripts included. */
const INDEX = /^\/(?:index(?:\.html)?)?$/

export type Rules<T> = { rules: T[]; warnings: string[] }

/** The rules of `_headers`. Lines that have no effect become warnings. */
export function readHeaderRules(text: string): Rules<HeaderRule> {
  const { warn, warnings } = collectWarnings(RULE_FILES.headers)
  const rules: HeaderRule[] = []
  /** Null: the path has no effect, and a warning says why. Undefined: there was no path yet. */
  let rule: HeaderRule | null | undefined
  for (const { line, number } of linesOf(text)) {
    if (line.length > HEADER_LINE_LENGTH_MAX) {
      warn(number, `is longer than ${HEADER_LINE_LENGTH_MAX} characters`)
      continue
    }
    if (/^(?:\/|[a-z]+:\/\/)/i.test(line)) {
      const wrong = rules.length >= HEADER_RULES_MAX ? `is over ${HEADER_RULES_MAX} rules` : fromProblem(line)
      if (wrong !== undefined) warn(number, wrong)
      rule = wrong === undefined ? { from: pathOf(line), remove: [], add: [] } : null
      if (rule) rules.push(rule)
      continue
    }
    const wrong = addHeader(line, rule)
    if (wrong !== undefined) warn(number, wrong)
  }
  return { rules: rules.filter(({ remove, add }) => remove.length + add.length > 0), warnings: warnings() }
}

/** Adds a line to a rule; or why it has no effect. */
function addHeader(line: string, rule: HeaderRule | null | undefined): string | undefined {
  if (rule === undefined) return 'follows no path'
  const colon = line.indexOf(':')
  const isRemoved = line.startsWith('!')
  if (colon < 0 && !isRemoved) return 'must be a path, or a header like X-Robots-Tag: noindex'
  const name = (isRemoved ? line.slice(1) : line.slice(0, colon)).trim().toLowerCase()
  const value = isRemoved ? '' : line.slice(colon + 1).trim()
  if (!HEADER_NAME.test(name)) return 'has a name that is not one of a header'
  if (NOT_FOR_RULES.test(name)) return `${name} is set by the service`
  if (!isRemoved && !HEADER_VALUE.test(value)) return 'must have a value of ASCII characters'
  if (isRemoved) rule?.remove.push(name)
  else rule?.add.push([name, value])
  return undefined
}

/** The rules of `_redirects`. Lines that have no effect become warnings. */
export function readRedirectRules(text: string): Rules<RedirectRule> {
  const { warn, warnings } = collectWarnings(RULE_FILES.redirects)
  const rules: RedirectRule[] = []
  const counts = { static: 0, dynamic: 0 }
  for (const { line, number } of linesOf(text)) {
    const read = line.length > REDIRECT_LINE_LENGTH_MAX ? TOO_LONG : readRedirect(line)
    if (typeof read === 'string') {
      warn(number, read)
      continue
    }
    const kind = variablesOf(read.from).length > 0 ? 'dynamic' : 'static'
    if (++counts[kind] > REDIRECTS_MAX[kind]) warn(number, `is over ${REDIRECTS_MAX[kind]} ${kind} redirects`)
    else rules.push(read)
  }
  return { rules, warnings: warnings() }
}
const TOO_LONG = `is longer than ${REDIRECT_LINE_LENGTH_MAX} characters`

/** A rule; or why the line has no effect. */
function readRedirect(line: string): RedirectRule | string {
  const words = line.split(/\s+/)
  const comment = words.findIndex((word) => word.startsWith('#'))
  const [from = '', to = '', code = '302', ...more] = comment < 0 ? words : words.slice(0, comment)
  const status = Number(code)
  if (to === '' || more.length > 0) return 'must be: path, destination, status'
  if (!STATUSES.has(status)) return `has a status that is not one of ${[...STATUSES].join(', ')}`
  const wrong = fromProblem(from) ?? toProblem(to, status)
  if (wrong !== undefined) return wrong
  if (from === to) return 'leads to itself'
  if (from === '/*' && status === 200 && INDEX.test(to))
    return 'would replace every file; set not_found_handling to single-page-application'
  return { from: pathOf(from), to: encoded(to), status }
}

function fromProblem(from: string): string | undefined {
  if (!from.startsWith('/')) return 'must begin with /: hosts are not distinguished'
  if (from.includes('?')) return 'has a query in its path'
  const names = variablesOf(from)
  if (new Set(names).size < names.length) return 'has two times the same placeholder'
  if (from.split('/').some((segment) => variablesOf(segment).length > 1))
    return 'may have one * or placeholder between two slashes'
  return undefined
}

function toProblem(to: string, status: number): string | undefined {
  if (/^\/(?![/\\])/.test(to)) return undefined
  if (!/^https?:\/\//.test(to) || !URL.canParse(to)) return 'must have a destination with / or https://'
  if (status === 200) return 'has status 200, which is for files of this deployment'
  if (HOST_WITH_VARIABLE.test(to)) return 'has a placeholder in the host of its destination'
  return undefined
}

/** Names of placeholders; `splat` for `*`. */
const variablesOf = (path: string) =>
  (path.match(VARIABLE) ?? []).map((one) => (one === '*' ? 'splat' : one.slice(1)))

/** As in the URL of a request; browsers send no fragment. */
const pathOf = (from: string) => new URL(`http://host${from}`).pathname

/** What is percent-encoded stays so. */
const encoded = (text: string) => encodeURI(text).replaceAll('%25', '%')

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== '' && !line.startsWith('#'))

function collectWarnings(file: string) {
  const lines: string[] = []
  let more = 0
  return {
    warn(number: number, message: string) {
      if (lines.length < WARNINGS_MAX) lines.push(`${file}, line ${number} ${message}; it has no effect`)
      else more++
    },
    warnings: () => (more > 0 ? [...lines, `${file}: ${more} more lines have no effect`] : lines),
  }
}
