import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'

import type { EnvironmentName } from '@svc/contract/common/schemas'

import { writeAtomically } from './atomic-write.ts'
import { readVariables } from './workspace.ts'

export type NewKey = { environment: EnvironmentName; type: 'publishable' | 'secret'; key: string }
export type Variable = readonly [name: string, value: string]

const NOTE = '# Written by svc. Secret keys give full access to their environment: do not commit this file.'

/** `SVC_DEVELOPMENT_SECRET_KEY`: the same name in every file, in the docs and in curl lines. */
export const keyName = (environment: EnvironmentName, type: NewKey['type']): string =>
  `SVC_${environment}_${type}_KEY`.toUpperCase()

/** The variables that name the service and the project. */
export const locationVariables = (url: string, projectId: string): Variable[] => [
  ['SVC_URL', url],
  ['SVC_PROJECT', projectId],
]

/** The variables of keys. */
export const keyVariables = (keys: readonly NewKey[]): Variable[] =>
  keys.map(({ environment, type, key }) => [keyName(environment, type), key])

/** The text of a new file of keys. */
export const keysFileText = (variables: readonly Variable[]): string =>
  [NOTE, ...variables.map(([name, value]) => `${name}=${value}`), ''].join('\n')

/** Adds variables to a file of keys. A line with another value becomes a comment; all other lines are kept. */
export async function addVariables(path: string, variables: readonly Variable[], randomText: string) {
  if (!existsSync(path)) return writeFile(path, keysFileText(variables), { mode: 0o600 })
  const present = readVariables(path)
  const missing = variables.filter(([name, value]) => present[name] !== value)
  if (missing.length === 0) return
  const names = new Set(missing.map(([name]) => name))
  const lines = (await readFile(path, 'utf8')).replace(/\n*$/, '').split('\n')
  const kept = lines.map((line) => {
    const [, name = ''] = /^\s*(?:export\s+)?(\w+)\s*=/.exec(line) ?? []
    return names.has(name) ? `# replaced by svc: ${line}` : line
  })
  const text = `${kept.join('\n')}\n\n${keysFileText(missing)}`
  await writeAtomically(path, { content: text.replace(/^\n+/, ''), randomText, mode: 0o600 })
}
