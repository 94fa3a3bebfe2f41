import { LIMITS } from '@svc/contract/limits'

import type { Messages } from '../../platform/bus.ts'
import { createCache } from '../../platform/cache.ts'
import { type Clock, DAY_MS, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Developer } from '../../platform/environment.ts'
import { type Random, randomToken } from '../../platform/random.ts'
import type { AccountStore, Transaction } from './store.ts'

export type DeveloperSessions = ReturnType<typeof createDeveloperSessions>

const LIFETIME_MS = LIMITS.developerSessionTtlMs
const EXPIRES_IN_SECONDS = LIFETIME_MS / 1_000
const TOPIC = 'developer-sessions'

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
      // At most one write a day, not one a request.
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

    /** Whether nothing has ended it since, seen from within a transaction that holds its account. */
    async isLive(transaction: Transaction, token: string): Promise<boolean> {
      const session = await store.in(transaction).findSession(sha256(token))
      return session !== undefined && session.expiresAt > timestamp(clock)
    },

    async end(token: string): Promise<object> {
      await endByHash(sha256(token))
      return {}
    },

    endByHash,

    /** Ends every session of a developer but this one; call the answer when the transaction has ended. */
    async endOthers(transaction: Transaction, developerId: string, token: string | undefined) {
      const ended = await store.in(transaction).endSessions(developerId, token ? sha256(token) : '')
      return () => forget(ended)
    },
  }
}
