import type { Actor } from '@svc/contract/common/schemas'
import type { ConfigVersion, CurrentConfig, DryRun, Feature, Pushed } from '@svc/contract/config/config'
import { fillDefaults } from '@svc/contract/config/defaults'
import type { ConfigDocument } from '@svc/contract/config/document'
import { checkConfig } from '@svc/contract/config/rules'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { RawJson } from '../../platform/http/raw-json.ts'
import { diff, shortened } from '../../platform/json-diff.ts'
import { type Audit, changeIn } from '../../platform/ports/audit.ts'
import type { Bus } from '../../platform/ports/bus.ts'
import { TOPIC } from './cache.ts'
import {
  type FeatureProblems,
  featuresOf,
  type Unavailable,
  unavailableIn,
  withoutUnavailable,
} from './features.ts'
import type { ConfigStore, Transaction, Versions } from './store.ts'

type ConfigDeps = {
  clock: Clock
  audit: Audit<Transaction>
  bus: Pick<Bus, 'publish'>
  unavailable: Unavailable
  /** Records the change for nodes that do not receive the bus message. */
  recordChanged(transaction: Transaction, environmentId: string): Promise<void>
  /** The problems of features that do not work as configured, by the key of the feature. */
  problemsOf(environment: Environment): Promise<FeatureProblems>
  /** Functions are turned on by a separate operation. */
  hasFunctions(environmentId: string): Promise<boolean>
}
export type Configs = ReturnType<typeof createConfig>

type Push = { document: ConfigDocument; restoredVersion?: number }

const VERSIONS_MAX = 1_000

/** Pushes, reads, compares and restores the versions of a config document, and lists the features that it turns on. */
export function createConfig(
  store: ConfigStore,
  { clock, audit, bus, unavailable, recordChanged, problemsOf, hasFunctions }: ConfigDeps,
) {
  /** The whole document, before anything changes (CFG-02). */
  function requireValid(environment: Environment, document: unknown): asserts document is ConfigDocument {
    const errors = checkConfig(document, { environment: environment.name })
    if (errors.length > 0) throw new ApiError('invalid_config', { errors })

    const refused = unavailableIn(document as ConfigDocument, unavailable)
    if (refused)
      throw new ApiError('feature_unavailable', { feature: refused.key, configPath: refused.configPath })
  }

  async function push(
    environment: Environment,
    actor: Actor,
    { document, restoredVersion }: Push,
  ): Promise<Pushed> {
    const pushed = await store.change(environment.id, async (transaction) => {
      const versions = store.in(transaction, environment.id)
      const current = await latest(versions)
      const changes = diff(current.config, document)
      if (changes.length === 0) return { version: current.version, changed: false, config: current.config }

      const version = current.version + 1
      await versions.insert({
        version,
        document: JSON.stringify(document),
        updatedAt: timestamp(clock),
        actor: JSON.stringify(actor),
      })
      await versions.removeUpTo(version - VERSIONS_MAX)
      await recordChanged(transaction, environment.id)
      const action = restoredVersion === undefined ? 'config.push' : 'config.restore'
      const restored = restoredVersion !== undefined && { restoredVersion }
      const details = { version, ...restored, ...shortened(changes) }
      await audit.record(transaction, changeIn(environment, actor, action, `version ${version}`, details))
      return { version, changed: true, config: document }
    })
    // After the transaction: a node that re-reads on this message must find the new version.
    if (pushed.changed) await bus.publish(TOPIC, environment.id)
    return pushed
  }

  return {
    /** The stored text is copied into the response unchanged. */
    async read(environment: Environment): Promise<RawJson> {
      const { version, document, updatedAt } = await stored(store.of(environment.id))
      return new RawJson(
        `{"version":${version},"config":${document},"updatedAt":${JSON.stringify(updatedAt)}}`,
      )
    },

    async push(environment: Environment, actor: Actor, document: unknown): Promise<Pushed> {
      requireValid(environment, document)
      return push(environment, actor, { document })
    },

    async dryRun(environment: Environment, document: unknown): Promise<DryRun> {
      requireValid(environment, document)
      const { config } = await latest(store.of(environment.id))
      return { valid: true, changes: diff(config, document) }
    },

    async history(environment: Environment, { limit = 50, before = Number.MAX_SAFE_INTEGER }) {
      const versionsOf = store.of(environment.id)
      const listed = await versionsOf.list(before, limit + 1)
      const versions: ConfigVersion[] = []
      // One after another, so that not all documents of a page are in memory at the same time.
      for (const { version, updatedAt, actor } of listed.slice(0, limit)) {
        const changes = await changesOf(versionsOf, version)
        versions.push({ version, updatedAt, actor: JSON.parse(actor), ...shortened(changes) })
      }
      return { versions, nextBefore: listed.length > limit ? (versions.at(-1)?.version ?? null) : null }
    },

    async version(environment: Environment, version: number) {
      const found = await store.of(environment.id).find(version)
      if (!found) throw new ApiError('config_version_not_found')
      const { updatedAt, document, actor } = found
      return { version, config: JSON.parse(document), updatedAt, actor: JSON.parse(actor) }
    },

    /** Validates the old document again: the rules or the features of the operator may have changed. */
    async restore(environment: Environment, actor: Actor, version: number): Promise<Pushed> {
      const found = await store.of(environment.id).find(version)
      if (!found) throw new ApiError('config_version_not_found')
      const document: unknown = JSON.parse(found.document)
      requireValid(environment, document)
      return push(environment, actor, { document, restoredVersion: version })
    },

    async features(environment: Environment): Promise<{ features: Feature[] }> {
      const { config: document } = await latest(store.of(environment.id))
      const config = withoutUnavailable(fillDefaults(document), unavailable)
      const problems = await problemsOf(environment)
      const hasThem = !unavailable.has('functions') && (await hasFunctions(environment.id))
      return { features: featuresOf(document, config, unavailable, { problems, hasFunctions: hasThem }) }
    },

    removeEnvironment: async (transaction: Transaction, environmentId: string): Promise<void> => {
      await store.in(transaction, environmentId).removeAll()
    },
  }
}

const NOTHING_PUSHED = { version: 0, document: '{}', updatedAt: null }

const stored = async (versions: Versions) => (await versions.newerThan(0)) ?? NOTHING_PUSHED

async function latest(versions: Versions): Promise<CurrentConfig> {
  const { version, document, updatedAt } = await stored(versions)
  return { version, config: JSON.parse(document), updatedAt }
}

/** The changes since the previous version; unknown for the oldest version that is kept. */
async function changesOf(versions: Versions, version: number) {
  const after = await versions.find(version)
  const before = version === 1 ? { document: '{}' } : await versions.find(version - 1)
  return before && after ? diff(JSON.parse(before.document), JSON.parse(after.document)) : []
}
