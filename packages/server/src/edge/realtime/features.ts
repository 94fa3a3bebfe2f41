import type { FeatureName } from '@svc/contract/common/features'

import { ApiError } from '../../platform/api-error.ts'

export type Features = Readonly<Record<FeatureName, boolean>>

/**
 * The features of environments with connections: known without waiting. Every pushed config is read: the bus or the revocations tell of it
 * within two seconds (CFG-22).
 */
export function createLiveFeatures(deps: {
  read(environmentId: string): Promise<Features>
  unavailable: ReadonlySet<string>
  /** Called when a feature was turned off. */
  switchedOff(environmentId: string, feature: FeatureName): void
}) {
  const known = new Map<string, Features>()
  /** The number of the read that `known` has: one that began before it may end later. */
  const reads = new Map<string, number>()
  let readCount = 0
  let changes = 0

  async function refreshFeatures(environmentId: string) {
    const read = ++readCount
    const features = await deps.read(environmentId)
    if (read < (reads.get(environmentId) ?? 0)) return
    reads.set(environmentId, read)
    const before = known.get(environmentId)
    // A config is one object until it changes.
    if (features === before) return
    known.set(environmentId, features)
    if (!before) return
    for (const feature of Object.keys(features) as FeatureName[])
      if (before[feature] && !features[feature]) deps.switchedOff(environmentId, feature)
  }

  return {
    refreshFeatures,
    isKnown: (environmentId: string): boolean => known.has(environmentId),
    /** How many configs were pushed: what was read during one may be older. */
    get changes(): number {
      return changes
    },
    /** A config was pushed. Throws when the lookup fails. */
    async changed(environmentId: string) {
      changes++
      if (known.has(environmentId)) await refreshFeatures(environmentId)
    },
    forget(environmentId: string) {
      known.delete(environmentId)
      reads.delete(environmentId)
    },

    require(environmentId: string, feature: FeatureName) {
      if (deps.unavailable.has(feature)) throw new ApiError('feature_unavailable', detailsOf(feature))
      if (!known.get(environmentId)?.[feature]) throw new ApiError('feature_disabled', detailsOf(feature))
    },
  }
}

/** The same check by a lookup, for environments without connections. Throws `feature_disabled` or `feature_unavailable`. */
export const createRequireFeature =
  (read: (environmentId: string) => Promise<Features>, unavailable: ReadonlySet<string>) =>
  async (environmentId: string, feature: FeatureName): Promise<void> => {
    if (unavailable.has(feature)) throw new ApiError('feature_unavailable', detailsOf(feature))
    if (!(await read(environmentId))[feature]) throw new ApiError('feature_disabled', detailsOf(feature))
  }

const detailsOf = (feature: FeatureName) => ({ feature, configPath: `features.${feature}` })
