import type { Actor } from '@svc/contract/common/schemas'
import type { BannedPlayer } from '@svc/contract/moderation'

import { ApiError, invalidField } from '../../platform/api-error.ts'
import { type Clock, HOUR_MS, timestamp } from '../../platform/clock.ts'
import type { Environment } from '../../platform/environment.ts'
import { changeIn } from '../../platform/ports/audit.ts'
import { firstIdAt, type Ids } from '../../platform/random.ts'
import { cleanText } from '../../platform/text/text.ts'
import type { Audit, Disconnect, PlayerExists } from './ports.ts'
import { endOf, isActive } from './sanctions.ts'
import type { BanRow, ModerationStore, Transaction } from './store.ts'

type BanDeps = {
  clock: Clock
  ids: Ids
  audit: Audit
  playerExists: PlayerExists
  /** Sets what every write and every sign-in checks. */
  setBan(
    transaction: Transaction,
    environmentId: string,
    playerId: string,
    ban: { expiresAt: string | null } | null,
  ): Promise<unknown>
  /** Returns how many were revoked. A guest can use them again when this ban has ended. */
  revokeSessions(
    transaction: Transaction,
    environmentId: string,
    playerId: string,
    ban: { id: string; expiresAt: string | null },
  ): Promise<number>
  /** Called when the ban was lifted or has expired. */
  releaseSessions(
    transaction: Transaction,
    environmentId: string,
    playerId: string,
    sanctionId: string,
  ): Promise<void>
  disconnect: Disconnect
}

export type Bans = ReturnType<typeof createBans>

type BanInput = { reason?: string | null; durationHours?: number }
type Terms = { reason: string | null; durationHours: number | undefined; actor: Actor }

/** One ban per player. It starts when its transaction is committed, and expires by the clock. */
export function createBans(store: ModerationStore, deps: BanDeps) {
  const { clock, ids, audit, playerExists, setBan, disconnect } = deps

  async function requirePlayer(transaction: Transaction, environmentId: string, playerId: string) {
    if (!(await playerExists(transaction, environmentId, playerId))) throw new ApiError('player_not_found')
  }

  /** Banning a banned player changes the terms of the same sanction (BAN-12); if the ban has expired, it creates a new one. */
  async function impose(
    transaction: Transaction,
    environmentId: string,
    playerId: string,
    { reason, durationHours, actor }: Terms,
  ) {
    // Read once, so that the duration starts exactly at the ban.
    const now = clock.now()
    const createdAt = now.toISOString()
    const expiresAt =
      durationHours === undefined ? null : new Date(now.getTime() + hoursToMs(durationHours)).toISOString()
    const terms = { reason, expiresAt, bannedBy: JSON.stringify(actor) }
    const bans = store.in(transaction)
    const latest = await bans.latestBan(environmentId, playerId)
    const ranOutAt = latest && endOf(latest, createdAt)
    if (latest && ranOutAt === null) {
      await bans.replaceBan({ environmentId, id: latest.id, ...terms })
      return { ...latest, ...terms }
    }

    if (latest && ranOutAt) await bans.endBan({ environmentId, id: latest.id, endedAt: ranOutAt })
    const ban: BanRow = { environmentId, id: ids('san'), playerId, createdAt, endedAt: null, ...terms }
    await bans.insertBan(ban)
    return ban
  }

  /**
   * Ends this ban if it is the active one; an older decision never lifts a newer ban. An open appeal is accepted without a
   * response.
   */
  async function lift(
    transaction: Transaction,
    environmentId: string,
    playerId: string,
    sanctionId?: string,
  ) {
    const bans = store.in(transaction)
    const ban = await bans.latestBan(environmentId, playerId)
    if (!ban || !isActive(ban, timestamp(clock))) return undefined
    if (sanctionId !== undefined && ban.id !== sanctionId) return undefined
    await bans.endBan({ environmentId, id: ban.id, endedAt: timestamp(clock) })
    await bans.acceptAppealOf({ environmentId, banId: ban.id, resolvedAt: timestamp(clock) })
    await setBan(transaction, environmentId, playerId, null)
    await deps.releaseSessions(transaction, environmentId, playerId, ban.id)
    return ban
  }

  async function ban(
    environment: Environment,
    actor: Actor,
    playerId: string,
    { reason: input, durationHours }: BanInput,
  ): Promise<{ player: BannedPlayer }> {
    const { id: environmentId } = environment
    const reason = input === undefined || input === null ? null : cleanText(input)

    const player = await store.change(environmentId, playerId, async (transaction) => {
      await requirePlayer(transaction, environmentId, playerId)
      const imposed = await impose(transaction, environmentId, playerId, { reason, durationHours, actor })
      await setBan(transaction, environmentId, playerId, imposed)
      const revokedSessions = await deps.revokeSessions(transaction, environmentId, playerId, imposed)
      const details = { sanctionId: imposed.id, expiresAt: imposed.expiresAt, revokedSessions }
      await audit.record(transaction, changeIn(environment, actor, 'player.ban', playerId, details))
      return bannedPlayer(imposed, revokedSessions)
    })
    // After the transaction: a client that reconnects now must find the ban.
    await disconnect(environmentId, playerId)
    return { player }
  }

  return {
    lift,

    async ban(environment: Environment, actor: Actor, playerId: string, input: BanInput) {
      if (input.durationHours !== undefined && actor.type !== 'key')
        throw invalidField('$.durationHours', 'requires a secret key')
      return ban(environment, actor, playerId, input)
    },

    /** The role moderator, which gets no key, may also set an end (BAN-16). */
    banForTime: ban,

    async unban(environment: Environment, actor: Actor, playerId: string): Promise<{ player: BannedPlayer }> {
      const { id: environmentId } = environment
      const lifted = await store.change(environmentId, playerId, async (transaction) => {
        await requirePlayer(transaction, environmentId, playerId)
        const ban = await lift(transaction, environmentId, playerId)
        if (!ban) return false
        const details = { sanctionId: ban.id }
        await audit.record(transaction, changeIn(environment, actor, 'player.unban', playerId, details))
        return true
      })
      if (lifted) await disconnect(environmentId, playerId)
      return { player: notBanned(playerId) }
    },

    /** The number of bans since a time, by UTC day. */
    async countByDay(environmentId: string, sinceMs: number): Promise<Map<string, number>> {
      const rows = await store.countBansByDay(environmentId, firstIdAt('san', sinceMs))
      return new Map(rows.map(({ day, count }) => [day, count]))
    },

    /** The details of the error that a banned player gets (BAN-08). */
    async detailsOf(environmentId: string, playerId: string): Promise<Record<string, unknown>> {
      const ban = await store.latestBan(environmentId, playerId)
      return ban ? { sanctionId: ban.id, note: ban.reason, expiresAt: ban.expiresAt } : {}
    },
  }
}

/** At least one millisecond, also for the smallest fraction (BAN-03). */
const hoursToMs = (hours: number) => Math.max(1, Math.round(hours * HOUR_MS))

const bannedPlayer = (ban: BanRow, revokedSessions: number): BannedPlayer => ({
  id: ban.playerId,
  banned: true,
  bannedAt: ban.createdAt,
  banReason: ban.reason,
  revokedSessions,
  banExpiresAt: ban.expiresAt,
})

const notBanned = (id: string): BannedPlayer => ({
  id,
  banned: false,
  bannedAt: null,
  banReason: null,
  revokedSessions: 0,
  banExpiresAt: null,
})
