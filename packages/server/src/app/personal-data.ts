import { createChannelData, createChannelStore } from '../capabilities/channels/index.ts'
import {
  createDeletions,
  createDeletionStore,
  createOwnData,
  createOwnDataStore,
  createPersonalData,
  createSearch,
  createSearchStore,
  type PersonalData as Part,
  personalDataRoutes,
  searchRoutes,
} from '../capabilities/players/index.ts'
import type { Developers } from './developers.ts'
import type { GameData } from './game-data.ts'
import type { Ground, Mouths } from './ground.ts'
import type { News } from './news.ts'
import type { PlayerSignIn } from './player-sign-in.ts'
import type { Players } from './players.ts'

export type PersonalDataNeeds = {
  developers: Developers
  players: Players
  signIn: PlayerSignIn
  news: News
  gameData: GameData
  /** Who has been deleted is nowhere any more. */
  leaveEverything(environmentId: string, playerId: string): Promise<void>
}

/** Everything about one player, from all wings: found, exported, deleted. */
export function buildPersonalData(ground: Ground, needs: PersonalDataNeeds) {
  const { db, bus, clock, audit, passwords, failedAttempts } = ground
  const {
    players,
    playerStore,
    activity,
    chains,
    ages,
    appeals,
    sessionData,
    moderationData,
    knownAddresses,
  } = needs.players
  const { saves, stats, signals, statsData } = needs.gameData

  /** Whatever stores something about a player is in this list; a test fails on a table that is not. */
  const parts: Part[] = [
    createOwnData(playerStore, createOwnDataStore(db), { mails: needs.developers.outbox }),
    sessionData,
    moderationData,
    needs.signIn.signInData,
    needs.news.optIn,
    saves,
    statsData,
    createChannelData(createChannelStore(db)),
  ]
  const deletions = createDeletions(createDeletionStore(db), {
    clock,
    bus,
    noteRevoked: (transaction, environmentId, playerId) =>
      ground.revocations.note(transaction, { kind: 'player_deleted', environmentId, subject: playerId }),
  })
  const personalData = createPersonalData(playerStore, {
    parts,
    clock,
    accounts: players,
    deletions,
    passwords,
    failedAttempts,
    knownAddresses,
    sessions: chains,
    audit,
    async disconnect(environmentId, playerId, sessions) {
      await chains.disconnect(environmentId, playerId, sessions)
      await needs.leaveEverything(environmentId, playerId)
    },
  })
  const search = createSearch(createSearchStore(db), {
    players: playerStore,
    isBanned: players.isBanned,
    clock,
    writeActivity: activity.write,
    ageOf: (environmentId, id) => ages.profile({ environmentId, id, sessionId: '' }),
    sanctionsOf: async (environmentId, id) =>
      (await appeals.sanctionsOf({ environmentId, id, sessionId: '' })).sanctions,
    signalsOf: signals.of,
    savesOf: async (environmentId, id) => (await saves.list({ environmentId, id, sessionId: '' })).saves,
    statsOf: async (environmentId, id) => (await stats.read({ environmentId, id, sessionId: '' })).stats,
  })

  return {
    deletions,
    counts: search.counts,

    mount({ route }: Mouths) {
      personalDataRoutes(route, personalData)
      searchRoutes(route, search)
    },

    everyMinute: personalData.tidy,
  }
}
