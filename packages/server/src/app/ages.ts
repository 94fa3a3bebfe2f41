import { createAges, createAgeStore } from '../capabilities/moderation/index.ts'
import { createPlayerStore } from '../capabilities/players/index.ts'
import type { Transaction } from '../engines/database/database.ts'
import type { Foundation } from './foundation.ts'

export type Ages = ReturnType<typeof buildAges>

/** The ages of players. */
export function buildAges({ db, tools, configOf }: Foundation) {
  const playerStore = createPlayerStore(db)
  const ageStore = createAgeStore(db)
  const playerExists = async (transaction: Transaction, environmentId: string, playerId: string) =>
    (await playerStore.in(transaction).findPlayerStatus(environmentId, playerId)) !== undefined
  const ages = createAges(ageStore, {
    ...tools,
    playerExists,
    audienceOf: async (environmentId) => (await configOf(environmentId)).audience,
  })

  return {
    ages,
    ageStore,
    playerExists,
    isChild: async (environment: { id: string }, playerId: string) =>
      (await ages.bandOf(environment, playerId)) === 'child',
  }
}
