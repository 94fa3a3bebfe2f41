import type { Actor, EnvironmentName } from '@svc/contract/shapes'

import type { Transaction } from './store.ts'

/** Written in the transaction of the change; about the player it says no more than the id, because it outlives the player. */
export type Audit = {
  record(
    transaction: Transaction,
    entry: {
      projectId: string
      env: EnvironmentName
      actor: Actor
      action: 'player.ban' | 'player.unban' | 'player.age' | 'appeal.resolve'
      target: string
      details: Record<string, unknown>
    },
  ): Promise<void>
}

/** Live connections of a player close, on every node. It never throws: what was decided stays decided. */
export type Disconnect = (environmentId: string, playerId: string) => Promise<void>

export type PlayerExists = (
  transaction: Transaction,
  environmentId: string,
  playerId: string,
) => Promise<boolean>
