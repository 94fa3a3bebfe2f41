import {
  columns,
  type Database,
  statement,
  type Tables,
  type Transaction,
} from '../../engines/database/database.ts'

export type { Transaction }
export type VoiceStore = ReturnType<typeof createVoiceStore>

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
const remove = statement((q, { projectId }: { projectId: string }) =>
  q.deleteFrom('voice_projects').where('projectId', '=', projectId),
)
const insert = statement((q, row: Tables['voice_projects']) =>
  q.insertInto('voice_projects').values(columns(row, ['projectId', 'suspendedAt'])),
)
