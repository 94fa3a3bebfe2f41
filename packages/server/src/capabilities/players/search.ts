import type { PlayerSummary } from '@svc/contract/players'
import type { SaveSummary } from '@svc/contract/saves'
import type { Signal } from '@svc/contract/stats'

import { ApiError, invalidField } from '../../platform/api-error.ts'
import { createCache } from '../../platform/cache.ts'
import { type Clock, SECOND_MS, timestamp } from '../../platform/clock.ts'
import { normalisedEmail } from '../../platform/email-address.ts'
import type { Environment } from '../../platform/environment.ts'
import { type Accounts, searchName, view } from './accounts.ts'
import type { FoundRow, SearchStore } from './search-store.ts'
import type { PlayerStore } from './store.ts'

export type SearchDeps = {
  players: Pick<PlayerStore, 'find' | 'identities'>
  isBanned: Accounts['isBanned']
  clock: Clock
  /** Writes the activity that this node has noted, so that the answer contains it. */
  writeActivity(environmentId: string): Promise<void>
  ageOf(environmentId: string, playerId: string): Promise<Record<string, unknown>>
  sanctionsOf(environmentId: string, playerId: string): Promise<Record<string, unknown>[]>
  signalsOf(environmentId: string, playerId: string): Promise<Signal[]>
  /** Without their data. */
  savesOf(environmentId: string, playerId: string): Promise<SaveSummary[]>
  statsOf(environmentId: string, playerId: string): Promise<Record<string, number>>
}

export type Search = ReturnType<typeof createSearch>

type Query = { q?: string; cursor?: string; limit?: number }
type Cursor = { name: string; id: string }
type Found = { players: PlayerSummary[]; nextCursor: string | null }

/** Sorts behind every text that begins alike, on both engines, because both compare bytes. */
const LAST = '\u{10ffff}'

/** Counting a million players takes 90 ms: so many are counted every ten seconds at most. */
const MANY = 100_000

/** What developers see of their players (DEV-14, DEV-15). */
export function createSearch(store: SearchStore, deps: SearchDeps) {
  const { players, isBanned, clock, writeActivity, ageOf, sanctionsOf, signalsOf, savesOf, statsOf } = deps
  const counted = createCache({
    read: (environmentId: string) => store.counts(environmentId, timestamp(clock)),
    ttlMs: 10 * SECOND_MS,
    entriesMax: 1_000,
  })

  const summary = (row: FoundRow): PlayerSummary => ({
    id: row.id,
    displayName: row.displayName,
    isGuest: row.email === null && row.identities === 0,
    email: row.email,
    banned: isBanned(row),
    createdAt: row.createdAt,
    lastSeenAt: row.lastSeenAt,
  })

  /** One row more than was asked for tells whether there is a next page. */
  function page(rows: FoundRow[], limit: number): Found {
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    return {
      players: shown.map(summary),
      nextCursor: last && rows.length > limit ? cursorAt({ name: last.searchName, id: last.id }) : null,
    }
  }

  return {
    /** Returns the player with exactly this id or email, otherwise all players whose name begins with the text. */
    async find({ id: environmentId }: Environment, { q = '', cursor, limit = 50 }: Query): Promise<Found> {
      await writeActivity(environmentId)
      const place = cursor === undefined ? undefined : placeAt(cursor)
      const asked = q.trim()
      if (asked === '') {
        return page(await store.newest({ environmentId, before: place?.id ?? LAST, limit: limit + 1 }), limit)
      }

      const exact =
        (await store.byId(environmentId, asked)) ??
        (await store.byEmail(environmentId, normalisedEmail(asked)))
      if (exact) return { players: [summary(exact)], nextCursor: null }

      const begin = searchName(asked)
      const { name: afterName, id: afterId } = place ?? { name: begin, id: '' }
      const rows = await store.byName({
        environmentId,
        afterName,
        afterId,
        end: `${begin}${LAST}`,
        limit: limit + 1,
      })
      return page(rows, limit)
    },

    async detail({ id: environmentId }: Environment, playerId: string) {
      await writeActivity(environmentId)
      const found = await store.byId(environmentId, playerId)
      const row = await players.find(environmentId, playerId)
      if (!found || !row) throw new ApiError('player_not_found')
      const { identities, emailVerified } = view(row, await players.identities(environmentId, playerId))
      const age = await ageOf(environmentId, playerId)
      const sanctions = await sanctionsOf(environmentId, playerId)
      const [signals, saves, stats] = await Promise.all([
        signalsOf(environmentId, playerId),
        savesOf(environmentId, playerId),
        statsOf(environmentId, playerId),
      ])
      return {
        player: { ...summary(found), identities, emailVerified, age, sanctions, saves, stats, signals },
      }
    },

    async counts(environmentId: string) {
      const found = await counted.get(environmentId)
      if (found.total < MANY) counted.drop(environmentId)
      return found
    },
  }
}

const cursorAt = ({ name, id }: Cursor) => Buffer.from(JSON.stringify([name, id])).toString('base64url')

function placeAt(cursor: string): Cursor {
  try {
    const [name, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    // PostgreSQL takes no U+0000.
    const isText = (value: unknown) => typeof value === 'string' && !value.includes('\0')
    if (isText(name) && isText(id)) return { name, id }
  } catch {
    // Not one of ours: said below.
  }
  throw invalidField('$.cursor', 'must be the nextCursor of the page before')
}
