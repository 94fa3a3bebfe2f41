import type { BrowserCode } from '@svc/contract/developers/browser-codes'
import type { DeveloperSession } from '@svc/contract/developers/developers'

import { ApiError } from '../../platform/api-error.ts'
import { type Clock, MINUTE_MS, timestamp } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Developer } from '../../platform/environment.ts'
import { type Random, randomToken } from '../../platform/random.ts'
import type { KnownAddresses } from '../../platform/security/known-addresses.ts'
import { view } from './accounts.ts'
import type { DeveloperSessions } from './sessions.ts'
import type { AccountStore, Transaction } from './store.ts'

type BrowserCodeDeps = {
  sessions: Pick<DeveloperSessions, 'open'>
  knownAddresses: Pick<KnownAddresses<{ developerId: string }, Transaction>, 'note'>
  clock: Clock
  random: Random
}

export type BrowserCodes = ReturnType<typeof createBrowserCodes>

const LIFETIME_MS = MINUTE_MS

/** `svc dashboard` opens the dashboard signed in. A new password or a deleted account ends an open code (`resetPassword`). */
export function createBrowserCodes(store: AccountStore, deps: BrowserCodeDeps) {
  const { sessions, knownAddresses, clock, random } = deps
  return {
    create: ({ id: developerId, email }: Developer): Promise<BrowserCode> =>
      store.changeAccount(developerId, async (transaction) => {
        const code = randomToken(random)
        const tokens = store.in(transaction)
        await tokens.dropTokens(developerId, 'browser')
        const expiresAt = timestamp(clock, LIFETIME_MS)
        await tokens.insertToken({ tokenHash: sha256(code), developerId, kind: 'browser', email, expiresAt })
        return { code, expiresIn: LIFETIME_MS / 1_000 }
      }),

    async open({ code }: { code: string }, from: string): Promise<DeveloperSession> {
      const tokenHash = sha256(code)
      const { developerId = '' } = (await store.findToken(tokenHash, 'browser')) ?? {}
      const session = await store.changeAccount(developerId, async (transaction) => {
        const accounts = store.in(transaction)
        const taken = await accounts.takeToken(tokenHash, 'browser')
        const account = await accounts.find(developerId)
        if (!account || !taken || taken.expiresAt <= timestamp(clock))
          throw new ApiError('invalid_or_expired_token')
        return { developer: view(account), ...(await sessions.open(transaction, developerId)) }
      })
      await knownAddresses.note({ developerId }, from)
      return session
    },
  }
}
