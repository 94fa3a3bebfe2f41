import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { OWN_FILES } from '../../../../platform/own-files.ts'
import type { CapnpValue } from './capnp-text.ts'

/** Our own workers use what this version of the engine has; a newer one must not change them. */
const COMPATIBILITY_DATE = '2026-01-01'

const texts = new Map<string, string>()

/** The script of a file in `workers/`, read once. */
export function scriptOf(file: string): string {
  const known = texts.get(file)
  if (known !== undefined) return known
  const text = readFileSync(join(OWN_FILES.workers, file), 'utf8')
  texts.set(file, text)
  return text
}

/** What an own module needs besides control.js, by the type of binding. `entrypoint` is what bindings of the code call. */
export const STORES = {
  db: {
    files: ['db.js', 'sql-text.js'],
    className: 'Database',
    objects: 'DATABASE',
    entrypoint: 'databases',
  },
  kv: { files: ['kv.js'], className: 'Namespace', objects: 'NAMESPACE', entrypoint: 'namespaces' },
  files: {
    files: ['files.js', 'files-protocol.js', 'files-bucket.js', 'files-conditions.js'],
    className: 'Bucket',
    objects: 'BUCKET',
    entrypoint: 'Files',
  },
  queue: { files: ['queue.js'], className: 'Queue', objects: 'QUEUES', entrypoint: 'queues' },
} as const
export type StoreType = keyof typeof STORES

/** Static files. Requests of visitors arrive at `front`; bindings of the code call `binding`. */
export const ASSETS = { files: ['assets.js', 'asset-rules.js'], front: 'front', binding: 'assets' } as const

/** Lets our worker call `scheduled` and `queue` of the code. */
const EVENT_FLAGS = ['service_binding_extra_handlers', 'experimental']

export const OWN = 'own'

/**
 * Everything of ours, in one worker without network: each worker costs 8 ms of CPU time at the start, and 2 MB. `types` are the stores
 * that are used, with their data in `folder`, the name of a disk service.
 */
export function ownWorker(
  types: readonly StoreType[],
  folder: string,
  bindings: readonly CapnpValue[],
  hasAssets: boolean,
) {
  const stores = types.map((type) => STORES[type])
  // control.js counts rows.
  const files = new Set([
    'control.js',
    'cache.js',
    'deliveries.js',
    ...STORES.db.files,
    ...stores.flatMap((store) => store.files),
    ...(hasAssets ? ASSETS.files : []),
  ])
  const exported = stores.map(
    ({ className, entrypoint, files: [file] }) => `export { ${className}, ${entrypoint} } from './${file}'`,
  )
  if (hasAssets) exported.push(`export { ${ASSETS.front}, ${ASSETS.binding} } from './${ASSETS.files[0]}'`)
  const main = ["export { default } from './control.js'", "export { cache } from './cache.js'", ...exported]
  return {
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: EVENT_FLAGS,
    modules: [
      { name: 'own.js', esModule: main.join('\n') },
      ...[...files].map((name) => ({ name, esModule: scriptOf(name) })),
    ],
    bindings: [
      ...stores.map(({ objects, className }) => ({ name: objects, durableObjectNamespace: { className } })),
      ...bindings,
    ],
    globalOutbound: { name: NO_NETWORK.name },
    durableObjectNamespaces: stores.map(({ className }) => ({
      className,
      uniqueKey: uniqueKeyOf(className),
      enableSql: true,
    })),
    durableObjectStorage: { localDisk: diskName(folder) },
  }
}

/** Names the folder of a class. It must never change: the data would not be found again. */
export const uniqueKeyOf = (className: string) => `svc-${className}`

export const diskName = (folder: string) => `disk-${folder}`

/** Allows no address: services that need no network have this as theirs. */
export const NO_NETWORK = { name: 'none', network: { allow: [] } }
