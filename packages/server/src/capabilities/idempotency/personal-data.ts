import type { PersonalData } from '../../platform/ports/personal-data.ts'
import { idempotencyScopesOf } from '../../platform/security/idempotency-scope.ts'
import type { ResponseStore, Transaction } from './store.ts'

/** Stored responses to a player, which may contain the name: removed with the player, and otherwise after a day. */
export const createIdempotencyData = (
  store: Pick<ResponseStore, 'removeOfCaller'>,
): PersonalData<Transaction> => ({
  // A response repeats what the export contains, or what was valid only then.
  exportForPlayer: async () => ({}),
  removeForPlayer: (transaction, _environmentId, playerId) =>
    store.removeOfCaller(transaction, idempotencyScopesOf(playerId)),
})
