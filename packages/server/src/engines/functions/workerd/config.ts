import type { FunctionBinding, FunctionModule, FunctionsSpec } from '../../../platform/functions-engine.ts'
import { type CapnpValue, Embed, Enumerant } from './capnp-text.ts'
import { diskName, NO_NETWORK, ownWorker, scriptOf, storingWorker } from './own-workers.ts'

/** Where the process finds its folders. */
export type ConfigPaths = { data: string; sockets: string; cache: string }

/** Folders of data, by the type of binding. */
export const DATA_FOLDERS = {
  db: 'db',
  kv: 'kv',
  files: 'files',
  queue: 'queue',
  durable_object: 'objects',
} as const satisfies Record<FunctionBinding['type'], string>

/** Classes of our own workers, by the type of binding. */
export const STORING_CLASSES = { db: 'Database', kv: 'Namespace', files: 'Bucket', queue: 'Queue' } as const

export const HEAP_MB = 128
/**
 * V8 collects the garbage of requests when the heap has this size. Without it each isolate grows to its limit first: a process under
 * load had 290 MB after 16,000 requests, so it stays near 100. It costs about 20 ms of CPU time at the start.
 */
const COLLECT_FROM_MB = 8
/** Header in which workerd sends and reads what it calls `cf`; it carries the id of a request. */
export const CF_HEADER = 'svc-cf'
export const SECRET_PREFIX = 'SVC_SECRET_'

const MODULE_FIELDS = {
  esm: 'esModule',
  cjs: 'commonJsModule',
  text: 'text',
  data: 'data',
  json: 'json',
  wasm: 'wasm',
} as const satisfies Record<FunctionModule['type'], string>

/** From this date on Node's modules are there without a flag, and the flag causes a warning. */
const NODE_BY_DEFAULT = '2026-08-04'

/** Lets a worker of ours call `scheduled` and `queue` of the code. */
const EVENT_FLAGS = ['service_binding_extra_handlers', 'experimental']

/** The file of a module, beside the config. */
export const moduleFile = (index: number) => `module-${index}`

/** The config of the process of one environment. `isFull`: its storage is over the limit, and nothing may grow. */
export function configOf({ code, secrets }: FunctionsSpec, paths: ConfigPaths, isFull = false): CapnpValue {
  const bindings = code?.bindings ?? []
  const has = (type: FunctionBinding['type']) => bindings.some((binding) => binding.type === type)
  const hasDatabases = code === null || has('db')
  const classNames = classNamesOf(bindings)

  const disk = (type: FunctionBinding['type']) =>
    diskService(DATA_FOLDERS[type], `${paths.data}/${DATA_FOLDERS[type]}`)
  const socket = (name: string) => `unix:${paths.sockets}/${name}.sock`

  const services: CapnpValue[] = [
    NO_NETWORK,
    // Named `internet`, because workerd opens an unguarded one otherwise.
    { name: 'internet', external: { address: socket('egress'), http: EGRESS_HTTP } },
    ...(hasDatabases ? [disk('db'), { name: 'db', worker: databases(isFull) }] : []),
    ...(has('kv') ? [disk('kv'), { name: 'kv', worker: namespaces(isFull) }] : []),
    ...(has('files')
      ? [
          disk('files'),
          { name: 'bodies', external: { address: socket('bodies'), http: {} } },
          { name: 'files', worker: files(isFull) },
        ]
      : []),
    ...(has('queue') ? [disk('queue'), { name: 'queue', worker: queues(bindings, isFull) }] : []),
    ...(classNames.length > 0 ? [disk('durable_object')] : []),
    { name: 'control', worker: control(hasDatabases, has('queue'), code !== null) },
  ]
  if (code) {
    services.push(
      { name: 'svc', external: { address: socket('svc'), http: { cfBlobHeader: CF_HEADER } } },
      diskService('cache', paths.cache),
      { name: 'cache', worker: cache() },
      {
        name: 'user',
        worker: {
          compatibilityDate: code.compatibilityDate,
          compatibilityFlags: code.compatibilityDate < NODE_BY_DEFAULT ? ['nodejs_compat'] : [],
          modules: [
            { name: 'svc-main.js', esModule: mainScript(code.mainModule, classNames) },
            { name: 'svc-wrap.js', esModule: scriptOf('wrap.js') },
            ...code.modules.map(({ name, type }, index) => ({
              name,
              [MODULE_FIELDS[type]]: new Embed(moduleFile(index)),
            })),
          ],
          bindings: [
            ...bindings.map(userBinding),
            ...Object.entries(code.vars).map(([name, text]) => ({ name, text })),
            ...Object.keys(secrets).map((name) => ({ name, fromEnvironment: SECRET_PREFIX + name })),
            {
              name: 'SVC',
              wrapped: {
                moduleName: 'svc-internal:service-calls',
                innerBindings: [{ name: 'fetcher', service: { name: 'svc' } }],
              },
            },
          ],
          globalOutbound: { name: 'internet' },
          cacheApiOutbound: { name: 'cache' },
          ...(classNames.length > 0 && {
            durableObjectNamespaces: classNames.map((className) => ({
              className,
              uniqueKey: objectsKeyOf(className),
              enableSql: true,
            })),
            durableObjectStorage: { localDisk: diskName(DATA_FOLDERS.durable_object) },
          }),
        },
      },
    )
  }
  return {
    services,
    sockets: [
      { name: 'control', address: socket('control'), http: {}, service: { name: 'control' } },
      ...(code
        ? [
            {
              name: 'http',
              address: socket('http'),
              http: { cfBlobHeader: CF_HEADER },
              service: { name: 'user' },
            },
          ]
        : []),
    ],
    extensions: [
      {
        modules: [
          { name: 'svc-internal:service-calls', internal: true, esModule: scriptOf('service-calls.js') },
        ],
      },
    ],
    v8Flags: [`--max-old-space-size=${HEAP_MB}`, `--initial-old-space-size=${COLLECT_FROM_MB}`],
    logging: { structuredLogging: true },
  }
}

const EGRESS_HTTP = { style: new Enumerant('proxy'), cfBlobHeader: CF_HEADER }

const diskService = (folder: string, path: string) => ({
  name: diskName(folder),
  disk: { path, writable: true, allowDotfiles: false },
})

/** Names the folder of the objects of a class of the code. */
export const objectsKeyOf = (className: string) => `object-${className}`

export const classNamesOf = (bindings: readonly FunctionBinding[]): string[] => [
  ...new Set(bindings.flatMap((binding) => (binding.type === 'durable_object' ? [binding.className] : []))),
]

/** Evaluated first: the wrapper must be in place before the code runs. */
const mainScript = (mainModule: string, classNames: readonly string[]) => `
import { wrap } from "svc-wrap.js"
import * as user from ${JSON.stringify(mainModule)}
export * from ${JSON.stringify(mainModule)}
export default wrap(user, ${JSON.stringify(classNames)})
`

const propsOf = (props: object) => ({ json: JSON.stringify(props) })

function userBinding(binding: FunctionBinding): CapnpValue {
  const { name } = binding
  switch (binding.type) {
    case 'db': {
      const service = { name: 'db', props: propsOf({ id: binding.id }) }
      return {
        name,
        wrapped: { moduleName: 'cloudflare-internal:d1-api', innerBindings: [{ name: 'fetcher', service }] },
      }
    }
    case 'kv':
      return { name, kvNamespace: { name: 'kv', props: propsOf({ id: binding.id }) } }
    case 'files':
      return { name, r2Bucket: { name: 'files', props: propsOf({ id: binding.id }) } }
    case 'queue':
      return { name, queue: { name: 'queue', props: propsOf({ queue: binding.queue }) } }
    case 'durable_object':
      return { name, durableObjectNamespace: { className: binding.className } }
  }
}

const objectBinding = (name: string, className: string, serviceName?: string) => ({
  name,
  durableObjectNamespace: { className, serviceName },
})

const fullBinding = (isFull: boolean) => ({ name: 'IS_FULL', json: String(isFull) })

const databases = (isFull: boolean) =>
  storingWorker(
    {
      files: ['db.js', 'sql-text.js'],
      bindings: [objectBinding('DATABASE', STORING_CLASSES.db), fullBinding(isFull)],
    },
    STORING_CLASSES.db,
    DATA_FOLDERS.db,
  )

const namespaces = (isFull: boolean) =>
  storingWorker(
    { files: ['kv.js'], bindings: [objectBinding('NAMESPACE', STORING_CLASSES.kv), fullBinding(isFull)] },
    STORING_CLASSES.kv,
    DATA_FOLDERS.kv,
  )

const files = (isFull: boolean) =>
  storingWorker(
    {
      files: ['files.js', 'files-bucket.js', 'files-conditions.js'],
      bindings: [
        objectBinding('BUCKET', STORING_CLASSES.files),
        fullBinding(isFull),
        { name: 'BODIES', service: { name: 'bodies' } },
      ],
    },
    STORING_CLASSES.files,
    DATA_FOLDERS.files,
  )

const cache = () =>
  storingWorker({ files: ['cache.js'], bindings: [objectBinding('CACHE', 'Cache')] }, 'Cache', 'cache')

function queues(bindings: readonly FunctionBinding[], isFull: boolean) {
  const consumers = Object.fromEntries(
    bindings.flatMap((binding) =>
      binding.type === 'queue' && binding.consumer ? [[binding.queue, binding.consumer]] : [],
    ),
  )
  return storingWorker(
    {
      files: ['queue.js'],
      flags: EVENT_FLAGS,
      bindings: [
        objectBinding('QUEUES', STORING_CLASSES.queue),
        fullBinding(isFull),
        { name: 'USER', service: { name: 'user' } },
        { name: 'CONSUMERS', json: JSON.stringify(consumers) },
      ],
    },
    STORING_CLASSES.queue,
    DATA_FOLDERS.queue,
  )
}

const control = (hasDatabases: boolean, hasQueues: boolean, hasCode: boolean) =>
  ownWorker({
    files: ['control.js'],
    flags: EVENT_FLAGS,
    bindings: [
      ...(hasCode ? [{ name: 'USER', service: { name: 'user' } }] : []),
      ...(hasDatabases
        ? [
            { name: 'DATABASES', service: { name: 'db' } },
            objectBinding('DATABASE', STORING_CLASSES.db, 'db'),
          ]
        : []),
      ...(hasQueues ? [objectBinding('QUEUES', STORING_CLASSES.queue, 'queue')] : []),
    ],
  })
