import { LIMITS } from '@svc/contract/common/limits'

import type {
  FunctionAssets,
  FunctionBinding,
  FunctionCode,
  FunctionModule,
  FunctionsSpec,
} from '../../../../platform/ports/functions-engine.ts'
import type { StoreBinding } from '../../../../platform/ports/room-process.ts'
import { CF_HEADER } from '../network/request-mark.ts'
import { type CapnpValue, Embed, Enumerant } from './capnp-text.ts'
import {
  ASSETS,
  diskName,
  NO_NETWORK,
  OWN,
  ownWorker,
  ROOM_RUNTIME,
  roomRuntime,
  scriptOf,
  storeOf,
  STORES,
  type StoreType,
} from './own-workers.ts'

/** Where the process finds its folders. */
export type ConfigPaths = { code: string; data: string; sockets: string }

/** Folders of data: of our own workers, and of the objects of the code. */
export const DATA_FOLDERS = { stores: 'stores', objects: 'objects' } as const

const HEAP_MB = LIMITS.functionsMemoryMb
const NEW_SPACE_MB = 1
/**
 * V8 collects the garbage of requests when the heap has this size, and keeps little space for new objects (`NEW_SPACE_MB`). Without it each
 * isolate grows to its limit first: a process had 154 MB after 12,000 requests, so it has about 60, with the same CPU time per request. It costs 4 ms
 * of CPU time at the start.
 */
const COLLECT_EARLY = ['--initial-heap-size=8']
/** The name under which V8 exposes its collection to our scripts. The wrapper hides it from the code. */
const COLLECT_ON_REQUEST = ['--expose-gc', '--expose-gc-as=svcCollectGarbage']
/** `newSpaceMb` is the size of each half of V8's space for new objects. */
export const v8Flags = (newSpaceMb: number): string[] => [
  `--max-old-space-size=${HEAP_MB}`,
  ...COLLECT_EARLY,
  `--max-semi-space-size=${newSpaceMb}`,
  ...COLLECT_ON_REQUEST,
]
export const SECRET_PREFIX = 'SVC_SECRET_'

const MODULE_FIELDS = {
  esm: 'esModule',
  cjs: 'commonJsModule',
  text: 'text',
  data: 'data',
  json: 'json',
  wasm: 'wasm',
} as const satisfies Record<FunctionModule['type'], string>

/** From this date on Node's modules need no flag, and the flag causes a warning. */
const NODE_BY_DEFAULT = '2026-08-04'

/** The file of a module, beside the config. */
export const moduleFile = (index: number) => `module-${index}`

/** Beside the config: the folder of one file with all static files, one after the other, and the list of them. */
export const ASSETS_FOLDER = 'assets'
export const ASSETS_FILE = 'all'
export const ASSETS_LIST = 'assets.json'
/** From this date on, navigations of browsers prefer a page over the code. */
const NAVIGATION_PREFERS_PAGES = '2025-04-01'

/** What `workers/assets.ts` needs to know. */
export function assetsList({ files, ...options }: FunctionAssets, compatibilityDate: string) {
  let end = 0
  return {
    ...options,
    navigationPrefersPages: compatibilityDate >= NAVIGATION_PREFERS_PAGES,
    files: files.map(({ path, type, etag, content }) => {
      const start = end
      end += content.length
      return { path, type, etag, start, size: content.length }
    }),
  }
}

/** Alarms and queues wait until `eventsAfterMs`, by the machine's clock: the last process has ended by itself. */
export type ProcessSpec = FunctionsSpec & { eventsAfterMs?: number }

/** `isFull`: the storage is over its limit, and nothing may grow. `listsRooms`: the control worker can name the classes of rooms. */
type ConfigOptions = { isFull?: boolean; listsRooms?: boolean }

/** The config of the process of one environment. */
export function configOf(
  { code, secrets, eventsAfterMs = 0 }: ProcessSpec,
  paths: ConfigPaths,
  { isFull = false, listsRooms = false }: ConfigOptions = {},
): CapnpValue {
  const bindings = code?.bindings ?? []
  // Migrations may come before the version whose binding they are for.
  const types = [...new Set<StoreType>(['db', ...storeTypesOf(bindings)])]
  const classNames = classNamesOf(bindings)
  const hasAssets = code?.assets != null

  const disk = (folder: string) => ({
    name: diskName(folder),
    disk: { path: `${paths.data}/${folder}`, writable: true, allowDotfiles: false },
  })
  const socket = (name: string) => socketAddress(paths, name)

  const services: CapnpValue[] = [
    NO_NETWORK,
    internetService(paths),
    { name: 'bodies', external: { address: socket('bodies'), http: {} } },
    disk(DATA_FOLDERS.stores),
    ...(classNames.length > 0 ? [disk(DATA_FOLDERS.objects)] : []),
    ...(hasAssets
      ? [{ name: diskName(ASSETS_FOLDER), disk: { path: `${paths.code}/${ASSETS_FOLDER}` } }]
      : []),
    {
      name: OWN,
      worker: ownWorker(
        types,
        DATA_FOLDERS.stores,
        [
          { name: 'IS_FULL', json: String(isFull) },
          { name: 'EVENTS_AFTER_MS', json: String(eventsAfterMs) },
          { name: 'BODIES', service: { name: 'bodies' } },
          { name: 'CONSUMERS', json: JSON.stringify(consumersOf(bindings)) },
          ...(code ? [{ name: 'USER', service: { name: 'user' } }] : []),
          ...(hasAssets
            ? [
                { name: 'ASSETS', json: new Embed(ASSETS_LIST) },
                { name: 'ASSET_FILES', service: { name: diskName(ASSETS_FOLDER) } },
              ]
            : []),
        ],
        hasAssets,
      ),
    },
  ]
  if (code) {
    services.push(svcService(paths), {
      name: 'user',
      worker: {
        ...userCompatibility(code),
        modules: [
          {
            name: 'svc-main.js',
            esModule: mainScript(code.mainModule, classNames, eventsAfterMs, listsRooms),
          },
          ...(listsRooms ? roomRuntime() : []),
          ...userModules(code),
        ],
        bindings: [...bindings.map(userBinding), ...userValues(code, secrets), SVC_BINDING],
        globalOutbound: { name: 'internet' },
        cacheApiOutbound: { name: OWN, entrypoint: 'cache' },
        ...(classNames.length > 0 && {
          durableObjectNamespaces: classNames.map((className) => ({
            className,
            uniqueKey: objectsKeyOf(className),
            enableSql: true,
          })),
          durableObjectStorage: { localDisk: diskName(DATA_FOLDERS.objects) },
        }),
      },
    })
  }
  return {
    services,
    sockets: [
      { name: 'control', address: socket('control'), http: {}, service: { name: OWN } },
      ...(code
        ? [
            {
              name: 'http',
              address: socket('http'),
              http: { cfBlobHeader: CF_HEADER },
              service: hasAssets ? { name: OWN, entrypoint: ASSETS.front } : { name: 'user' },
            },
          ]
        : []),
    ],
    extensions: [{ modules: [internalModule('service-calls')] }],
    v8Flags: v8Flags(NEW_SPACE_MB),
    logging: { structuredLogging: true },
  }
}

export const socketAddress = ({ sockets }: Pick<ConfigPaths, 'sockets'>, name: string) =>
  `unix:${sockets}/${name}.sock`

/** Named `internet`, because workerd opens an unguarded one otherwise. */
export const internetService = (paths: Pick<ConfigPaths, 'sockets'>): CapnpValue => ({
  name: 'internet',
  external: { address: socketAddress(paths, 'egress'), http: EGRESS_HTTP },
})
const EGRESS_HTTP = { style: new Enumerant('proxy'), cfBlobHeader: CF_HEADER }

/** The API of the service. */
export const svcService = (paths: Pick<ConfigPaths, 'sockets'>): CapnpValue => ({
  name: 'svc',
  external: { address: socketAddress(paths, 'svc'), http: { cfBlobHeader: CF_HEADER } },
})

/** A script that only bindings can import. */
export const internalModule = (name: string): CapnpValue => ({
  name: `svc-internal:${name}`,
  internal: true,
  esModule: scriptOf(name),
})

const SVC_BINDING: CapnpValue = {
  name: 'SVC',
  wrapped: {
    moduleName: 'svc-internal:service-calls',
    innerBindings: [{ name: 'fetcher', service: { name: 'svc' } }],
  },
}

export const userCompatibility = ({ compatibilityDate }: FunctionCode) => ({
  compatibilityDate,
  compatibilityFlags: compatibilityDate < NODE_BY_DEFAULT ? ['nodejs_compat'] : [],
})

/** The wrapper and the modules of the code. */
export const userModules = ({ modules }: FunctionCode): CapnpValue[] => [
  { name: 'svc-wrap.js', esModule: scriptOf('wrap') },
  ...modules.map(({ name, type }, index) => ({
    name,
    [MODULE_FIELDS[type]]: new Embed(moduleFile(index)),
  })),
]

/** Bindings of variables and secrets. */
export const userValues = ({ vars }: FunctionCode, secrets: FunctionsSpec['secrets']): CapnpValue[] => [
  ...Object.entries(vars).map(([name, value]) =>
    typeof value === 'string' ? { name, text: value } : { name, json: JSON.stringify(value) },
  ),
  ...Object.keys(secrets).map((name) => ({ name, fromEnvironment: SECRET_PREFIX + name })),
]

/** Names the folder of the objects of a class of the code. */
export const objectsKeyOf = (className: string) => `object-${className}`

const classNamesOf = (bindings: readonly FunctionBinding[]): string[] => [
  ...new Set(bindings.flatMap((binding) => (binding.type === 'durable_object' ? [binding.className] : []))),
]

export const storeTypesOf = (bindings: readonly FunctionBinding[]): StoreType[] =>
  (Object.keys(STORES) as StoreType[]).filter((type) => bindings.some((binding) => binding.type === type))

const consumersOf = (bindings: readonly FunctionBinding[]) =>
  Object.fromEntries(
    bindings.flatMap((binding) =>
      binding.type === 'queue' && binding.consumer ? [[binding.queue, binding.consumer]] : [],
    ),
  )

/** Evaluated first: the wrapper must be in place before the code runs. */
const mainScript = (
  mainModule: string,
  classNames: readonly string[],
  eventsAfterMs: number,
  listsRooms: boolean,
) => `
import { wrap, holdAlarms } from "svc-wrap.js"
${listsRooms ? `import { roomClassesOf } from "${ROOM_RUNTIME}"` : 'const roomClassesOf = undefined'}
import * as user from ${JSON.stringify(mainModule)}
export * from ${JSON.stringify(mainModule)}
${eventsAfterMs > 0 ? classNames.map((name, index) => heldClass(name, `held${index}`, eventsAfterMs)).join('\n') : ''}
export default wrap(user, ${JSON.stringify(classNames)}, roomClassesOf)
`

const heldClass = (name: string, variable: string, eventsAfterMs: number) =>
  `const ${variable} = holdAlarms(user.${name}, ${eventsAfterMs}); export { ${variable} as ${name} }`

function storeService(binding: StoreBinding) {
  const { entrypoint, props } = storeOf(binding)
  return { name: OWN, entrypoint, props: { json: JSON.stringify(props) } }
}

function userBinding(binding: FunctionBinding): CapnpValue {
  const { name } = binding
  switch (binding.type) {
    case 'db': {
      const service = storeService(binding)
      return {
        name,
        wrapped: { moduleName: 'cloudflare-internal:d1-api', innerBindings: [{ name: 'fetcher', service }] },
      }
    }
    case 'kv':
      return { name, kvNamespace: storeService(binding) }
    case 'files':
      return { name, r2Bucket: storeService(binding) }
    case 'queue':
      return { name, queue: storeService(binding) }
    case 'durable_object':
      return { name, durableObjectNamespace: { className: binding.className } }
    case 'assets':
      return { name, service: { name: OWN, entrypoint: ASSETS.binding } }
    case 'service':
      return { name, service: { name: 'user', entrypoint: binding.entrypoint } }
  }
}
