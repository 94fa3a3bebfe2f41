import { LIMITS } from '@svc/contract/common/limits'
import type { PlayerIdentity, PlayerView, SessionView } from '@svc/contract/players'

import { ApiError, invalidField } from '../../platform/api-error.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Player, PlayerStatus } from '../../platform/player.ts'
import { type Ids, type Random, randomBase32 } from '../../platform/random.ts'
import { hasUnprintable, hasVisible } from '../../platform/text/text.ts'
import type { PlayerSessions } from './ports.ts'
import {
  type Attached,
  attachedIn,
  type PlayerRow,
  type PlayerStore,
  type Transaction,
  type ViewColumns,
} from './store.ts'

export type AccountDeps = {
  clock: Clock
  random: Random
  ids: Ids
  sessions: Pick<PlayerSessions, 'open' | 'issueTokens' | 'isLive'>
  /** Notifies the rooms and channels that the player is in. */
  renamed(environmentId: string, player: { id: string; displayName: string }): Promise<void>
  /** The details of the error for a banned player: the ban, its reason, its end. */
  banDetails(environmentId: string, playerId: string): Promise<Record<string, unknown>>
}

type SignInProof = {
  requireProven?: (player: PlayerRow | undefined) => PlayerRow
  from?: { sessionId: string }
}

export type Accounts = ReturnType<typeof createAccounts>

const NAME_LENGTH_MAX = LIMITS.displayNameLengthMax

/** The players of an environment: who they are, and how they get a session. */
export function createAccounts(store: PlayerStore, deps: AccountDeps) {
  const { clock, random, ids, sessions, renamed, banDetails } = deps

  const newPlayer = (environmentId: string, input: NewPlayer): PlayerRow => {
    const displayName = input.displayName === undefined ? guestName() : checkedName(input.displayName)
    return {
      environmentId,
      id: ids('ply'),
      displayName,
      searchName: searchName(displayName),
      email: input.email ?? null,
      emailLinkedAt: input.email === undefined ? null : timestamp(clock),
      emailVerifiedAt: null,
      passwordHash: input.passwordHash ?? null,
      createdAt: timestamp(clock),
      lastSeenAt: timestamp(clock),
      bannedUntil: null,
      leaderboardsHidden: 0,
    }
  }

  const guestName = () => `Guest-${randomBase32(random, 4).toUpperCase()}`

  const isBanned = ({ bannedUntil }: Pick<PlayerRow, 'bannedUntil'>) =>
    bannedUntil !== null && bannedUntil > timestamp(clock)

  const banned = async (environmentId: string, playerId: string) =>
    new ApiError('player_banned', await banDetails(environmentId, playerId))

  async function read(environmentId: string, playerId: string): Promise<PlayerView | undefined> {
    const found = await store.findWithIdentities(environmentId, playerId)
    return found && view(found.row, found.identities)
  }

  async function me({ environmentId, id }: Omit<Player, 'sessionId'>): Promise<{ player: PlayerView }> {
    const player = await read(environmentId, id)
    if (!player) throw new ApiError('invalid_token')
    return { player }
  }

  return {
    view: read,
    isBanned,
    banned,
    checkedName,

    /** A row and its first session, in the caller's transaction: sign-up by email or by provider. */
    async create(transaction: Transaction, environmentId: string, input: NewPlayer): Promise<PlayerRow> {
      const row = newPlayer(environmentId, input)
      if (!(await store.in(transaction).insert(row))) throw new ApiError('email_taken')
      return row
    },

    async signInAsGuest(
      { id: environmentId }: Environment,
      { displayName }: { displayName?: string },
    ): Promise<SessionView> {
      const row = newPlayer(environmentId, displayName === undefined ? {} : { displayName })
      const [, use] = await store.create((queries) =>
        Promise.all([store.in(queries).insert(row), sessions.open(queries, environmentId, row.id)]),
      )
      return sessions.issueTokens(environmentId, view(row, []), use)
    },

    /**
     * Opens a session for an authenticated player. It is serialized with bans, password resets and deletion: `requireProven` gets
     * the current state of the player, and the session in `from` must still be active.
     */
    async signIn(
      environmentId: string,
      playerId: string,
      { requireProven = requireExisting, from }: SignInProof = {},
    ): Promise<SessionView> {
      const opened = await store.change(environmentId, playerId, async (transaction) => {
        const row = requireProven(await store.in(transaction).find(environmentId, playerId))
        if (isBanned(row)) return undefined
        if (from && !(await sessions.isLive(transaction, environmentId, from.sessionId)))
          throw new ApiError('invalid_code')
        const identities = await store.in(transaction).identities(environmentId, playerId)
        return {
          player: view(row, identities),
          use: await sessions.open(transaction, environmentId, playerId),
        }
      })
      if (!opened) throw await banned(environmentId, playerId)
      return sessions.issueTokens(environmentId, opened.player, opened.use)
    },

    /** Called on every write (BAN-09). */
    async requireMayWrite({ environmentId, id }: Player): Promise<PlayerStatus> {
      const status = await store.findPlayerStatus(environmentId, id)
      if (!status) throw new ApiError('invalid_token')
      if (isBanned(status)) throw await banned(environmentId, id)
      return status
    },

    me,

    async isGuestWithoutBan(environmentId: string, playerId: string, transaction?: Transaction) {
      const players = transaction ? store.in(transaction) : store
      const found = await players.findWithIdentities(environmentId, playerId)
      return (
        found !== undefined && !isBanned(found.row) && identitiesOf(found.row, found.identities).length === 0
      )
    },

    async rename({ environmentId, id }: Player, { displayName }: { displayName: string }) {
      const name = checkedName(displayName)
      await store.rename({ environmentId, id, displayName: name, searchName: searchName(name) })
      const answer = await me({ environmentId, id })
      await renamed(environmentId, answer.player)
      return answer
    },

    /** For token verification by a game's server. */
    async find(environmentId: string, playerId: string) {
      const row = await store.find(environmentId, playerId)
      return row && { id: row.id, displayName: row.displayName, banned: isBanned(row) }
    },
  }
}

function requireExisting(player: PlayerRow | undefined): PlayerRow {
  if (!player) throw new ApiError('invalid_code')
  return player
}

type NewPlayer = { displayName?: string; email?: string; passwordHash?: string }

/** Trimmed, NFC, 1 to 32 characters, at least one of them visible (PLY-06). */
export function checkedName(input: string): string {
  const name = input.normalize('NFC').trim()
  if (Array.from(name).length <= NAME_LENGTH_MAX && hasVisible(name) && !hasUnprintable(name)) return name
  throw invalidField(
    '$.displayName',
    `must be text of 1 to ${NAME_LENGTH_MAX} characters, at least one of them visible, without control characters`,
  )
}

export const searchName = (displayName: string) => displayName.normalize('NFKC').toLowerCase()

type Viewed = Pick<
  PlayerRow,
  'id' | 'displayName' | 'email' | 'emailLinkedAt' | 'emailVerifiedAt' | 'createdAt'
>

/** The view of the player in rows of `joinView`, which are those of one player; undefined if there is no such player. */
export function viewIn(rows: readonly (ViewColumns & { playerId: string })[]): PlayerView | undefined {
  const [first] = rows
  if (!first || first.displayName === null || first.playerCreatedAt === null) return undefined
  const { playerId: id, displayName, playerCreatedAt: createdAt, ...rest } = first
  return view({ ...rest, id, displayName, createdAt }, attachedIn(rows))
}

export function view(row: Viewed, identities: readonly Attached[]): PlayerView {
  const attached = identitiesOf(row, identities)
  return {
    id: row.id,
    displayName: row.displayName,
    isGuest: attached.length === 0,
    createdAt: row.createdAt,
    identities: attached.length > 0 ? attached : [{ provider: 'guest', linkedAt: row.createdAt }],
    emailVerified: row.emailVerifiedAt !== null,
    email: row.email,
    avatarUrl: null,
  }
}

/** The sign-in methods, without the guest entry (OAU-20). */
export const identitiesOf = (row: Viewed, identities: readonly Attached[]): PlayerIdentity[] => [
  ...(row.email === null
    ? []
    : [{ provider: 'email', linkedAt: row.emailLinkedAt ?? row.createdAt, email: row.email }]),
  ...identities.map(({ provider, linkedAt }) => ({ provider, linkedAt })),
]
