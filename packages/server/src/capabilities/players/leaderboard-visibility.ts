import { ApiError } from '../../platform/api-error.ts'
import type { Player } from '../../platform/player.ts'
import type { PlayerStore, Transaction } from './store.ts'

type LeaderboardVisibilityDeps = {
  /** Called in the transaction of the choice. */
  leaveLeaderboards(transaction: Transaction, environmentId: string, playerId: string): Promise<unknown>
  /** Called after that transaction. */
  announceLeft(environmentId: string): Promise<void>
}
export type LeaderboardVisibility = ReturnType<typeof createLeaderboardVisibility>

/** Whether a player is shown on leaderboards: yes, until the player leaves them (LDB-10). */
export const createLeaderboardVisibility = (store: PlayerStore, deps: LeaderboardVisibilityDeps) => ({
  async read({ environmentId, id }: Player): Promise<{ visible: boolean }> {
    const status = await store.findPlayerStatus(environmentId, id)
    if (!status) throw new ApiError('invalid_token')
    return { visible: status.leaderboardsHidden === 0 }
  },

  async change(
    { environmentId, id }: Player,
    { visible }: { visible: boolean },
  ): Promise<{ visible: boolean }> {
    await store.change(environmentId, id, async (transaction) => {
      const players = store.in(transaction)
      if (!(await players.findPlayerStatus(environmentId, id))) throw new ApiError('invalid_token')
      await players.setLeaderboardsHidden(environmentId, id, visible ? 0 : 1)
      if (!visible) await deps.leaveLeaderboards(transaction, environmentId, id)
    })
    if (!visible) await deps.announceLeft(environmentId)
    return { visible }
  },
})
