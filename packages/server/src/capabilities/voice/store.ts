import { type Database, statement, type Transaction } from '../../engines/database/database.ts'
import { deleteBy, insertRow } from '../../engines/database/row-statements.ts'

export type { Transaction }
export type VoiceStore = ReturnType<typeof createVoiceStore>

/** Projects whose voice calls an operator has suspended. */
export const createVoiceStore = (db: Database) => ({
  isSuspended: async (projectId: string) => (await db.first(findSuspension, { projectId })) !== undefined,

  setSuspended: (
    projectId: string,
    suspendedAt: string | null,
    alongside: (transaction: Transaction) => Promise<void>,
  ) =>
    db.exclusively(`voice:${projectId}`, async (transaction) => {
      await transaction.run(remove, { projectId })
      if (suspendedAt !== null) await transaction.run(insert, { projectId, suspendedAt })
      await alongside(transaction)
    }),
})

const findSuspension = statement((q, { projectId }: { projectId: string }) =>
  q.selectFrom('voice_projects').select('suspendedAt').where('projectId', '=', projectId),
)
const remove = deleteBy('voice_projects', ['projectId'])
const insert = insertRow('voice_projects', ['projectId', 'suspendedAt'])
