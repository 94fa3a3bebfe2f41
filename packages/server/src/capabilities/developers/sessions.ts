import { LIMITS } from '@svc/contract/common/limits'
import type { DeveloperSessionView } from '@svc/contract/developers/developers'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, DAY_MS, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Developer } from '../../platform/environment.ts'
import { createCache } from '../../platform/memory/cache.ts'
import type { Messages } from '../../platform/ports/bus.ts'
import { type Random, randomToken } from '../../platform/random.ts'
import type { AccountStore, Transaction } from './store.ts'

export type DeveloperSessions = ReturnType<typeof createDeveloperSessions>

const LIFETIME_MS = LIMITS.developerSessionTtlMs
const EXPIRES_IN_SECONDS = LIFETIME_MS / 1_000
const TOPIC = 'developer-sessions'

/** Identifies a session without revealing its token. */
const idOf = (tokenHash: string) => `dss_${tokenHash.slice(0, 32)}`

/** A use extends the session once a day. */
const lastUse = (createdAt: string, expiresAt: string) =>
  new Date(Math.max(Date.parse(createdAt), Date.parse(expiresAt) - LIFETIME_MS)).toISOString()

/** Thirty days; every use restarts them (DEV-01). */
export function createDeveloperSessions(store: AccountStore, clock: Clock, random: Random, bus: Messages) {
  const cached = createCache({
    async read(tokenHash: string) {
      const session = await store.findSession(tokenHash)
      return session && { ...session, expiresAtMs: Date.parse(session.expiresAt) }
    },
    ttlMs: 1_000,
    entriesMax: 10_000,
  })
  bus.subscribe(TOPIC, cached.drop)
  bus.onGap(cached.clear)

  async function forget(tokenHashes: string[]) {
    for (const tokenHash of tokenHashes) {
      cached.drop(tokenHash)
      await bus.publish(TOPIC, tokenHash)
    }
  }

  async function endByHash(tokenHash: string): Promise<void> {
    await store.endSession(tokenHash)
    await forget([tokenHash])
  }

  return {
    async open(transaction: Transaction, developerId: string) {
      const token = `kds_${randomToken(random)}`
      const [createdAt, expiresAt] = [timestamp(clock), timestamp(clock, LIFETIME_MS)]
      await store.in(transaction).openSession({ tokenHash: sha256(token), developerId, createdAt, expiresAt })
      return { token, expiresIn: EXPIRES_IN_SECONDS }
    },

    async find(token: string): Promise<Developer | undefined> {
      if (!token.startsWith('kds_')) return undefined
      const tokenHash = sha256(token)
      const session = await cached.get(tokenHash)
      const nowMs = clock.now().getTime()
      if (!session || session.expiresAtMs <= nowMs) return undefined
      // At most one write per day, not one per request.
      if (session.expiresAtMs < nowMs + LIFETIME_MS - DAY_MS) {
        await store.extendSession(tokenHash, timestamp(clock, LIFETIME_MS))
        cached.drop(tokenHash)
      }
      return {
        id: session.id,
        email: session.email,
        name: session.name,
        isOperator: session.isOperator === 1,
      }
    },

    /** Whether the session is still active. The transaction must have locked the account. */
    async isLive(transaction: Transaction, token: string): Promise<boolean> {
      const session = await store.in(transaction).findSession(sha256(token))
      return session !== undefined && session.expiresAt > timestamp(clock)
    },

    /** Newest first. */
    async list(developerId: string, token: string): Promise<{ sessions: DeveloperSessionView[] }> {
      const current = sha256(token)
      const sessions = await store.sessionsOf(developerId, timestamp(clock))
      return {
        sessions: sessions.map(({ tokenHash, createdAt, expiresAt }) => ({
          id: idOf(tokenHash),
          createdAt,
          lastUsedAt: lastUse(createdAt, expiresAt),
          expiresAt,
          current: tokenHash === current,
        })),
      }
    },

    async endOne(developerId: string, sessionId: string): Promise<{ deleted: true }> {
      const sessions = await store.sessionsOf(developerId, timestamp(clock))
      const session = sessions.find(({ tokenHash }) => idOf(tokenHash) === sessionId)
      if (!session) throw new ApiError('not_found')
      await endByHash(session.tokenHash)
      return { deleted: true }
    },

    async endAllBut(developerId: string, token: string): Promise<{ ended: number }> {
      const ended = await store.endSessions(developerId, sha256(token))
      await forget(ended)
      return { ended: ended.length }
    },

    async end(token: string): Promise<object> {
      await endByHash(sha256(token))
      return {}
    },

    endByHash,
    /** Calls the handler with the hash of a token whose session has ended, on every node that the bus reaches. */
    onEnd: (handler: (tokenHash: string) => void) => bus.subscribe(TOPIC, handler),

    /** Ends all other sessions of a developer. Call the returned function after the transaction. */
    async endOthers(transaction: Transaction, developerId: string, token: string | undefined) {
      const ended = await store.in(transaction).endSessions(developerId, token ? sha256(token) : '')
      return () => forget(ended)
    },
  }
}
