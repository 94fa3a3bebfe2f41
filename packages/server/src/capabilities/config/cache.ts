import { LIMITS } from '@svc/contract/common/limits'
import { type Config, fillDefaults } from '@svc/contract/config/defaults'
import type { ConfigDocument } from '@svc/contract/config/document'

import { type Monotonic, monotonicMs } from '../../platform/clock.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'
import { setBounded } from '../../platform/memory/bounded-map.ts'
import { createCache } from '../../platform/memory/cache.ts'
import type { Bus } from '../../platform/ports/bus.ts'
import { type Unavailable, withoutUnavailable } from './features.ts'
import type { ConfigStore } from './store.ts'

export const TOPIC = 'config'

/** The current config of an environment. All requests share the object, so it must not be changed. */
export type Current = { version: number; config: Config; document: ConfigDocument }

export type ConfigCache = ReturnType<typeof createConfigCache>
type CacheDeps = { bus: Pick<Bus, 'subscribe' | 'onGap'>; unavailable: Unavailable; now?: Monotonic }

const ENVIRONMENTS_MAX = 5_000

/**
 * The config for every request (CFG-22): a bus message invalidates it when it changes; it is also read again every second, in case
 * a message was lost.
 */
export function createConfigCache(store: ConfigStore, { bus, unavailable, now = monotonicMs }: CacheDeps) {
  const nothingPushed = filled(0, {}, unavailable)
  /** A version never changes, so it is read once; later reads only check whether it is still the newest. */
  const newest = new Map<string, Current>()

  async function read(environmentId: string): Promise<Current> {
    const known = newest.get(environmentId) ?? nothingPushed
    const pushed = await store.of(environmentId).newerThan(known.version)
    if (!pushed) return known

    const current = filled(pushed.version, JSON.parse(pushed.document), unavailable)
    setBounded(newest, environmentId, current, ENVIRONMENTS_MAX)
    return current
  }

  const cache = createCache({ read, ttlMs: LIMITS.configCacheTtlMs, entriesMax: ENVIRONMENTS_MAX, now })
  bus.subscribe(TOPIC, (environmentId) => cache.drop(environmentId))
  bus.onGap(() => cache.clear())

  return {
    current: (environmentId: string): Awaitable<Current> => cache.get(environmentId),
    forget: cache.drop,
  }
}

const filled = (version: number, document: ConfigDocument, unavailable: Unavailable): Current => ({
  version,
  document,
  config: withoutUnavailable(fillDefaults(document), unavailable),
})
