import { type Static, Type } from 'typebox'

import { LIMITS } from './common/limits.ts'
import { ALIAS, PUBLISHED } from './common/openapi-schemas.ts'

/** What a deployment of server functions consists of: modules, bindings to data, static files. */

/** The kinds of modules. */
export const MODULE_TYPES = ['esm', 'cjs', 'text', 'data', 'json', 'wasm'] as const
/** The kinds of bindings that store data. */
export const STORED_TYPES = ['db', 'kv', 'files', 'queue', 'durable_object'] as const
/** The kinds of bindings. `assets` are the files of the deployment, `service` calls the functions themselves. */
export const BINDING_TYPES = [...STORED_TYPES, 'assets', 'service'] as const
/** Names of other platforms for the same kinds. */
export const BINDING_ALIASES = {
  d1: 'db',
  kv_namespace: 'kv',
  r2_bucket: 'files',
  durable_object_namespace: 'durable_object',
} as const satisfies Record<string, (typeof BINDING_TYPES)[number]>

/** One module of a deployment. */
export type FunctionModule = Static<typeof FunctionModule>
/** As it is sent in a deployment: `content` is base64 for all types, also for text. */
export const FunctionModule = Type.Object({
  name: Type.String({
    description: 'the name the code imports; 1–256 letters, digits, `_`, `.`, `/`, `@`, `+`, `-`',
  }),
  type: Type.String({ description: 'esm, cjs, text, data, json or wasm', examples: ['esm'] }),
  content: Type.String({ description: 'base64' }),
})

/** How messages of a queue reach the `queue` function of the main module. */
export type QueueConsumer = Static<typeof QueueConsumer>
/** Fields that are left out have their defaults. Without `deadLetterQueue`, messages that failed too often are deleted. */
export const QueueConsumer = Type.Object({
  maxBatchSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
  maxBatchTimeoutSeconds: Type.Optional(Type.Number({ minimum: 0, maximum: 60, default: 1 })),
  maxRetries: Type.Optional(Type.Integer({ minimum: 0, maximum: 10, default: 3 })),
  retryDelaySeconds: Type.Optional(Type.Number({ minimum: 0, maximum: 3_600, default: 1 })),
  deadLetterQueue: Type.Optional(Type.String({ description: 'receives the messages that failed too often' })),
})

/** A binding as it is sent, with the alias names of other platforms. */
export type WantedBinding = Static<typeof WantedBinding>
/** `type` and `name` are required; a durable object also requires its class. Other fields have defaults. */
export const WantedBinding = Type.Object({
  type: Type.String({
    description:
      'db, kv, files, queue, durable_object, assets or service; also d1, kv_namespace, r2_bucket, durable_object_namespace',
    examples: ['db'],
  }),
  name: Type.String({ description: 'its name in `env`', examples: ['DB'] }),
  id: Type.Optional(
    Type.String({
      description: 'identifies the data; the name in lower case by default. The same id is the same data',
    }),
  ),
  queue: Type.Optional(
    Type.String({ description: 'name of the queue; the binding name in lower case by default' }),
  ),
  queue_name: Type.Optional(Type.String({ ...ALIAS, description: 'the same as queue' })),
  consumer: Type.Optional(QueueConsumer),
  className: Type.Optional(Type.String({ description: 'the exported class of a durable object' })),
  class_name: Type.Optional(Type.String({ ...ALIAS, description: 'the same as className' })),
  entrypoint: Type.Optional(
    Type.String({
      description: 'the exported class that a service binding calls; the default export if omitted',
    }),
  ),
})

/** A binding of a deployment, complete. */
export type Binding = Static<typeof Binding>
/** Has no alias names, and all defaults are set. Which fields follow `name` depends on `type`. */
export const Binding = Type.Object({
  type: Type.Enum(BINDING_TYPES),
  name: Type.String(),
  id: Type.Optional(Type.String({ description: 'of db, kv and files' })),
  queue: Type.Optional(Type.String()),
  consumer: Type.Optional(QueueConsumer),
  className: Type.Optional(Type.String()),
  entrypoint: Type.Optional(Type.String()),
})

/** What answers a path for which there is no file. */
export const NOT_FOUND_HANDLING = ['none', '404-page', 'single-page-application'] as const
/** At which paths HTML files are served. */
export const HTML_HANDLING = [
  'auto-trailing-slash',
  'force-trailing-slash',
  'drop-trailing-slash',
  'none',
] as const

/** Static files of a deployment. */
export type FunctionAssets = Static<typeof FunctionAssets>
/** They are served before the code runs, unless `runWorkerFirst` says otherwise. The code reads them with a binding of type `assets`. */
export const FunctionAssets = Type.Object({
  files: Type.Array(
    Type.Object({
      path: Type.String({
        description: 'without a leading slash; `_headers` and `_redirects` are rules, which are not served',
        examples: ['index.html'],
      }),
      content: Type.String({ description: 'base64' }),
    }),
    { maxItems: LIMITS.functionsAssetsMax },
  ),
  notFoundHandling: Type.Optional(Type.Enum(NOT_FOUND_HANDLING, { default: 'none' })),
  htmlHandling: Type.Optional(Type.Enum(HTML_HANDLING, { default: 'auto-trailing-slash' })),
  runWorkerFirst: Type.Optional(
    Type.Union([Type.Boolean(), Type.Array(Type.String(), { maxItems: LIMITS.functionsAssetRulesMax })], {
      // Of a union with an array, generators for Go write code that does not compile.
      ...PUBLISHED({}),
      description:
        'whether the code runs before static files are served (true or false); or a list of the paths for which it does, such as /api/*, and !/api/docs/* for exceptions',
    }),
  ),
})
