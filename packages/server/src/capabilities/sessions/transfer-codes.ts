import { LIMITS } from '@svc/contract/common/limits'
import type { SessionView } from '@svc/contract/players'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Player } from '../../platform/player.ts'
import type { Random } from '../../platform/random.ts'
import type { SessionStore, Transaction } from './store.ts'

type TransferDeps = {
  clock: Clock
  random: Random
  isLive(transaction: Transaction, environmentId: string, sessionId: string): Promise<boolean>
  /** Throws the ban for a banned player, and `invalid_code` if this session has ended. */
  signIn(environmentId: string, playerId: string, from: { sessionId: string }): Promise<SessionView>
}

export type TransferCodes = ReturnType<typeof createTransferCodes>

const LIFETIME_SECONDS = LIMITS.transferCodeTtlMs / 1_000
const CODE_BYTES = 16

/**
 * Codes to continue as the same player in another browser: one per player, valid for ten minutes and one use (TRF-01 … TRF-03). A
 * code becomes invalid when the session that created it ends: a signed-out client must not regain access with a code.
 */
export const createTransferCodes = (
  store: SessionStore,
  { clock, random, isLive, signIn }: TransferDeps,
) => ({
  async create({ environmentId, id: playerId, sessionId }: Player) {
    const code = random.bytes(CODE_BYTES).toString('base64url')
    const expiresAt = timestamp(clock, LIFETIME_SECONDS * 1_000)
    await store.changePlayer(environmentId, playerId, async (transaction) => {
      // An access token is valid for minutes after its session has ended; it must not create a new session.
      if (!(await isLive(transaction, environmentId, sessionId))) throw new ApiError('invalid_token')
      await store
        .in(transaction)
        .writeTransferCode({ environmentId, playerId, codeHash: sha256(code), expiresAt, sessionId })
    })
    return { code, expiresIn: LIFETIME_SECONDS }
  },

  async redeem({ id: environmentId }: Environment, { code }: { code: string }): Promise<SessionView> {
    const taken = await store.takeTransferCode(environmentId, sha256(code))
    if (!taken || taken.expiresAt <= timestamp(clock)) throw new ApiError('invalid_code')
    return signIn(environmentId, taken.playerId, { sessionId: taken.sessionId })
  },
})
