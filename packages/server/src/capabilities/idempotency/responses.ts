import { LIMITS } from '@svc/contract/common/limits'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, MINUTE_MS, timestamp } from '../../platform/clock.ts'
import type { Vault } from '../../platform/security/vault.ts'
import type { ResponseStore } from './store.ts'

export type IdempotentResponses = ReturnType<typeof createIdempotentResponses>

type Request = { scope: string; key: string; requestHash: string }
type BeginResult = { kind: 'new' } | { kind: 'answered'; status: number; body: unknown }

const RETENTION_MS = LIMITS.idempotencyResponseTtlMs
/** A node that dies during a request blocks its keys at most for this time; every request takes much less. */
const LEASE_MS = MINUTE_MS
const ATTEMPTS_MAX = 5

/**
 * The first request with an Idempotency-Key runs, every later one gets its response. Responses are stored encrypted, because they
 * may contain a key that is shown only once.
 */
export function createIdempotentResponses(store: ResponseStore, vault: Vault, clock: Clock) {
  /**
   * The requests that this node runs, with their leases. A request whose lease has expired can no longer change the stored
   * response.
   */
  const leases = new Map<string, string>()

  async function tryClaim({ scope, key, requestHash }: Request): Promise<boolean> {
    const id = recordId(scope, key)
    const lease = timestamp(clock, LEASE_MS)
    if (leases.has(id)) return false
    if (!(await store.claim({ scope, key, requestHash, expiresAt: lease, now: timestamp(clock) })))
      return false
    leases.set(id, lease)
    return true
  }

  function giveUpLease(scope: string, key: string): string | undefined {
    const id = recordId(scope, key)
    const lease = leases.get(id)
    leases.delete(id)
    return lease
  }

  async function abandon(scope: string, key: string): Promise<void> {
    const lease = giveUpLease(scope, key)
    if (lease !== undefined) await store.remove({ scope, key, lease })
  }

  return {
    /** A caller that gets `new` must call `finish` or `abandon`. */
    async begin(request: Request): Promise<BeginResult> {
      for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
        if (await tryClaim(request)) return { kind: 'new' }

        const found = await store.find(request)
        // The key was released between the two statements: try again.
        if (!found) continue
        if (found.requestHash !== request.requestHash) throw new ApiError('idempotency_key_reused')
        if (found.status === null || found.answer === null) throw new ApiError('idempotency_key_in_use')

        const body: unknown = JSON.parse(vault.open(recordId(request.scope, request.key), found.answer))
        return { kind: 'answered', status: found.status, body }
      }
      throw new ApiError('idempotency_key_in_use')
    },

    /** Stores a response that a retry would only repeat. If a retry may succeed, it releases the key instead. */
    async finish(scope: string, key: string, status: number, body: unknown): Promise<void> {
      if (!isDefinite(status)) return abandon(scope, key)
      const lease = giveUpLease(scope, key)
      if (lease === undefined) return

      const answer = vault.seal(recordId(scope, key), JSON.stringify(body))
      await store.finish({ scope, key, lease, status, answer, expiresAt: timestamp(clock, RETENTION_MS) })
    },

    abandon,

    purgeExpired: (stopping?: AbortSignal): Promise<number> =>
      store.removeExpired(timestamp(clock), stopping),
  }
}

const isDefinite = (status: number) => status < 500 && status !== 408 && status !== 429

/** As JSON, so that different pairs of scope and key never give the same text. */
const recordId = (scope: string, key: string) => `idempotency:${JSON.stringify([scope, key])}`
