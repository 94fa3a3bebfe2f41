import { ApiError } from '../../platform/api-error.ts'
import type { Environment } from '../../platform/environment.ts'
import type { Player, PlayerKey } from '../../platform/player.ts'
import type { FailedAttempts } from '../../platform/security/failed-attempts.ts'
import type { KnownAddresses } from '../../platform/security/known-addresses.ts'
import type { Passwords } from '../../platform/security/passwords.ts'
import { type Accounts, identitiesOf } from './accounts.ts'
import type { PlayerSessions } from './ports.ts'
import type { PlayerRow, PlayerStore, Transaction } from './store.ts'

type AccountOwnerDeps = {
  isBanned: Accounts['isBanned']
  passwords: Pick<Passwords, 'verify'>
  failedAttempts: FailedAttempts
  knownAddresses: Pick<KnownAddresses<PlayerKey, Transaction>, 'isKnown'>
  sessions: Pick<PlayerSessions, 'requireOwn' | 'isLive'>
}

/** Proof that a request comes from the owner of an account: its password or a refresh token. A guest has only the session. */
export function createAccountOwner(store: PlayerStore, deps: AccountOwnerDeps) {
  const { isBanned, passwords, failedAttempts, knownAddresses, sessions } = deps

  async function requirePassword(environment: Environment, row: PlayerRow, password: string, from: string) {
    const owner = { environmentId: environment.id, playerId: row.id }
    // The same key as for log-in, so that failures here and there are counted together.
    const attempt = {
      account: `player:${environment.id}:${row.email ?? row.id}`,
      from,
      isKnown: () => knownAddresses.isKnown(owner, from),
    }
    if (environment.name === 'production') await failedAttempts.begin(attempt)
    if (await passwords.verify(password, row.passwordHash)) return failedAttempts.succeeded(attempt)
    await failedAttempts.failed(attempt)
    throw new ApiError('invalid_credentials')
  }

  return {
    /**
     * Checks the proof, and returns a second check for the transaction of the change: a password reset, a sign-out or a link that
     * was committed in between makes it fail.
     */
    async verify(
      environment: Environment,
      { id }: Player,
      { password, refreshToken }: { password?: string; refreshToken?: string },
      from: string,
    ) {
      const environmentId = environment.id
      const checked = await store.find(environmentId, id)
      if (!checked) throw new ApiError('invalid_token')
      if (password !== undefined) await requirePassword(environment, checked, password, from)
      const sessionId =
        refreshToken === undefined ? undefined : await sessions.requireOwn(environmentId, id, refreshToken)
      const isProven = password !== undefined || sessionId !== undefined

      return async (transaction: Transaction): Promise<'banned' | 'verified'> => {
        const players = store.in(transaction)
        const row = await players.find(environmentId, id)
        if (!row) throw new ApiError('invalid_token')
        if (isBanned(row)) return 'banned'
        if (row.passwordHash !== checked.passwordHash) throw new ApiError('invalid_credentials')
        if (sessionId !== undefined && !(await sessions.isLive(transaction, environmentId, sessionId)))
          throw new ApiError('invalid_refresh_token')
        const isGuest = identitiesOf(row, await players.identities(environmentId, id)).length === 0
        if (!isProven && !isGuest) throw new ApiError('invalid_credentials', acceptedFor(row))
        return 'verified'
      }
    },
  }
}

/** The proofs that this account accepts, for a request without one. */
const acceptedFor = ({ passwordHash }: PlayerRow) => ({
  accepted: passwordHash === null ? ['refreshToken'] : ['password', 'refreshToken'],
})
