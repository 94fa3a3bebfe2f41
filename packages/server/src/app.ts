import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { FEATURES, PROVIDERS } from '@svc/contract/features'
import { readHosting } from '@svc/contract/hosting'
import { readLiveView } from '@svc/contract/live-view'
import { confirmNews } from '@svc/contract/news'
import { openApi } from '@svc/contract/openapi'
import * as platformContract from '@svc/contract/platform'
import { startPlayerSignIn } from '@svc/contract/player-sign-in'
import { verifyPlayerEmail } from '@svc/contract/players'
import { CLOSE_CODES, REALTIME_PATH } from '@svc/contract/realtime'
import type { FastifyBaseLogger } from 'fastify'

import { auditRoutes, createAudit, createAuditStore } from './capabilities/audit/index.ts'
import {
  channelsFrames,
  channelsRoutes,
  createChannelData,
  createChannels,
  createChannelStore,
  createServerChannels,
} from './capabilities/channels/index.ts'
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
import {
  createBlobStore,
  createHosting,
  createHostingStore,
  hostingRoutes,
} from './capabilities/hosting/index.ts'
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
  createAppKeys,
  createKeys,
  createOverview,
  createProjects,
  createProjectStore,
  projectsRoutes,
} from './capabilities/projects/index.ts'
import {
  createMatchmaking,
  createModes,
  createPeerToPeer,
  createRooms,
  createRoomViews,
  roomFrames,
  roomRoutes,
} from './capabilities/rooms/index.ts'
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
import { createApps, hostLabels } from './edge/http/apps.ts'
import type { Doors } from './edge/http/callers.ts'
import { docFiles } from './edge/http/doc-files.ts'
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
import { createAuthenticate } from './edge/realtime/auth.ts'
import type { Connection } from './edge/realtime/connection.ts'
import { createConnections } from './edge/realtime/connections.ts'
import { createRealtime } from './edge/realtime/realtime.ts'
import { createTakeOver } from './edge/realtime/take-over.ts'
import type { Blobs } from './engines/blobs/blobs.ts'
import type { Bus } from './engines/bus/bus.ts'
import type { Counters } from './engines/counters/counters.ts'
import type { Database, Transaction } from './engines/database/database.ts'
import type { IdentityProviders, SignInProviders } from './engines/identity/providers.ts'
import type { Transport } from './engines/mail/mail.ts'
import type { Turn } from './engines/turn/turn.ts'
import { createActors } from './platform/actors/actors.ts'
import { ApiError } from './platform/api-error.ts'
import { createBackground } from './platform/background.ts'
import { type Clock, HOUR_MS, MINUTE_MS, type MovableClock, SECOND_MS } from './platform/clock.ts'
import type { Cluster } from './platform/cluster.ts'
import type { Environment } from './platform/environment.ts'
import { createFailedAttempts } from './platform/failed-attempts.ts'
import { lazy } from './platform/lazy.ts'
import { createOutbound, isThisMachine } from './platform/outbound.ts'
import type { Passwords } from './platform/passwords.ts'
import { createIds, createRequestIds, type Random } from './platform/random.ts'
import { isRedirectAllowed } from './platform/redirect-rules.ts'
import { createTimers } from './platform/timers.ts'
import type { Vault } from './platform/vault.ts'
import type { Settings } from './settings.ts'

export type Engines = {
  db: Database
  purgeEnvironment(environmentId: string): Promise<number>
  bus: Bus
  counters: Counters
  cluster: Cluster
  blobs: Blobs
  mail: Transport
  turn: Turn
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

/** What browsers load from `/.svc/sdk.js`. */
const SDK_FOLDER = join(import.meta.dirname, '../../sdk')
const DOCS_FOLDER = join(import.meta.dirname, '../../../docs')

/** The only file that knows every capability: read it to see who needs whom. */
export async function buildApp(settings: Settings, engines: Engines) {
  const { db, bus, counters, cluster, blobs, turn, clock, random, vault, passwords, log } = engines
  const { baseUrl, appsDomain, brand } = settings
  const addresses = { baseUrl, appsDomain }
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
      hostedOrigin: hostedOrigin(environment, addresses),
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
    async purgeEnvironment(environmentId) {
      await engines.purgeEnvironment(environmentId)
      await hosting.sweep()
    },
    async removeEnvironment(transaction, environmentId) {
      await config.removeEnvironment(transaction, environmentId)
      await credentials.removeEnvironment(transaction, environmentId)
      await playerSignIn.removeEnvironment(transaction, environmentId)
      await news.removeEnvironment(transaction, environmentId)
      await hosting.deployments.removeEnvironment(transaction, environmentId)
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
    disconnect: (environmentId, playerId, sessions) =>
      realtime.disconnect({
        environmentId,
        playerId,
        sessions,
        code: CLOSE_CODES.unauthorized,
        reason: 'session_revoked',
      }),
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
      pagesAt: async (environment) =>
        (await hosting.isLive(environment)) ? hostedOrigin(environment, addresses) : baseUrl,
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
    async disconnect(environmentId: string, playerId: string) {
      const sessions = { except: null }
      await realtime.disconnect({
        environmentId,
        playerId,
        sessions,
        code: CLOSE_CODES.forbidden,
        reason: 'player_banned',
      })
      await rooms.expel(environmentId, playerId, 'banned').catch(reportBug)
    },
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

  const channelStore = createChannelStore(db)
  /** Whatever stores something about a player is in this list; a test fails on a table that is not. */
  const aboutPlayers: PersonalData[] = [
    createOwnData(playerStore, createOwnDataStore(db), { mails: outbox }),
    createSessionData(sessionStore),
    createModerationData(moderationStore, ageStore, clock),
    playerSignIn,
    news,
    saves,
    statsData,
    createChannelData(channelStore),
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
    async disconnect(environmentId, playerId, sessions) {
      await chains.disconnect(environmentId, playerId, sessions)
      await rooms.expel(environmentId, playerId, 'left').catch(reportBug)
      await channels.forgetPlayer(environmentId, playerId)
    },
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

  const timers = createTimers(clock)
  const connections = createConnections(cluster.nodeId)
  const reportBug = (error: unknown) => log.error({ err: error }, 'realtime failed')
  const actors = createActors<Connection>({ cluster, connections, timers, report: reportBug })
  const roomModes = createModes(currentConfig)
  const { records } = cluster
  const rooms = createRooms({
    actors,
    records,
    modes: roomModes,
    clock,
    random,
    ids,
    turn,
    report: reportBug,
  })
  const matchmaking = createMatchmaking({ ...rooms, actors, modes: roomModes, clock, report: reportBug })
  const peerToPeer = createPeerToPeer({
    rooms,
    modes: roomModes,
    turn,
    clock,
    isChild: async (environmentId, playerId) =>
      (await ages.bandOf({ id: environmentId }, playerId)) === 'child',
  })
  const roomViews = createRoomViews(actors)
  const requireVoice = async (environmentId: string) => {
    const details = { feature: 'voice', configPath: 'features.voice' }
    if (unavailable.has('voice')) throw new ApiError('feature_unavailable', details)
    const { config: current } = await currentConfig.current(environmentId)
    if (!current.features.voice) throw new ApiError('feature_disabled', details)
  }
  const channels = createChannels(actors, {
    clock,
    random,
    records: channelStore,
    find: channelStore.find,
    requireVoice,
    // Filled by voice.
    isCallLive: () => false,
  })
  const serverChannels = createServerChannels(actors, { counters, requireVoice })
  actors.define(
    {
      kind: 'connections',
      open: () => undefined,
      survey: (_, environmentId) => connections.ofEnvironment(String(environmentId)).length,
    },
    async () => {},
  )
  const countConnections = async (environmentId: string) =>
    ((await actors.survey('connections', environmentId, environmentId)) as number[]).reduce(
      (a, b) => a + b,
      0,
    )

  const admit = createRateLimits(counters, settings.rateLimits)
  const appKeys = createAppKeys(projectStore, { keys, audit, secrets })
  const hosting = createHosting(createHostingStore(db), createBlobStore(db), {
    blobs,
    bus,
    clock,
    random,
    ids,
    audit,
    background,
    report: (failure) => log.warn(failure, 'a hosted file was not compressed'),
    urlOf: (environment) => hostedOrigin(environment, addresses),
    isOn: async (environmentId) => (await currentConfig.current(environmentId)).config.features.hosting,
    findEnvironment: projects.findBySlug,
    findProject: async (slug) => (await projects.findBySlug(slug, 'production'))?.projectId,
    admit: async (environment, address) => admit?.(readHosting, { environment }, address),
    apiUrl: baseUrl,
    realtimeUrl: `${baseUrl.replace(/^http/, 'ws')}${REALTIME_PATH}`,
    keyOf: appKeys.of,
    async offerOf(environmentId) {
      const { features, auth } = (await currentConfig.current(environmentId)).config
      return { features, providers: PROVIDERS.filter((name) => auth.providers[name].enabled) }
    },
    sdkFile: (name) => readFile(join(SDK_FOLDER, name)),
  })
  const http = createHttpServer({
    log,
    trustedProxies: settings.trustedProxies,
    requestIds: createRequestIds(random),
    apps: createApps({
      addresses,
      serve: hosting.serve,
      count: (status, startedAt) => countVisit(status, startedAt),
    }),
  })
  const metrics = createMetrics(http)
  const countVisit = metrics.of('any', 'app')
  const doors: Doors = {
    findKey: keys.find,
    async verifyPlayer(environment, token) {
      const { sub, sid } = await accessTokens.verify(environment.id, token)
      if (deletions.has(environment.id, sub)) throw new ApiError('invalid_token')
      return { id: sub, environmentId: environment.id, sessionId: sid }
    },
    findDeveloper: sessions.find,
    findProject: projects.find,
    findEnvironment: projects.environment,
  }
  const gate = createGate({
    doors,
    config: currentConfig,
    unavailableFeatures: unavailable,
    addresses,
    admit,
    warnOfSecretKeyInBrowser: keys.warnOfUseInBrowser,
    requireMayWrite: players.requireMayWrite,
  })
  const newestConnections = createTakeOver({ records, close: actors.close })
  const realtime = createRealtime({
    server: http.server,
    isAppHost: (host) => hostLabels(addresses)(host) !== undefined,
    connections,
    clock,
    timers,
    bus,
    isLimited: settings.rateLimits !== 'off',
    unavailableFeatures: unavailable,
    readFeatures: async (environmentId) => (await currentConfig.current(environmentId)).config.features,
    authenticate: (requireFeature) =>
      createAuthenticate({
        doors,
        requireFeature,
        requireMayWrite: players.requireMayWrite,
        displayName: async ({ environmentId, id }) =>
          (await playerStore.find(environmentId, id))?.displayName ?? null,
        allowedOrigins: async (environmentId) =>
          (await currentConfig.current(environmentId)).config.web.allowedOrigins,
        addresses,
      }),
    async requireStillAllowed(key, player) {
      if (!(await keys.find(key))) throw new ApiError('invalid_key')
      if (!player) return
      if (deletions.has(player.environmentId, player.id)) throw new ApiError('invalid_token')
      await players.requireMayWrite(player)
      await chains.requireLive(player)
    },
    takeOver: newestConnections.takeOver,
    resumableRoom: rooms.resumable,
    gone(connection) {
      actors.gone(connection)
      const player = connection.identity?.player
      if (player) background.run(() => newestConnections.leave(player, connection.ref))
    },
    featureSwitchedOff(_environmentId, feature, there) {
      if (feature === 'multiplayer') background.run(() => rooms.closeFor(there))
      if (feature === 'realtimeChannels') background.run(() => channels.closeFor(there))
    },
    asApiError(error) {
      if (error instanceof ApiError) return error
      reportBug(error)
      return new ApiError('internal_error')
    },
  })
  bus.subscribe('keys', () => background.run(realtime.recheckKeys))
  bus.subscribe('config', realtime.configChanged)
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
  channelsRoutes(route, serverChannels)
  channelsFrames(realtime.on, channels)
  roomRoutes(route, roomViews)
  roomFrames(realtime.on, { rooms, matchmaking, peerToPeer })
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
  route(readLiveView, async ({ environment: { id } }) => ({
    connections: await countConnections(id),
    ...(await roomViews.live(id)),
    channels: await channels.liveView(id),
  }))
  hostingRoutes(route, hosting.deployments, hosting.uploads)
  auditRoutes(route, audit)
  mailRoutes(route, outbox)
  operationsRoutes(route, page, {
    checks: { database: db.ping, bus: bus.ping, counters: counters.ping, blobs: blobs.ping },
    isStopping: () => stopping,
    metrics,
    metricsToken: settings.metricsToken ?? null,
  })
  page(REALTIME_PATH, async () => {
    throw new ApiError('upgrade_required')
  })
  const docs = lazy(() => docsPage({ baseUrl, version: VERSION }))
  const openapi = lazy(() => JSON.stringify(openApi({ baseUrl, version: VERSION })))
  page('/docs', async () => docs())
  docFiles(page, DOCS_FOLDER)
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
    await hosting.sweep()
  }
  const chores = [
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
    hosting,
    everySecond,
    signals,
    statsData,
    everyMinute,

    async start() {
      await deletions.reread()
      outbox.start()
      for (const { work, everyMs } of chores) running.push(setInterval(() => background.run(work), everyMs))
      await http.ready()
    },

    /** Answers what has come, tells connections to go, then lets go of everything. */
    async stop() {
      stopping = true
      running.forEach((timer) => clearInterval(timer))
      await realtime.stop()
      await drain()
      await actors.stop()
      timers.stop()
      await outbox.stop()
      hosting.stop()
      await background.settled()
      await everyMinute()
    },
  }
}
