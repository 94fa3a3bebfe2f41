import { ApiError } from '../../platform/api-error.ts'
import { type Monotonic, monotonicMs } from '../../platform/clock.ts'
import { setBounded } from '../../platform/memory/bounded-map.ts'
import { createCache } from '../../platform/memory/cache.ts'
import type { LinkRow, LinkStore } from './store.ts'

type LookupDeps = {
  /** Whether the player was deleted recently: from memory. */
  isDeleted(environmentId: string, playerId: string): boolean
  isChild(environment: { id: string }, playerId: string): Promise<boolean>
  /** Called for each opening of a link: its read, its card, its page, its tags and its visits. */
  opened(link: LinkRow): void
  now?: Monotonic
}
export type LinkLookup = ReturnType<typeof createLinkLookup>

/** `shr_` and 12 characters of Crockford's base32. */
const SHARE_ID = /^shr_[0-9a-hjkmnp-tv-z]{12}$/
/** A link that was deleted on another node may be found for this long. */
const FRESH_MS = 1_000
const LINKS_MAX = 10_000
/** Ids are random, so it is very unlikely that an unknown id is created soon. */
const UNKNOWN_MS = 60_000
const UNKNOWN_MAX = 10_000

/**
 * Finds share links. Unknown ids are cached separately, so that guessing causes no queries and evicts no links. Links of deleted
 * players are gone immediately.
 */
export function createLinkLookup(store: Pick<LinkStore, 'find'>, deps: LookupDeps) {
  const { isDeleted, isChild, opened, now = monotonicMs } = deps
  const keyOf = (environmentId: string, id: string) => `${environmentId}:${id}`
  const known = createCache<LinkRow | undefined>({
    read: (key) => {
      const [environmentId = '', id = ''] = key.split(':')
      return store.find(environmentId, id)
    },
    ttlMs: FRESH_MS,
    entriesMax: LINKS_MAX,
    now,
  })
  const unknown = new Map<string, number>()

  async function find(environmentId: string, id: string): Promise<LinkRow | undefined> {
    if (!SHARE_ID.test(id)) return undefined
    const key = keyOf(environmentId, id)
    const unknownUntil = unknown.get(key)
    if (unknownUntil !== undefined && now() < unknownUntil) return undefined
    const link = await known.get(key)
    if (!link) {
      known.drop(key)
      setBounded(unknown, key, now() + UNKNOWN_MS, UNKNOWN_MAX)
    }
    if (!link || isOfDeleted(link)) return undefined
    opened(link)
    return link
  }

  const isOfDeleted = ({ environmentId, playerId }: LinkRow) =>
    playerId !== null && isDeleted(environmentId, playerId)

  return {
    find,
    /** Throws the same error for unknown ids, ids of other environments and malformed ids. */
    async require(environmentId: string, id: string): Promise<LinkRow> {
      const link = await find(environmentId, id)
      if (!link) throw new ApiError('share_link_not_found')
      return link
    },
    /** Whether the link has a name that must not be shown. Asked at each read: a player may become a child at any time. */
    hidesName: async ({ environmentId, playerId, displayName }: LinkRow): Promise<boolean> =>
      displayName !== null && playerId !== null && isChild({ id: environmentId }, playerId),
    drop: (environmentId: string, id: string) => known.drop(keyOf(environmentId, id)),
  }
}
