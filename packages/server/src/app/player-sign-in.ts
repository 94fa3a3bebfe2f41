import { startPlayerSignIn } from '@svc/contract/player-sign-in'

import {
  callbackPages,
  createCredentials,
  createCredentialStore,
  createExchange,
  createNative,
  createProviderResolver,
  createProviderTest,
  createPlayerSignInStore,
  createSignIn,
  createTestProvider,
  credentialsRoutes,
  playerSignInRoutes,
  testProviderPages,
} from '../capabilities/oauth/index.ts'
import { createIdentities, createPlayerStore, identityRoutes } from '../capabilities/players/index.ts'
import { findKeyInQuery } from '../edge/http/callers/key-in-query.ts'
import type { Transaction } from '../engines/database/database.ts'
import type { Environment } from '../platform/environment.ts'
import { hourly } from '../platform/jobs/jobs.ts'
import type { Developers } from './developers.ts'
import type { Foundation, Mounts } from './foundation.ts'
import type { Money } from './money.ts'
import type { Players } from './players.ts'

export type PlayerSignInDeps = Pick<Developers, 'projects' | 'keys'> &
  Pick<Players, 'players' | 'chains'> & {
    deleteEmailData: Parameters<typeof createIdentities>[1]['deleteEmailData']
    hasProgress: Parameters<typeof createIdentities>[1]['hasProgress']
    /** Whether the owner of the environment owes money. */
    isOverdue(environment: Environment): Promise<boolean>
    noteUsage: Money['noteUsage']
  }

export type PlayerSignIn = ReturnType<typeof buildPlayerSignIn>

/** Sign-in of players with Google, Apple, Discord and other providers. */
export function buildPlayerSignIn(foundation: Foundation, deps: PlayerSignInDeps) {
  const { db, clock, random, audit, secrets, currentConfig, identityProviders, log } = foundation
  const { projects, keys, players, chains } = deps
  const { baseUrl, sharedXApp, xSignInCharged } = foundation.settings
  const reportFailure = (failure: object) => log.warn(failure, 'external sign-in of a player failed')

  const credentials = createCredentials(createCredentialStore(db), {
    clock,
    baseUrl,
    sharedXApp: sharedXApp !== undefined,
    secrets,
    audit,
  })
  const testProvider = createTestProvider({ clock, baseUrl, credentials, secrets })
  const offered = {
    credentials,
    config: currentConfig,
    engines: identityProviders,
    testProvider: identityProviders.inProcess(testProvider.server),
    sharedXApp,
  }
  const offer = createProviderResolver({
    ...offered,
    xSignInCharged,
    sharedAppOverdue: deps.isOverdue,
    noteSharedSignIn: (environmentId) => deps.noteUsage(environmentId, 'xSignIns', 1),
  })

  const identities = createIdentities(createPlayerStore(db), {
    clock,
    accounts: players,
    sessions: chains,
    hasProgress: deps.hasProgress,
    deleteEmailData: deps.deleteEmailData,
  })
  const store = createPlayerSignInStore(db)
  const signIn = createSignIn(store, {
    offer,
    players: identities,
    isRedirectAllowed: foundation.mayRedirect,
    findEnvironment: async (environmentId) => (await projects.app(environmentId))?.environment,
    baseUrl,
    clock,
    random,
    reportFailure,
  })
  const exchange = createExchange(store, {
    clock,
    random,
    players: identities,
    async endSession(environmentId, playerId, id) {
      await chains.revokeOne(environmentId, playerId, id, 'reuse')
      await chains.disconnect(environmentId, playerId, { id })
    },
  })
  const native = createNative(store, { offer, players: identities, reportFailure })

  return {
    signInData: signIn,

    mount({ route, page, form }: Mounts) {
      const admitted = findKeyInQuery({ findKey: keys.find }, foundation.enforceRateLimit, startPlayerSignIn)
      const test = createProviderTest({ ...offered, counters: foundation.counters, random, baseUrl })
      credentialsRoutes(route, credentials, test)
      playerSignInRoutes(route, page, admitted, { signIn, exchange, native })
      callbackPages(page, form, signIn)
      testProviderPages(page, form, testProvider)
      identityRoutes(route, identities)
    },

    jobs: [hourly('oauth.purge', signIn.purgeExpired)],
    async removeEnvironment(transaction: Transaction, environmentId: string) {
      await credentials.removeEnvironment(transaction, environmentId)
      await signIn.removeEnvironment(transaction, environmentId)
    },
  }
}
