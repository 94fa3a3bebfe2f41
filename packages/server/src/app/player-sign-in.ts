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
import { hourlyRemoval } from '../platform/jobs/jobs.ts'
import type { Developers } from './developers.ts'
import type { Foundation, Mounts } from './foundation.ts'
import type { GameData } from './game-data.ts'
import type { Money } from './money.ts'
import type { News } from './news.ts'
import type { Players } from './players.ts'

type PlayerSignInDeps = Pick<Developers, 'projects' | 'keys'> &
  Pick<Players, 'players' | 'chains'> & {
    news: Pick<News, 'optIn'>
    gameData: Pick<GameData, 'hasAny'>
    money: Pick<Money, 'isOverdue' | 'noteUsage'>
  }

export type PlayerSignIn = ReturnType<typeof buildPlayerSignIn>

/** Sign-in of players with Google, Apple, Discord and other providers. */
export function buildPlayerSignIn(foundation: Foundation, deps: PlayerSignInDeps) {
  const { tools, db, clock, random, secrets, currentConfig, identityProviders, log } = foundation
  const { projects, keys, players, chains } = deps
  const { baseUrl, sharedXApp, xSignInCharged } = foundation.settings
  const reportFailure = (failure: object) => log.warn(failure, 'external sign-in of a player failed')

  const credentials = createCredentials(createCredentialStore(db), {
    ...tools,
    sharedXApp: sharedXApp !== undefined,
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
    sharedAppOverdue: deps.money.isOverdue,
    noteSharedSignIn: (environmentId) => deps.money.noteUsage(environmentId, 'xSignIns', 1),
  })

  const identities = createIdentities(createPlayerStore(db), {
    clock,
    accounts: players,
    sessions: chains,
    hasProgress: deps.gameData.hasAny,
    async deleteEmailData(transaction, environmentId, playerId, email) {
      await deps.news.optIn.removeForPlayer(transaction, environmentId, playerId)
      await foundation.outbox.removeTo(transaction, environmentId, email)
    },
  })
  const store = createPlayerSignInStore(db)
  const signIn = createSignIn(store, {
    ...tools,
    offer,
    players: identities,
    isRedirectAllowed: foundation.mayRedirect,
    findEnvironment: projects.findEnvironment,
    reportFailure,
  })
  const exchange = createExchange(store, {
    ...tools,
    players: identities,
    async endSession(environmentId, playerId, id) {
      await chains.revokeOne(environmentId, playerId, id, 'reuse')
      await chains.disconnect(environmentId, playerId, { id })
    },
  })
  foundation.events.on('environment.removing', credentials.removeEnvironment)
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

    jobs: [hourlyRemoval('oauth.purge', signIn.purgeExpired)],
  }
}
