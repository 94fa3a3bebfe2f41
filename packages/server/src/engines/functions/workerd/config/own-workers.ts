import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

import { OWN_FILES } from '../../../../platform/own-files.ts'
import type { StoreBinding } from '../../../../platform/ports/room-process.ts'
import type { CapnpValue } from './capnp-text.ts'

/** Our own workers use what this version of the engine has; a newer one must not change them. */
const COMPATIBILITY_DATE = '2026-01-01'

const texts = new Map<string, string>()

/** The script of a file in `workers/`, read once, as JavaScript. The build has removed its types already. */
export const scriptOf = (name: string): string => readScript(OWN_FILES.workers, name)

function readScript({ folder, extension }: { folder: string; extension: string }, name: string): string {
  const path = join(folder, name + extension)
  const known = texts.get(path)
  if (known !== undefined) return known
  const text = readFileSync(path, 'utf8')
  const script = extension === '.ts' ? stripTypeScriptTypes(text) : text
  texts.set(path, script)
  return script
}

const IMPORTED = /\bfrom\s*['"]\.\/([\w-]+)\.ts['"]/g

export const ROOM_RUNTIME = 'svc-room/runtime.ts'

/** The modules that run rooms, which the SDK has: `runtime.ts` and what it imports, under the names in their imports. */
export function roomRuntime(): { name: string; esModule: string }[] {
  const scripts = new Map<string, string>()
  const add = (name: string) => {
    if (scripts.has(name)) return
    const script = readScript(OWN_FILES.roomRuntime, name)
    scripts.set(name, script)
    for (const [, imported = ''] of script.matchAll(IMPORTED)) add(imported)
  }
  add('runtime')
  return [...scripts].map(([name, esModule]) => ({ name: `svc-room/${name}.ts`, esModule }))
}

/** The scripts that an own module needs besides `control`, by the type of binding. `entrypoint` is what bindings of the code call. */
export const STORES = {
  db: {
    scripts: ['db', 'sql-text'],
    className: 'Database',
    objects: 'DATABASE',
    entrypoint: 'databases',
  },
  kv: { scripts: ['kv'], className: 'Namespace', objects: 'NAMESPACE', entrypoint: 'namespaces' },
  files: {
    scripts: ['files', 'files-protocol', 'files-bucket', 'files-conditions'],
    className: 'Bucket',
    objects: 'BUCKET',
    entrypoint: 'Files',
  },
  queue: { scripts: ['queue'], className: 'Queue', objects: 'QUEUES', entrypoint: 'queues' },
} as const
export type StoreType = keyof typeof STORES

/** What a binding calls in our worker. */
export const storeOf = (binding: StoreBinding) => ({
  entrypoint: STORES[binding.type].entrypoint,
  props: binding.type === 'queue' ? { queue: binding.queue } : { id: binding.id },
})

/** Static files. Requests of visitors arrive at `front`; bindings of the code call `binding`. */
export const ASSETS = { scripts: ['assets', 'asset-rules'], front: 'front', binding: 'assets' } as const

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
  // `control` counts rows.
  const scripts = new Set([
    'control',
    'cache',
    'deliveries',
    ...STORES.db.scripts,
    ...stores.flatMap((store) => store.scripts),
    ...(hasAssets ? ASSETS.scripts : []),
  ])
  const exported = stores.map(
    ({ className, entrypoint, scripts: [name] }) =>
      `export { ${className}, ${entrypoint} } from './${name}.ts'`,
  )
  if (hasAssets)
    exported.push(`export { ${ASSETS.front}, ${ASSETS.binding} } from './${ASSETS.scripts[0]}.ts'`)
  const main = ["export { default } from './control.ts'", "export { cache } from './cache.ts'", ...exported]
  return {
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: EVENT_FLAGS,
    modules: [
      { name: 'own.js', esModule: main.join('\n') },
      // As their imports name them.
      ...[...scripts].map((name) => ({ name: `${name}.ts`, esModule: scriptOf(name) })),
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
