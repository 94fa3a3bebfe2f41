import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { Failure } from '../output/failure.ts'

export const MANIFEST = 'package.json'

type Entries = Record<string, string>
export type Manifest = { name?: string; scripts?: Entries; dependencies?: Entries; devDependencies?: Entries }
type Additions = Pick<Manifest, 'scripts' | 'dependencies' | 'devDependencies'>

/** Reads the package.json of a folder; undefined if there is none. */
export function readManifest(folder: string): { manifest: Manifest; text: string } | undefined {
  const path = join(folder, MANIFEST)
  if (!existsSync(path)) return undefined
  const text = readFileSync(path, 'utf8')
  try {
    return { manifest: JSON.parse(text), text }
  } catch {
    throw new Failure('failed', `${path} is not JSON.`)
  }
}

/** Adds missing entries to the text; `refused` lists those that exist with another value, which is kept. */
export function withEntries(text: string, additions: Additions) {
  const manifest = JSON.parse(text) as Record<string, Entries | undefined>
  const refused: string[] = []
  for (const [section, entries] of Object.entries(additions)) {
    const present = manifest[section] ?? {}
    for (const [name, value] of Object.entries(entries)) {
      if (present[name] === undefined) present[name] = value
      else if (present[name] !== value) refused.push(`${section}: "${name}": "${value}"`)
    }
    manifest[section] = present
  }
  return { text: `${JSON.stringify(manifest, null, indentOf(text))}\n`, refused }
}

/** Replaces the values of dependencies, each in the section where it is. */
export function withValues(text: string, values: Entries): string {
  const manifest = JSON.parse(text) as Manifest
  for (const section of [manifest.dependencies, manifest.devDependencies])
    for (const [name, value] of Object.entries(values))
      if (section?.[name] !== undefined) section[name] = value
  return `${JSON.stringify(manifest, null, indentOf(text))}\n`
}

const indentOf = (text: string): string => /^\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? '  '
