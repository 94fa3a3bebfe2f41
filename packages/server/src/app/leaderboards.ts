import {
  createBoardRegistry,
  createBoardStore,
  createBoardWork,
  createClosedBoards,
  createEntryChangeStore,
  createEntryStore,
  createLeaderboardAdmin,
  createLeaderboardData,
  createLeaderboards,
  createLeftStore,
  createNextBoards,
  createRanks,
  leaderboardRoutes,
} from '../capabilities/leaderboards/index.ts'
import type { Transaction } from '../engines/database/database.ts'
import { MINUTE_MS } from '../platform/clock.ts'
import { hourlyRemoval } from '../platform/jobs/jobs.ts'
import { HIDDEN_BY } from '../platform/ports/ranking.ts'
import type { Foundation, Mounts } from './foundation.ts'
import type { Players } from './players.ts'

/** Leaderboards: the order of the values that stats store. */
export function buildLeaderboards(
  foundation: Foundation,
  deps: Pick<Players, 'playerStatus' | 'profiles' | 'shownAmong' | 'changePlayer'>,
) {
  const { playerStatus, profiles, shownAmong, changePlayer } = deps
  const { tools, db, background, currentConfig } = foundation

  const store = createBoardStore(db)
  const entries = createEntryStore(db, profiles.join)
  const changes = createEntryChangeStore(db)
  const left = createLeftStore(db)
  const closed = createClosedBoards(store, { clock: tools.clock, entries, left })
  // Work on leaderboards ends after its current step.
  const stopping = () => background.stopping.aborted
  const shared = {
    ...tools,
    config: currentConfig,
    store,
    entries,
    changes,
    closed,
    left,
    profiles,
    stopping,
  }
  const work = createBoardWork(store, {
    ...shared,
    registry: () => registry,
    shownAmong,
  })
  const registry = createBoardRegistry(store, { ...shared, work: work.run })
  const openNextBoards = createNextBoards(store, { ...shared, ...registry })
  const leaderboards = createLeaderboards({ ...shared, registry, ranks: createRanks(store, shared) })
  const recordChanged = (transaction: Transaction, environmentId: string) =>
    foundation.revocations.note(transaction, { kind: 'leaderboards', environmentId, subject: '' })
  const admin = createLeaderboardAdmin({
    ...shared,
    registry,
    leaderboards,
    work: work.run,
    changePlayer,
    playerExists: async (transaction, environmentId, playerId) =>
      (await playerStatus(transaction, environmentId, playerId)) !== undefined,
    recordChanged,
  })

  return {
    rankingOf: registry.rankingOf,
    resetAt: registry.resetAt,
    announce: registry.announce,
    drop: registry.drop,
    configChanged: work.configChanged,
    personalData: createLeaderboardData(store, left),

    async leave(
      transaction: Transaction,
      environmentId: string,
      playerId: string,
      why: 'ban' | 'choice',
    ): Promise<void> {
      const left = await changes.leaveAll(transaction, environmentId, playerId, HIDDEN_BY[why])
      if (left > 0) await recordChanged(transaction, environmentId)
    },

    jobs: [
      // Before work that may take minutes, and before closing, which takes long where many games have leaderboards.
      { name: 'stats.open-leaderboards', everyMs: MINUTE_MS, run: openNextBoards },
      { name: 'stats.close-leaderboards', everyMs: MINUTE_MS, run: work.closeEnded },
      { name: 'stats.leaderboards', everyMs: MINUTE_MS, run: work.everyMinute },
      hourlyRemoval('stats.purge-leaderboards', work.everyHour),
    ],

    mount: ({ route }: Mounts) => leaderboardRoutes(route, { leaderboards, admin }),
  }
}
