import { verifyPlayerEmail } from '@svc/contract/players'
import { CLOSE_CODES } from '@svc/contract/realtime/realtime'

import type { ProfileColumns } from '../capabilities/leaderboards/index.ts'
import {
  createAppeals,
  createBans,
  createModerationStore,
  joinAge,
  createPersonalData as createModerationData,
  moderationRoutes,
} from '../capabilities/moderation/index.ts'
import {
  createAccounts,
  createActivity,
  createActivityStore,
  createAddressStore,
  createDeletions,
  createCountStore,
  createDeletionStore,
  createEmailAccounts,
  createEmailLinks,
  createEmailStore,
  createLeaderboardVisibility,
  createPlayerCounts,
  createPlayerStore,
  emailPages,
  emailRoutes,
  createXProfiles,
  createXProfileStore,
  FOREVER,
  joinPlayer,
  joinView,
  selectMayWrite,
  leaderboardVisibilityRoutes,
  playersRoutes,
  viewIn,
  xProfileRoutes,
} from '../capabilities/players/index.ts'
import {
  createAccessTokens,
  createBrowserSession,
  createPersonalData as createSessionData,
  createRefreshChains,
  createRefreshHold,
  createRefreshTokens,
  createSessionStore,
  createSignOut,
  createSigningKeys,
  createTokenCheck,
  createTransferCodes,
  sessionsRoutes,
} from '../capabilities/sessions/index.ts'
import { NO_CALLER } from '../edge/http/callers/callers.ts'
import type { PlayerRows, Transaction } from '../engines/database/database.ts'
import { timestamp } from '../platform/clock.ts'
import { hourly, hourlyRemoval } from '../platform/jobs/jobs.ts'
import type { Player } from '../platform/player.ts'
import { randomToken } from '../platform/random.ts'
import { createKnownAddresses } from '../platform/security/known-addresses.ts'
import { standstillOfProcess } from '../platform/time/standstill.ts'
import type { Ages } from './ages.ts'
import type { Developers } from './developers.ts'
import type { Foundation, Mounts } from './foundation.ts'
import type { Hosting } from './hosting.ts'
import type { News } from './news.ts'

type PlayerDeps = Pick<Developers, 'projects' | 'keys'> &
  Pick<Hosting, 'findAddress'> &
  Ages & { news: Pick<News, 'optIn'> }

export type Players = Awaited<ReturnType<typeof buildPlayers>>

const SESSION_BODY_BYTES_MAX = 4_096

/** Players: sessions, accounts with and without an email address, bans and appeals. */
export async function buildPlayers(foundation: Foundation, deps: PlayerDeps) {
  const { tools, db, clock, random, ids, audit, secrets, background } = foundation
  const { projects, findAddress, ages, ageStore, isChild, playerExists } = deps
  const { outbox, events, revocations } = foundation
  const { baseUrl } = foundation.settings

  const sessionStore = createSessionStore(db, { join: joinView, viewIn })
  const signingKeys = createSigningKeys(sessionStore, secrets, clock, random)
  const accessTokens = createAccessTokens(signingKeys, clock, baseUrl)
  const playerStore = createPlayerStore(db)
  const activity = createActivity(createActivityStore(db), { clock, background })
  const standstill = standstillOfProcess()
  const chains = createRefreshChains(sessionStore, {
    ...tools,
    tokens: createRefreshTokens(await foundation.persistentKey('sessions:refresh')),
    accessTokens,
    graceSeconds: foundation.settings.refreshGraceSeconds,
    standstill,
    hold: createRefreshHold(standstill.allAccepted),
    isGuestWithoutBan: (...player) => players.isGuestWithoutBan(...player),
    banDetails: async (environmentId, playerId) =>
      (await players.find(environmentId, playerId))?.banned ? bans.detailsOf(environmentId, playerId) : {},
    recordActivity: activity.note,
    recordRevoked: (queries, environmentId, playerId) =>
      revocations.note(queries, { kind: 'player', environmentId, subject: playerId }),
    disconnect: (environmentId, playerId, sessions) =>
      events.emit('player.disconnected', {
        environmentId,
        playerId,
        sessions,
        code: CLOSE_CODES.unauthorized,
        reason: 'session_revoked',
      }),
  })
  const players = createAccounts(playerStore, {
    ...tools,
    sessions: chains,
    renamed: (environmentId, { id, displayName }) =>
      events.emit('player.renamed', environmentId, { id, displayName }),
    banDetails: (environmentId, playerId) => bans.detailsOf(environmentId, playerId),
  })
  const transfers = createTransferCodes(sessionStore, {
    ...tools,
    isLive: chains.isLive,
    signIn: (environmentId, playerId, from) => players.signIn(environmentId, playerId, { from }),
  })

  const knownAddresses = createKnownAddresses(
    createAddressStore(db),
    await foundation.signInAddressKey(),
    clock,
  )
  const emailStore = createEmailStore(db)
  const emails = createEmailAccounts(emailStore, {
    ...tools,
    players: playerStore,
    accounts: players,
    links: createEmailLinks(emailStore, {
      ...tools,
      isRedirectAllowed: foundation.mayRedirect,
      findAddress,
      mails: outbox,
    }),
    sessions: chains,
    knownAddresses,
    mayGetNews: deps.news.optIn.mayGetNews,
    requestNews: deps.news.optIn.requestNews,
  })

  const moderationStore = createModerationStore(db)
  const ofModeration = {
    clock,
    ids,
    audit,
    playerExists,
    async disconnect(environmentId: string, playerId: string) {
      const [code, reason] = [CLOSE_CODES.forbidden, 'player_banned']
      // Read once for all nodes. The connections are closed even if this fails.
      const ban = await bans.detailsOf(environmentId, playerId).catch(() => ({}))
      const whom = { environmentId, playerId, sessions: { except: null } }
      await events.emit('player.disconnected', { ...whom, code, reason, ban })
      await events.emit('leaderboards.left', environmentId)
      await events.emit('player.banned', environmentId, playerId)
    },
  }
  const bans = createBans(moderationStore, {
    ...ofModeration,
    async setBan(transaction, environmentId, playerId, ban) {
      const until = ban && (ban.expiresAt ?? FOREVER)
      await playerStore.in(transaction).setBannedUntil(environmentId, playerId, until)
      if (ban) await events.emit('leaderboards.leaving', transaction, environmentId, playerId, 'ban')
    },
    async revokeSessions(transaction, environmentId, playerId, { id: sanctionId, expiresAt: endsAt }) {
      const revoked = await chains.revokeAll(transaction, environmentId, playerId, {
        reason: 'ban',
        sanctionId,
      })
      await chains.keepAfterBan(transaction, environmentId, playerId, { sanctionId, endsAt })
      return revoked
    },
    releaseSessions: (transaction, environmentId, playerId, sanctionId) =>
      chains.keepAfterBan(transaction, environmentId, playerId, { sanctionId, endsAt: timestamp(clock) }),
  })
  const appeals = createAppeals(moderationStore, {
    ...ofModeration,
    bans,
    identify: chains.identify,
    findPlayer: players.find,
  })
  const signOut = createSignOut(sessionStore, { ...ofModeration, chains })
  const deletions = createDeletions(createDeletionStore(db), {
    clock,
    bus: foundation.bus,
    recordRevoked: (transaction, environmentId, playerId) =>
      revocations.note(transaction, { kind: 'player_deleted', environmentId, subject: playerId }),
  })

  const counts = createPlayerCounts(createCountStore(db), clock)
  const leaderboardVisibility = createLeaderboardVisibility(playerStore, {
    leaveLeaderboards: (transaction, environmentId, playerId) =>
      events.emit('leaderboards.leaving', transaction, environmentId, playerId, 'choice'),
    announceLeft: (environmentId) => events.emit('leaderboards.left', environmentId),
  })

  return {
    accessTokens,
    chains,
    /** Undefined if there is no such player. */
    playerStatus: (transaction: Transaction, environmentId: string, playerId: string) =>
      playerStore.in(transaction).findPlayerStatus(environmentId, playerId),
    displayNamesOf: async (environmentId: string, playerIds: readonly string[]) =>
      new Map(
        (await playerStore.namesOf(environmentId, playerIds)).map(({ id, displayName }) => [id, displayName]),
      ),
    displayNameOf: async (environmentId: string, playerId: string) =>
      (await playerStore.find(environmentId, playerId))?.displayName ?? null,
    /** One lookup for a new connection. Throws `player_banned`, or `invalid_token` if the player was deleted. */
    async requireNameOf(player: Player): Promise<string | null> {
      const row = await playerStore.find(player.environmentId, player.id)
      if (!row || players.isBanned(row)) await players.requireMayWrite(player)
      return row?.displayName ?? null
    },
    /** Those of these players who are neither banned nor deleted. */
    async mayWriteAmong(environmentId: string, playerIds: readonly string[]) {
      const rows = await playerStore.listPlayerStatus(environmentId, playerIds.toSorted())
      return new Set(rows.filter((row) => !players.isBanned(row)).map(({ id }) => id))
    },
    isChild,
    /** What leaderboards show of players: `join` adds it to a query, and `reader` reads it from a row. */
    profiles: {
      join: <Row>(rows: PlayerRows<Row>) => joinAge(joinPlayer(rows)),
      async reader(environmentId: string) {
        const isChild = await ages.childCheck(environmentId)
        return (row: ProfileColumns) =>
          row.displayName === null
            ? undefined
            : {
                displayName: row.displayName,
                isBanned: players.isBanned(row),
                hasLeft: row.leaderboardsHidden !== 0,
                isChild: isChild(row),
              }
      },
    },
    /** Those of these players that leaderboards may show. */
    async shownAmong(transaction: Transaction, environmentId: string, playerIds: string[]) {
      const rows = await playerStore.in(transaction).listPlayerStatus(environmentId, playerIds)
      const shown = rows.filter((row) => row.leaderboardsHidden === 0 && !players.isBanned(row))
      return new Set(shown.map(({ id }) => id))
    },
    selectMayWrite,
    changePlayer: playerStore.change,
    /** The players that were deleted recently. */
    deletions,
    players,
    counts,
    knownAddresses,
    activity,
    bans,
    sessionsOf: signOut.list,
    appeals,
    ages,
    sessionData: createSessionData(sessionStore, clock),
    moderationData: createModerationData(moderationStore, ageStore, clock),

    mount({ route, page, form, host }: Mounts) {
      playersRoutes(route, players)
      emailRoutes(route, emails)
      leaderboardVisibilityRoutes(route, leaderboardVisibility)
      xProfileRoutes(route, createXProfiles(createXProfileStore(db), { isChild }))
      emailPages(page, form, {
        emails,
        findEnvironment: projects.findEnvironment,
        findAddress,
        isOffered: async ({ id }) => (await foundation.configOf(id)).features.emailLogin,
        enforceRateLimit: async (address) =>
          foundation.enforceRateLimit?.(verifyPlayerEmail, NO_CALLER, address),
      })
      const tokenCheck = createTokenCheck(accessTokens, { find: players.find })
      sessionsRoutes(route, page, { chains, transfers, tokenCheck, signingKeys, signOut })
      moderationRoutes(route, { bans, appeals, ages })
      const respond = createBrowserSession({
        chains,
        isChild,
        findKey: deps.keys.find,
        isSecure: baseUrl.startsWith('https:'),
        newNonce: () => randomToken(random),
      })
      host({ path: '.svc/session' }, { respond, bodyBytesMax: SESSION_BODY_BYTES_MAX })
    },

    everyMinute: () => activity.write(),
    jobs: [
      hourlyRemoval('sessions.purge', chains.purgeExpired, signingKeys.purgeExpired),
      hourly('players.sums', activity.forgetFutureSums, counts.forgetFuture, counts.countAgain),
      hourlyRemoval('players.purge', emails.purgeExpired, activity.purgeExpired),
    ],
  }
}
