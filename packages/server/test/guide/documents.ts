import { ConfigDocument } from '@svc/contract/config/document'
import { checkConfig, type ConfigRule } from '@svc/contract/config/rules'

import type { Snippet } from '../../../../scripts/snippets.ts'

/** Members without the braces around them are a part of a document. */
export const documentOf = (text: string): string => (/^\s*[[{]/.test(text) ? text : `{${text}}`)

/** Rules that look at several sections: a part of a config cannot follow them alone. */
const ACROSS_SECTIONS: readonly ConfigRule[] = ['requires', 'undefined_stat']

/**
 * The problem of a JSON block. A block that has only sections of `svc.config.json` is validated as a config. A part of a config is
 * validated completely where the runner merges it.
 */
export function jsonProblem({ text }: Pick<Snippet, 'text'>): string | undefined {
  try {
    const document: unknown = JSON.parse(documentOf(text))
    if (!isConfig(document)) return undefined
    const isComplete = '$schema' in document
    const problems = checkConfig(document, { environment: 'development' })
    const [problem] = problems.filter(({ rule }) => isComplete || !ACROSS_SECTIONS.includes(rule))
    return problem && `${problem.path}: ${problem.message}`
  } catch (error) {
    return String(error)
  }
}

const isConfig = (document: unknown): document is object =>
  typeof document === 'object' &&
  document !== null &&
  !Array.isArray(document) &&
  Object.keys(document).every((key) => key in ConfigDocument.properties)

type Schema = { properties?: Record<string, object>; items?: object; anyOf?: object[] }

/** Every path of a schema: `stats[].key`. */
export function pathsOf(schema: object, path = ''): string[] {
  const { properties = {}, items: each, anyOf = [] } = schema as Schema
  const members = Object.entries(properties).flatMap(([name, member]) => {
    const at = path === '' ? name : `${path}.${name}`
    return [at, ...pathsOf(member, at)]
  })
  const items = each ? pathsOf(each, `${path}[]`) : []
  return [...members, ...items, ...anyOf.flatMap((one) => pathsOf(one, path))]
}

/** Every path that a document has, in the same form. */
export function pathsIn(document: unknown, path = ''): string[] {
  if (Array.isArray(document)) return document.flatMap((item) => pathsIn(item, `${path}[]`))
  if (typeof document !== 'object' || document === null) return []
  return Object.entries(document).flatMap(([name, member]) => {
    const at = path === '' ? name : `${path}.${name}`
    return [at, ...pathsIn(member, at)]
  })
}
