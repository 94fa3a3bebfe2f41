import { LIMITS } from '@svc/contract/common/limits'
import type { PlayerView, SessionView } from '@svc/contract/players'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, SECOND_MS, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Player } from '../../platform/player.ts'
import type { Ids } from '../../platform/random.ts'
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from './access-tokens.ts'
import type { RefreshTokens, RefreshUse } from './refresh-tokens.ts'
import type { Queries, SessionRow, SessionStore, Transaction } from './store.ts'

type RevokedReason = 'reuse' | 'ban' | 'password_reset' | 'logout' | 'unlink' | 'deleted'

type ChainDeps = {
  tokens: RefreshTokens
  accessTokens: AccessTokens
  clock: Clock
  ids: Ids
  graceSeconds: number
  /** Detects pauses of this process: after a pause, requests arrived earlier than they were read. */
  standstill: {
    noteRunning(): void
    arrivedMsAgo(readMsAgo: number): number
    caughtUp(): Promise<void>
  }
  /** See `createRefreshHold`. */
  hold(): Promise<void>
  /** Records that the player was active today. */
  recordActivity(environmentId: string, playerId: string): void
  /** True if the player is not banned and has no sign-in method, so that its refresh token is its only access. */
  isGuestWithoutBan(environmentId: string, playerId: string, transaction?: Transaction): Promise<boolean>
  /** What the player is told about the ban; empty if the player is not banned. */
  banDetails(environmentId: string, playerId: string): Promise<Record<string, unknown>>
  /** Records a revocation in the transaction of the change, for nodes that `disconnect` does not reach. */
  recordRevoked(queries: Queries, environmentId: string, playerId: string): Promise<void>
  /** Closes the connections of these sessions, on every node. */
  disconnect(
    environmentId: string,
    playerId: string,
    sessions: { id: string } | { except: string | null },
  ): Promise<void>
}

/** When a request was read, and when its client began it at the latest. */
type Timing = { readMsAgo: number; beganMsAgo: number }

export type RefreshChains = ReturnType<typeof createRefreshChains>

const LIFETIME_MS = LIMITS.refreshTokenTtlMs
/** The clocks of nodes and database differ less. */
const CLOCKS_DIFFER_MS = 60 * SECOND_MS
const FOREVER = '9999-12-31T23:59:59.999Z'

/** Chains of refresh tokens; in each chain exactly one token works (SES-05 … SES-16). */
export function createRefreshChains(store: SessionStore, deps: ChainDeps) {
  const { tokens, accessTokens, clock, ids, graceSeconds, hold, isGuestWithoutBan } = deps
  const { recordActivity, recordRevoked, disconnect, standstill, banDetails } = deps

  /** The response with the tokens of a session. */
  async function answer(environmentId: string, player: PlayerView, use: RefreshUse): Promise<SessionView> {
    recordActivity(environmentId, player.id)
    return {
      player,
      accessToken: await accessTokens.issue(environmentId, player.id, use.sessionId),
      expiresIn: ACCESS_TOKEN_SECONDS,
      refreshToken: tokens.write(environmentId, use),
    }
  }

  function requireKnown(environmentId: string, refreshToken: string): RefreshUse {
    const use = tokens.read(environmentId, refreshToken)
    if (!use) throw new ApiError('invalid_refresh_token')
    return use
  }

  function requireLive(session: SessionRow) {
    if (session.revokedAt) throw new ApiError('session_revoked', { reason: session.revokedReason })
    if (session.expiresAt <= timestamp(clock)) throw new ApiError('invalid_refresh_token')
  }

  /** A client learns here why, and until when: its access token has expired, so it cannot read the ban. */
  const endedByBan = async ({ environmentId, playerId, revokedReason: reason }: SessionRow) =>
    new ApiError('session_revoked', { reason, ...(await banDetails(environmentId, playerId)) })

  const refusalWithoutSession = async (environmentId: string, { sessionId }: RefreshUse) =>
    (await store.isDeleted(environmentId, sha256(sessionId)))
      ? new ApiError('session_revoked', { reason: 'deleted' })
      : new ApiError('invalid_refresh_token')

  /** After a ban, a guest may use the token that the ban revoked, because it has no other access; other players sign in again. */
  const isOverFor = ({ environmentId, playerId, expiresAt }: SessionRow) =>
    expiresAt > timestamp(clock) && isGuestWithoutBan(environmentId, playerId)

  /** Serialized with bans and linking. */
  const revive = ({ environmentId, playerId }: SessionRow, rotation: Parameters<SessionStore['revive']>[0]) =>
    store.changePlayer(environmentId, playerId, async (transaction) =>
      (await isGuestWithoutBan(environmentId, playerId, transaction))
        ? store.in(transaction).revive(rotation)
        : undefined,
    )

  const isInGrace = ({ rotatedAt }: SessionRow) =>
    graceSeconds > 0 &&
    rotatedAt !== null &&
    timestamp(clock) <= timestamp({ now: () => new Date(rotatedAt) }, graceSeconds * SECOND_MS)

  /** The same token and nonce again, because the response was lost. A successor that was used has been received (SES-19). */
  const isRepeat = (session: SessionRow, use: RefreshUse, nonce: string | undefined) =>
    nonce !== undefined && session.nonceHash === sha256(nonce) && use.generation === session.generation - 1

  /** What a use writes that makes this the newest generation. */
  const rotationOf = (
    { environmentId, id, generation }: Pick<SessionRow, 'environmentId' | 'id' | 'generation'>,
    nextGeneration: number,
    nonceHash: string | null,
  ) => ({
    environmentId,
    id,
    generation,
    nextGeneration,
    now: timestamp(clock),
    nowUs: Math.floor(store.databaseNowMs() * 1_000),
    expiresAt: timestamp(clock, LIFETIME_MS),
    nonceHash,
  })

  const revocation = (
    environmentId: string,
    revokedReason: RevokedReason,
    sanctionId: string | null = null,
  ) => ({
    environmentId,
    revokedReason,
    sanctionId,
    revokedAt: timestamp(clock),
    keptUntil: timestamp(clock, LIFETIME_MS),
  })

  async function revoke(environmentId: string, playerId: string, id: string, reason: RevokedReason) {
    await store.together((queries) =>
      Promise.all([
        reason === 'reuse'
          ? store.in(queries).revokeReused({ ...revocation(environmentId, reason), id })
          : store.in(queries).revoke({ ...revocation(environmentId, reason), id }),
        recordRevoked(queries, environmentId, playerId),
      ]),
    )
  }

  /** The active session whose newest token this is. */
  async function requireNewest(environmentId: string, refreshToken: string): Promise<SessionRow> {
    const use = requireKnown(environmentId, refreshToken)
    const session = await store.find(environmentId, use.sessionId)
    const isLive = session && !session.revokedAt && session.expiresAt > timestamp(clock)
    if (!isLive || session.generation !== use.generation) throw new ApiError('invalid_refresh_token')
    return session
  }

  return {
    /** Opens a new chain in the transaction that signs the player in; `issueTokens` then creates the tokens. */
    async open(queries: Queries, environmentId: string, playerId: string): Promise<RefreshUse> {
      const id = ids('ses')
      await store.in(queries).insert({
        environmentId,
        id,
        playerId,
        generation: 0,
        rotatedAt: null,
        rotatedAtUs: null,
        nonceHash: null,
        createdAt: timestamp(clock),
        expiresAt: timestamp(clock, LIFETIME_MS),
        revokedAt: null,
        revokedReason: null,
        sanctionId: null,
      })
      return { sessionId: id, generation: 0 }
    },

    issueTokens: answer,

    /** `from`: a used token of a cookie is only refused, because a browser may have kept an old cookie. */
    async refresh(
      { id: environmentId }: Environment,
      { refreshToken, nonce }: { refreshToken: string; nonce?: string | undefined },
      { readMsAgo, beganMsAgo }: Timing,
      from: 'client' | 'cookie' = 'client',
    ): Promise<SessionView> {
      const arrivedMsAgo = Math.max(standstill.arrivedMsAgo(readMsAgo), standstill.arrivedMsAgo(beganMsAgo))
      const arrivedUs = (store.databaseNowMs() - arrivedMsAgo) * 1_000
      const use = requireKnown(environmentId, refreshToken)
      // One read, before the token is used, so that a failed read does not cost the token.
      const found = await store.findWithPlayer(environmentId, use.sessionId)
      if (!found) throw await refusalWithoutSession(environmentId, use)
      const { session, player } = found
      const mayReturn = session.revokedReason === 'ban' && (await isOverFor(session))
      if (session.revokedReason === 'ban' && !mayReturn) throw await endedByBan(session)
      if (!mayReturn) requireLive(session)
      if (!player) throw new ApiError('session_revoked', { reason: 'deleted' })
      if (use.generation !== session.generation)
        return usedBefore({ session, player }, use, nonce, arrivedUs, from)

      await hold()
      // After a pause of this process, requests that arrived at the same time are read before the token is used.
      await standstill.caughtUp()
      const nonceHash = nonce === undefined ? null : sha256(nonce)
      const rotation = rotationOf(session, use.generation + 1, nonceHash)
      // A replay counts as arrived after this, even if the process pauses from now on.
      standstill.noteRunning()
      const rotated = mayReturn ? await revive(session, rotation) : await store.rotate(rotation)
      const next = { sessionId: use.sessionId, generation: use.generation + 1 }
      if (rotated) return answer(environmentId, player, next)

      const winner = await store.find(environmentId, use.sessionId)
      if (!winner) throw await refusalWithoutSession(environmentId, use)
      requireLive(winner)
      if (isRepeat(winner, use, nonce)) return answer(environmentId, player, next)
      throw new ApiError('refresh_race')
    },

    async logOut({ id: environmentId }: Environment, refreshToken: string): Promise<object> {
      const use = tokens.read(environmentId, refreshToken)
      const session = use && (await store.find(environmentId, use.sessionId))
      if (!session || session.revokedAt) return {}
      await revoke(environmentId, session.playerId, session.id, 'logout')
      await disconnect(environmentId, session.playerId, { id: session.id })
      return {}
    },

    /** Returns the session of an active refresh token of this player: proof of identity for unlink and delete. */
    async requireOwn(environmentId: string, playerId: string, refreshToken: string): Promise<string> {
      const session = await requireNewest(environmentId, refreshToken)
      if (session.playerId !== playerId) throw new ApiError('invalid_refresh_token')
      return session.id
    },

    requireNewest,

    /** The session of a token, ended or not: proof of identity for an appeal, not for a sign-in. */
    async identify(environmentId: string, refreshToken: string) {
      const use = requireKnown(environmentId, refreshToken)
      const session = await store.find(environmentId, use.sessionId)
      const provesUntil = session?.revokedAt
        ? timestamp({ now: () => new Date(session.revokedAt ?? 0) }, LIFETIME_MS)
        : session?.expiresAt
      if (!session || !provesUntil || provesUntil <= timestamp(clock))
        throw new ApiError('invalid_refresh_token')
      return { playerId: session.playerId, sanctionId: session.sanctionId }
    },

    /** Call in the transaction of the change that ends them. Returns the number of active sessions that ended. */
    async revokeAll(
      transaction: Transaction,
      environmentId: string,
      playerId: string,
      {
        reason,
        sanctionId = null,
        exceptId = '',
      }: { reason: RevokedReason; sanctionId?: string | null; exceptId?: string },
    ): Promise<number> {
      const sessions = store.in(transaction)
      await recordRevoked(transaction, environmentId, playerId)
      // A transfer code would give access again. The code of a banned player stays, because its use answers with the ban.
      if (reason !== 'ban') await sessions.dropTransferCode(environmentId, playerId)
      return sessions.revokeAll({ ...revocation(environmentId, reason, sanctionId), playerId, exceptId })
    },

    /**
     * The sessions that this ban revoked are kept for ninety days after its end, so that a guest can use them again; null: the ban
     * has no end yet.
     */
    async keepAfterBan(
      transaction: Transaction,
      environmentId: string,
      playerId: string,
      { sanctionId, endsAt }: { sanctionId: string; endsAt: string | null },
    ): Promise<void> {
      const keptUntil = endsAt === null ? FOREVER : timestamp({ now: () => new Date(endsAt) }, LIFETIME_MS)
      await store.in(transaction).keepRevoked({ environmentId, playerId, sanctionId, keptUntil })
    },

    revokeOne: revoke,
    disconnect,

    /** Whether the session is still active. The transaction must have locked the player. */
    async isLive(transaction: Transaction, environmentId: string, sessionId: string): Promise<boolean> {
      const session = await store.in(transaction).find(environmentId, sessionId)
      return session !== undefined && !session.revokedAt && session.expiresAt > timestamp(clock)
    },

    /**
     * For connections, which may be open longer than an access token is valid: throws `session_revoked` if the session has ended.
     */
    async requireLive({ environmentId, sessionId }: Player): Promise<void> {
      const session = await store.find(environmentId, sessionId)
      if (!session || session.revokedAt) throw new ApiError('session_revoked')
    },

    /** The same for many: those of these sessions that have not ended. */
    liveAmong: async (environmentId: string, sessionIds: readonly string[]) =>
      new Set((await store.listUnrevoked(environmentId, sessionIds)).map(({ id }) => id)),

    purgeExpired: (stopping?: AbortSignal) => store.purgeExpired(timestamp(clock), stopping),
  }

  /** Writes nothing, unless a ban between the two requests has ended the chain and is over. */
  async function repeat({ session, player }: { session: SessionRow; player: PlayerView }) {
    const { environmentId, id, generation, nonceHash } = session
    if (session.revokedAt) {
      await revive(session, rotationOf(session, generation, nonceHash))
      const current = await store.find(environmentId, id)
      requireLive(current ?? session)
    }
    return answer(environmentId, player, { sessionId: id, generation })
  }

  /** Handles a used token: a concurrent use is a race, a later one is a replay (SES-12). */
  async function usedBefore(
    { session, player }: { session: SessionRow; player: PlayerView },
    use: RefreshUse,
    nonce: string | undefined,
    arrivedUs: number,
    from: 'client' | 'cookie',
  ): Promise<SessionView> {
    const { environmentId, id, playerId, generation, rotatedAtUs } = session
    if (isRepeat(session, use, nonce)) return repeat({ session, player })
    // A rotation in the future is one of a clock that was ahead: it says nothing about the order.
    const isOrdered = (rotatedAtUs ?? 0) <= (store.databaseNowMs() + CLOCKS_DIFFER_MS) * 1_000
    const isConcurrentUse = isOrdered && use.generation === generation - 1 && arrivedUs <= (rotatedAtUs ?? 0)
    if (isConcurrentUse) throw new ApiError('refresh_race')
    if (isInGrace(session)) throw new ApiError('refresh_race')
    if (from === 'cookie') throw new ApiError('invalid_refresh_token')
    // Committed although this request fails: a replayed token may be stolen.
    await revoke(environmentId, playerId, id, 'reuse')
    await disconnect(environmentId, playerId, { id })
    throw new ApiError('session_revoked', { reason: 'reuse' })
  }
}
