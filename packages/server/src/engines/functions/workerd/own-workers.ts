import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { CapnpValue } from './capnp-text.ts'

/** Our own workers use what this version of the engine has; a newer one must not change them. */
const COMPATIBILITY_DATE = '2026-01-01'

const texts = new Map<string, string>()

/** The script of a file in `workers/`, read once. */
export function scriptOf(file: string): string {
  const known = texts.get(file)
  if (known !== undefined) return known
  const text = readFileSync(join(import.meta.dirname, 'workers', file), 'utf8')
  texts.set(file, text)
  return text
}

type OwnWorker = {
  /** The first one is the main module. */
  files: readonly string[]
  bindings: readonly CapnpValue[]
  flags?: readonly string[]
}

/** A worker of ours, without network. */
export const ownWorker = ({ files, bindings, flags = [] }: OwnWorker) => ({
  compatibilityDate: COMPATIBILITY_DATE,
  compatibilityFlags: flags,
  modules: files.map((name) => ({ name, esModule: scriptOf(name) })),
  bindings,
  globalOutbound: { name: 'none' },
})

/** A worker whose data is in objects of one class; `folder` is the name of a disk service. */
export const storingWorker = (
  { files, bindings, flags = [] }: OwnWorker,
  className: string,
  folder: string,
) => ({
  ...ownWorker({ files, bindings, flags }),
  durableObjectNamespaces: [{ className, uniqueKey: uniqueKeyOf(className), enableSql: true }],
  durableObjectStorage: { localDisk: diskName(folder) },
})

/** Names the folder of a class. It must never change: the data would not be found again. */
export const uniqueKeyOf = (className: string) => `svc-${className}`

export const diskName = (folder: string) => `disk-${folder}`

/** Throws for every request: services that need no network have this as theirs. */
export const NO_NETWORK = {
  name: 'none',
  worker: {
    compatibilityDate: COMPATIBILITY_DATE,
    modules: [{ name: 'none.js', esModule: 'export default { fetch() { throw new Error("no network") } }' }],
  },
}
