import { setTimeout as pause } from 'node:timers/promises'

import { FEATURES } from '@svc/contract/features'
import { confirmNews } from '@svc/contract/news'
import { openApi } from '@svc/contract/openapi'
import * as platformContract from '@svc/contract/platform'
import { startPlayerSignIn } from '@svc/contract/player-sign-in'
import { verifyPlayerEmail } from '@svc/contract/players'
import type { FastifyBaseLogger } from 'fastify'

import { auditRoutes, createAudit, createAuditStore } from './capabilities/audit/index.ts'
import {
  configRoutes,
  createConfig,
  createConfigCache,
  createConfigStore,
  createDefinitions,
} from './capabilities/config/index.ts'
import {
  createAccounts,
  createAccountStore,
  createDeveloperSessions,
  createSignIn,
  createSignInStore,
  developerPages,
  developersRoutes,
  signInRoutes,
} from './capabilities/developers/index.ts'
import { createAnswers, createAnswerStore } from './capabilities/idempotency/index.ts'
import { createOutbox, createOutboxStore, mailRoutes } from './capabilities/mail/index.ts'
import {
  createAges,
  createAgeStore,
  createAppeals,
  createBans,
  createModerationStore,
  createPersonalData as createModerationData,
  moderationRoutes,
} from './capabilities/moderation/index.ts'
import {
  createAddresses,
  createNewsStore,
  createOptIn,
  createSender,
  newsPages,
  newsRoutes,
} from './capabilities/news/index.ts'
import {
  callbackPages,
  createCredentials,
  createCredentialStore,
  createExchange,
  createNative,
  createOffer,
  createPlayerSignInStore,
  createSignIn as createPlayerSignIn,
  createTestProvider,
  credentialsRoutes,
  playerSignInRoutes,
  testProviderPages,
} from './capabilities/oauth/index.ts'
import {
  createAccounts as createPlayerAccounts,
  createActivity,
  createActivityStore,
  createDeletions,
  createDeletionStore,
  createEmailAccounts,
  createEmailLinks,
  createEmailStore,
  createIdentities,
  createOwnData,
  createOwnDataStore,
  createPersonalData,
  createPlayerStore,
  createSearch,
  createSearchStore,
  emailPages,
  emailRoutes,
  identityRoutes,
  FOREVER,
  type PersonalData,
  personalDataRoutes,
  playersRoutes,
  searchRoutes,
} from './capabilities/players/index.ts'
import {
  createKeys,
  createOverview,
  createProjects,
  createProjectStore,
  projectsRoutes,
} from './capabilities/projects/index.ts'
import { createSaves, createSaveStore, savesRoutes } from './capabilities/saves/index.ts'
import { createSecrets, createSecretStore } from './capabilities/secrets/index.ts'
import {
  createAccessTokens,
  createPersonalData as createSessionData,
  createRefreshChains,
  createRefreshTokens,
  createSessionStore,
  createSigningKeys,
  createTokenCheck,
  createTransferCodes,
  sessionsRoutes,
} from './capabilities/sessions/index.ts'
import {
  createDeliveries,
  createDeliveryStore,
  createSignals,
  createSignalStore,
  createStats,
  createStatsPersonalData,
  createStatStore,
  createVerificationWebhook,
  statsRoutes,
} from './capabilities/stats/index.ts'
import { docsPage } from './edge/http/docs-page/index.ts'
import { drainable } from './edge/http/drain.ts'
import { createGate } from './edge/http/gate.ts'
import { keyInLink } from './edge/http/key-in-link.ts'
import { createMetrics } from './edge/http/metrics.ts'
import { operationsRoutes } from './edge/http/operations.ts'
import { hostedOrigin } from './edge/http/origins.ts'
import { formsOn, pagesOn } from './edge/http/pages.ts'
import { createRateLimits } from './edge/http/rate-limits.ts'
import { routesOn } from './edge/http/routes.ts'
import { createHttpServer } from './edge/http/server.ts'
import { testClockRoutes } from './edge/http/test-clock.ts'
import type { Blobs } from './engines/blobs/blobs.ts'
import type { Bus } from './engines/bus/bus.ts'
import type { Counters } from './engines/counters/counters.ts'
import type { Database, Transaction } from './engines/database/database.ts'
import type { IdentityProviders, SignInProviders } from './engines/identity/providers.ts'
import type { Transport } from './engines/mail/mail.ts'
import { ApiError } from './platform/api-error.ts'
import { createBackground } from './platform/background.ts'
import { type Clock, HOUR_MS, MINUTE_MS, type MovableClock, SECOND_MS } from './platform/clock.ts'
import type { Environment } from './platform/environment.ts'
import { createFailedAttempts } from './platform/failed-attempts.ts'
import { lazy } from './platform/lazy.ts'
import { createOutbound, isThisMachine } from './platform/outbound.ts'
import type { Passwords } from './platform/passwords.ts'
import { createIds, createRequestIds, type Random } from './platform/random.ts'
import { isRedirectAllowed } from './platform/redirect-rules.ts'
import type { Vault } from './platform/vault.ts'
import type { Settings } from './settings.ts'

export type Engines = {
  db: Database
  purgeEnvironment(environmentId: string): Promise<number>
  bus: Bus
  counters: Counters
  blobs: Blobs
  mail: Transport
  identityProviders: IdentityProviders
  signInProviders: SignInProviders
  clock: Clock | MovableClock
  random: Random
  vault: Vault
  passwords: Passwords
  log: FastifyBaseLogger
}

export type App = Awaited<ReturnType<typeof buildApp>>

export const VERSION = '0.1.0'

/** RELIABILITY 1.1: with 25 ms no simultaneous use was misread as theft; twice that. */
const REFRESH_HOLD_MS = 50

/** The only file that knows every capability: read it to see who needs whom. */
export async function buildApp(settings: Settings, engines: Engines) {
  const { db, bus, counters, blobs, clock, random, vault, passwords, log } = engines
  const { baseUrl, appsDomain, brand } = settings
  const ids = createIds(clock, random)
  const unavailable = new Set(settings.unavailableFeatures)
  const background = createBackground((error) => log.error({ err: error }, 'background work failed'))
  const failuresMax =
    settings.rateLimits === 'off' ? Number.POSITIVE_INFINITY : settings.rateLimits.signInFailuresMax
  const failedAttempts = createFailedAttempts(counters, failuresMax)

  const secrets = createSecrets(createSecretStore(db), vault, clock)
  await secrets.verifyKey()
  const audit = createAudit(createAuditStore(db), clock, ids)
  const answers = createAnswers(createAnswerStore(db), vault, clock)

  const configStore = createConfigStore(db)
  const config = createConfig(configStore, { clock, audit, bus, unavailable })
  const currentConfig = createConfigCache(configStore, { bus, unavailable })

  /** For every one-time code and token that travels in an address of a player's app. */
  const mayRedirect = async (environment: Environment, url: string) =>
    isRedirectAllowed(url, {
      redirectUrls: (await currentConfig.current(environment.id)).config.auth.redirectUrls,
      environment,
      hostedOrigin: hostedOrigin(environment, { baseUrl, appsDomain }),
    })

  const credentials = createCredentials(createCredentialStore(db), {
    clock,
    baseUrl,
    sharedXApp: settings.sharedXApp !== undefined,
    secrets,
    audit,
  })

  const projectStore = createProjectStore(db)
  const keys = createKeys(projectStore, { clock, random, ids, audit, forgetting: bus, counters })
  const projects = createProjects(projectStore, {
    keys,
    clock,
    random,
    ids,
    audit,
    brand,
    background,
    purgeEnvironment: engines.purgeEnvironment,
    async removeEnvironment(transaction, environmentId) {
      await config.removeEnvironment(transaction, environmentId)
      await credentials.removeEnvironment(transaction, environmentId)
      await playerSignIn.removeEnvironment(transaction, environmentId)
      await news.removeEnvironment(transaction, environmentId)
    },
  })
  const overview = createOverview(keys, {
    configVersion: async (environmentId) => (await currentConfig.current(environmentId)).version,
    players: (environmentId) => search.counts(environmentId),
    dailyActives: (environmentId, days) => activity.daily(environmentId, days),
  })

  const accountStore = createAccountStore(db)
  const outbox = createOutbox({
    store: createOutboxStore(db),
    transport: engines.mail,
    clock,
    ids,
    report: (problem) => log.warn(problem, 'mail not delivered'),
    ownerEmail: async (projectId) =>
      (await accountStore.find((await projects.ownerOf(projectId)) ?? ''))?.email,
  })
  const sessions = createDeveloperSessions(accountStore, clock, random, bus)
  const accounts = createAccounts(accountStore, {
    sessions,
    clock,
    random,
    ids,
    passwords,
    failedAttempts,
    counters,
    background,
    baseUrl,
    sendMail: outbox.send,
  })
  const signIn = createSignIn(createSignInStore(db), {
    accounts,
    sessions,
    endSession: sessions.endByHash,
    providers: engines.signInProviders,
    baseUrl,
    clock,
    random,
    reportFailure: (failure) => log.warn(failure, 'external sign-in failed'),
  })

  const sessionStore = createSessionStore(db)
  const signingKeys = createSigningKeys(sessionStore, secrets, clock, random)
  const accessTokens = createAccessTokens(signingKeys, clock, baseUrl)
  const playerStore = createPlayerStore(db)
  const activity = createActivity(createActivityStore(db), clock)
  const refreshKey = await secrets.obtain('sessions:refresh', () => random.bytes(32).toString('base64'))
  const chains = createRefreshChains(sessionStore, {
    tokens: createRefreshTokens(Buffer.from(refreshKey, 'base64')),
    accessTokens,
    clock,
    ids,
    graceSeconds: settings.refreshGraceSeconds,
    hold: () => pause(REFRESH_HOLD_MS),
    playerView: (environmentId, playerId) => players.view(environmentId, playerId),
    noteActivity: activity.note,
    // Filled by realtime.
    disconnect: async () => {},
  })
  const players = createPlayerAccounts(playerStore, {
    clock,
    random,
    ids,
    sessions: chains,
    banDetails: (environmentId, playerId) => bans.detailsOf(environmentId, playerId),
  })
  const emailStore = createEmailStore(db)
  const emails = createEmailAccounts(emailStore, {
    players: playerStore,
    accounts: players,
    links: createEmailLinks(emailStore, {
      clock,
      random,
      isRedirectAllowed: mayRedirect,
      appName: async ({ id, slug }) => (await projects.app(id))?.name ?? slug,
      // On the app's own domain once the service hosts apps.
      pageUrl: ({ id }, kind) => `${baseUrl}/.auth/${kind}?env=${id}`,
      sendMail: outbox.send,
    }),
    sessions: chains,
    passwords,
    clock,
    counters,
    failedAttempts,
    background,
    requestNews: (transaction, wish) => news.requestNews(transaction, wish),
  })
  const transfers = createTransferCodes(sessionStore, {
    clock,
    random,
    isLive: chains.isLive,
    signIn: players.signIn,
  })
  const saves = createSaves(createSaveStore(db), {
    clock,
    limits: settings.saves,
    standing: (transaction, environmentId, playerId) =>
      playerStore.in(transaction).standing(environmentId, playerId),
  })
  const statStores = {
    stats: createStatStore(db),
    signals: createSignalStore(db),
    deliveries: createDeliveryStore(db),
  }
  const signals = createSignals(statStores.signals, { clock, ids })
  const deliveries = createDeliveries(statStores.deliveries, background)
  const webhook = createVerificationWebhook({
    clock,
    random,
    ids,
    secrets,
    outbound: createOutbound(),
    deliveries,
    config: currentConfig,
    isLocal: isThisMachine(new URL(baseUrl)),
  })
  const stats = createStats(statStores.stats, {
    clock,
    counters,
    config: currentConfig,
    webhook,
    signals,
    requireMayWrite: players.requireMayWrite,
  })
  const statsData = createStatsPersonalData(statStores, signals)
  const tokenCheck = createTokenCheck(accessTokens, { find: players.find })

  const moderationStore = createModerationStore(db)
  const ofModeration = {
    clock,
    ids,
    audit,
    playerExists: async (transaction: Transaction, environmentId: string, playerId: string) =>
      (await playerStore.in(transaction).standing(environmentId, playerId)) !== undefined,
    // Filled by realtime.
    disconnect: async () => {},
  }
  const bans = createBans(moderationStore, {
    ...ofModeration,
    setBan: (transaction, environmentId, playerId, ban) =>
      playerStore.in(transaction).setBannedUntil(environmentId, playerId, ban && (ban.expiresAt ?? FOREVER)),
    revokeSessions: (transaction, environmentId, playerId, sanctionId) =>
      chains.revokeAll(transaction, environmentId, playerId, { reason: 'ban', sanctionId }),
  })
  const appeals = createAppeals(moderationStore, {
    ...ofModeration,
    bans,
    identify: chains.identifyForAppeal,
    findPlayer: players.find,
  })
  const ageStore = createAgeStore(db)
  const ages = createAges(ageStore, {
    ...ofModeration,
    audienceOf: async (environmentId) => (await currentConfig.current(environmentId)).config.audience,
  })

  const identities = createIdentities(playerStore, {
    clock,
    accounts: players,
    sessions: chains,
    async forgetEmail(transaction, environmentId, playerId, email) {
      await news.removeOf(transaction, environmentId, playerId)
      await outbox.removeTo(transaction, environmentId, email)
    },
  })
  const testProvider = createTestProvider({ clock, baseUrl, credentials, secrets })
  const offer = createOffer({
    credentials,
    config: currentConfig,
    engines: engines.identityProviders,
    testProvider: engines.identityProviders.inProcess(testProvider.server),
    sharedXApp: settings.sharedXApp,
    xSignInCharged: settings.xSignInCharged,
    // Filled by money.
    sharedAppOverdue: async () => false,
  })
  const playerSignInStore = createPlayerSignInStore(db)
  const reportFailure = (failure: object) => log.warn(failure, 'external sign-in of a player failed')
  const playerSignIn = createPlayerSignIn(playerSignInStore, {
    offer,
    players: identities,
    isRedirectAllowed: mayRedirect,
    findEnvironment: async (environmentId) => (await projects.app(environmentId))?.environment,
    baseUrl,
    clock,
    random,
    reportFailure,
  })
  const exchange = createExchange(playerSignInStore, {
    clock,
    players: identities,
    async endSession(environmentId, playerId, id) {
      await chains.revokeOne(environmentId, id, 'reuse')
      await chains.disconnect(environmentId, playerId, { id })
    },
  })
  const native = createNative(playerSignInStore, { offer, players: identities, reportFailure })

  const newsKey = await secrets.obtain('news:addresses', () => random.bytes(32).toString('base64'))
  const ofNews = {
    clock,
    random,
    baseUrl,
    service: brand,
    addresses: createAddresses(Buffer.from(newsKey, 'base64')),
  }
  const newsStore = createNewsStore(db)
  const news = createOptIn(newsStore, {
    ...ofNews,
    isOffered: async (environmentId) => (await currentConfig.current(environmentId)).config.svcNews.optIn,
    bandOf: ages.bandOf,
    mails: outbox,
  })
  const newsSender = createSender(newsStore, {
    ...ofNews,
    mayGetNews: news.mayGetNews,
    sendMail: outbox.send,
  })

  /** Whatever stores something about a player is in this list; a test fails on a table that is not. */
  const aboutPlayers: PersonalData[] = [
    createOwnData(playerStore, createOwnDataStore(db), { mails: outbox }),
    createSessionData(sessionStore),
    createModerationData(moderationStore, ageStore, clock),
    playerSignIn,
    news,
    saves,
    statsData,
  ]
  const deletions = createDeletions(createDeletionStore(db), { clock, bus })
  const personalData = createPersonalData(playerStore, {
    parts: aboutPlayers,
    clock,
    accounts: players,
    deletions,
    passwords,
    failedAttempts,
    sessions: chains,
    audit,
    disconnect: chains.disconnect,
  })
  const search = createSearch(createSearchStore(db), {
    players: playerStore,
    isBanned: players.isBanned,
    clock,
    ageOf: (environmentId, id) => ages.profile({ environmentId, id, sessionId: '' }),
    sanctionsOf: async (environmentId, id) =>
      (await appeals.sanctionsOf({ environmentId, id, sessionId: '' })).sanctions,
    signalsOf: signals.of,
    savesOf: async (environmentId, id) => (await saves.list({ environmentId, id, sessionId: '' })).saves,
    statsOf: async (environmentId, id) => (await stats.read({ environmentId, id, sessionId: '' })).stats,
  })

  const http = createHttpServer({
    log,
    trustedProxies: settings.trustedProxies,
    requestIds: createRequestIds(random),
  })
  const metrics = createMetrics(http)
  const admit = createRateLimits(counters, settings.rateLimits)
  const gate = createGate({
    doors: {
      findKey: keys.find,
      async verifyPlayer(environment, token) {
        const { sub, sid } = await accessTokens.verify(environment.id, token)
        if (deletions.has(environment.id, sub)) throw new ApiError('invalid_token')
        return { id: sub, environmentId: environment.id, sessionId: sid }
      },
      findDeveloper: sessions.find,
      findProject: projects.find,
      findEnvironment: projects.environment,
    },
    config: currentConfig,
    unavailableFeatures: unavailable,
    addresses: { baseUrl, appsDomain },
    admit,
    warnOfSecretKeyInBrowser: keys.warnOfUseInBrowser,
    requireMayWrite: players.requireMayWrite,
  })
  const route = routesOn(http, gate, answers)
  const page = pagesOn(http)
  const form = formsOn(http)
  const drain = drainable(http)
  let stopping = false

  developersRoutes(route, accounts, sessions)
  signInRoutes(route, page, signIn)
  developerPages(page)
  projectsRoutes(route, projects, keys, overview)
  configRoutes(route, config, createDefinitions(currentConfig))
  playersRoutes(route, players)
  emailRoutes(route, emails)
  emailPages(page, form, {
    emails,
    app: projects.app,
    isOffered: async ({ id }) => (await currentConfig.current(id)).config.features.emailLogin,
    admit: async (address) => admit?.(verifyPlayerEmail, {}, address),
  })
  sessionsRoutes(route, page, { chains, transfers, tokenCheck, signingKeys })
  savesRoutes(route, saves)
  statsRoutes(route, { stats, webhook, deliveries })
  credentialsRoutes(route, credentials)
  playerSignInRoutes(route, page, keyInLink({ findKey: keys.find }, admit, startPlayerSignIn), {
    signIn: playerSignIn,
    exchange,
    native,
  })
  callbackPages(page, form, playerSignIn)
  testProviderPages(page, form, testProvider)
  identityRoutes(route, identities)
  moderationRoutes(route, { bans, appeals, ages })
  personalDataRoutes(route, personalData)
  searchRoutes(route, search)
  newsRoutes(route, news)
  newsPages(page, form, { news, service: brand, admit: async (address) => admit?.(confirmNews, {}, address) })
  auditRoutes(route, audit)
  mailRoutes(route, outbox)
  operationsRoutes(route, page, {
    checks: { database: db.ping, bus: bus.ping, counters: counters.ping, blobs: blobs.ping },
    isStopping: () => stopping,
    metrics,
    metricsToken: settings.metricsToken ?? null,
  })
  const docs = lazy(() => docsPage({ baseUrl, version: VERSION }))
  const openapi = lazy(() => JSON.stringify(openApi({ baseUrl, version: VERSION })))
  page('/docs', async () => docs())
  page('/openapi.json', async () => ({ type: 'application/json; charset=utf-8', body: openapi() }))
  route(platformContract.readPlatformInfo, async () => ({
    oauthProviders: signIn.providers,
    version: VERSION,
    hostingDomain: appsDomain,
    features: Object.fromEntries(
      Object.keys(FEATURES).map((name) => [name, !unavailable.has(name as never)]),
    ),
  }))
  if (settings.testClock && 'advance' in clock) testClockRoutes(route, clock)

  const everySecond = () => deletions.reread()
  const everyMinute = async () => {
    await keys.noteUse()
    await activity.write()
    await personalData.tidy()
  }
  const everyHour = async () => {
    await accounts.tidy()
    await playerSignIn.tidy()
    await answers.tidy()
    await projects.purgeDeleted()
    await chains.tidy()
    await emails.tidy()
    await activity.tidy()
    await newsSender.tidy()
  }
  const timers = [
    { work: everySecond, everyMs: SECOND_MS },
    { work: everyMinute, everyMs: MINUTE_MS },
    { work: everyHour, everyMs: HOUR_MS },
  ]
  const running: NodeJS.Timeout[] = []

  return {
    http,
    audit,
    secrets,
    background,
    newsSender,
    everySecond,
    signals,
    statsData,
    everyMinute,

    async start() {
      await deletions.reread()
      outbox.start()
      for (const { work, everyMs } of timers) running.push(setInterval(() => background.run(work), everyMs))
      await http.ready()
    },

    /** Answers what has come, tells connections to go, then lets go of everything. */
    async stop() {
      stopping = true
      running.forEach((timer) => clearInterval(timer))
      await drain()
      await outbox.stop()
      await background.settled()
      await everyMinute()
    },
  }
}
