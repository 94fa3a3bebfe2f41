import { type Static, Type } from 'typebox'

import { endpoint } from '../common/endpoint.ts'
import { PUBLISHED } from '../common/openapi-schemas.ts'
import { Actor, Limit, Nullable, Timestamp } from '../common/schemas.ts'
import { ConfigDocument } from './document.ts'

/** The config document of an environment, its history, and the features that it turns on. */

const Version = Type.Integer({
  minimum: 0,
  description: 'increases by one with every push that changes anything',
})
const OneVersion = { params: Type.Object({ version: Type.Integer({ minimum: 1 }) }) } as const

/** One difference between two config documents. */
export type Change = Static<typeof Change>
/** A missing value is null, before or after the change. A new order of keys does not count as a change. */
export const Change = Type.Object({
  path: Type.String({ description: 'a JSON path like $.stats[2].key' }),
  before: Type.Unknown({ description: 'null: added' }),
  after: Type.Unknown({ description: 'null: removed' }),
})

/** The config document of an environment and its version. */
export type CurrentConfig = Static<typeof CurrentConfig>
/** Before the first push: version 0, the document `{}`, and `updatedAt` null. */
export const CurrentConfig = Type.Object({
  version: Version,
  config: ConfigDocument,
  updatedAt: Nullable(Timestamp),
})

/** The result of a push. */
export type Pushed = Static<typeof Pushed>
/** If the document is the same as before, `changed` is false and `version` does not rise. */
export const Pushed = Type.Object({ version: Version, changed: Type.Boolean(), config: ConfigDocument })

/** The result of a push with `dryRun`: what it would change. */
export type DryRun = Static<typeof DryRun>
/** `valid` is always true: an invalid document is rejected with an error, as in a push. */
export const DryRun = Type.Object({ valid: Type.Literal(true), changes: Type.Array(Change) })

/** One entry of the config history. */
export type ConfigVersion = Static<typeof ConfigVersion>
/** `changeCount` counts all changes, also those that `changes` leaves out. */
export const ConfigVersion = Type.Object({
  version: Version,
  updatedAt: Timestamp,
  actor: Actor,
  changes: Type.Array(Change, { description: 'the first fifty; long values are truncated' }),
  changeCount: Type.Integer(),
})

/** Get the config document as it was pushed. */
export const readConfig = endpoint('GET /v1/config', {
  summary: 'Get the config document; as it was pushed, or version 0 and {} before the first push',
  caller: 'admin',
  role: 'viewer',
  agent: 'read',
  response: CurrentConfig,
})

/** Push the config document; it replaces the previous one. */
export const pushConfig = endpoint('PUT /v1/config', {
  summary: 'Push the config document; it replaces the previous one',
  caller: 'admin',
  role: 'developer',
  query: Type.Object({
    dryRun: Type.Optional(
      Type.Boolean({
        description:
          'true: only validate and return what would change; an invalid document is still rejected',
      }),
    ),
  }),
  // Any JSON, so that the rules of the document report its problems (CFG-02).
  body: Type.Unknown({
    ...PUBLISHED({ type: 'object' }),
    description: 'The document itself, as svc.config.schema.json describes it',
    examples: [{ features: { saves: true } }],
  }),
  agent: { development: 'write', production: 'destructive' },
  withoutApproval: ({ query }) => (query as { dryRun?: boolean }).dryRun === true,
  response: Type.Union([Pushed, DryRun]),
  errors: ['invalid_config', 'feature_unavailable'],
})

/** List config versions, newest first. */
export const listConfigVersions = endpoint('GET /v1/config/versions', {
  summary: 'List config versions, newest first',
  caller: 'admin',
  role: 'viewer',
  query: Type.Object({
    limit: Limit(),
    before: Type.Optional(Type.Integer({ minimum: 1, description: 'only versions older than this one' })),
  }),
  agent: 'read',
  response: Type.Object({ versions: Type.Array(ConfigVersion), nextBefore: Nullable(Type.Integer()) }),
})

/** Get one config version. */
export const readConfigVersion = endpoint('GET /v1/config/versions/:version', {
  ...OneVersion,
  summary: 'Get one config version',
  caller: 'admin',
  role: 'viewer',
  agent: 'read',
  response: Type.Object({ version: Version, config: ConfigDocument, updatedAt: Timestamp, actor: Actor }),
  errors: ['config_version_not_found'],
})

/** Restore an old version as a new version. */
export const restoreConfigVersion = endpoint('POST /v1/config/versions/:version/restore', {
  ...OneVersion,
  summary: 'Restore an old version as a new version',
  caller: 'admin',
  role: 'developer',
  agent: { development: 'write', production: 'destructive' },
  response: Pushed,
  errors: ['config_version_not_found', 'invalid_config', 'feature_unavailable'],
})

/** A feature switch with its state. */
export type Feature = Static<typeof Feature>
/** `configPath` is null if the config document does not switch the feature. */
export const Feature = Type.Object({
  key: Type.String(),
  title: Type.String(),
  configPath: Nullable(Type.String({ description: 'the field of the config that enables it' })),
  source: Type.Enum(['config', 'default', 'operation', 'operator'], {
    description:
      'what determines it: the config document, the default, a separate operation, or the operator (feature not offered)',
  }),
  enabled: Type.Boolean(),
  problems: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'what does not work as configured, such as a missing background image; absent if all is well',
    }),
  ),
})

/** List all features with their state and what determines it. */
export const listFeatures = endpoint('GET /v1/admin/features', {
  summary: 'List all features with their state and what determines it',
  caller: 'admin',
  role: 'viewer',
  agent: 'read',
  response: Type.Object({ features: Type.Array(Feature) }),
})
