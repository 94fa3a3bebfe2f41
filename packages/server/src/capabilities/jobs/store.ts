import { type Database, statement } from '../../engines/database/database.ts'
import { deleteBy, selectBy, updateBy } from '../../engines/database/row-statements.ts'
import type { JobRun, JobStore } from '../../platform/jobs/jobs.ts'

/** The last slot of a job, for operators. */
type JobState = {
  name: string
  slotAtMs: number
  isDone: boolean
  attempts: number
  lastError: string | null
}

/**
 * The only file that may query the table `jobs`. It has one row per job: the slot that was claimed last. Nobody may claim the job
 * before `notBeforeMs` of its row, which is the end of the current claim or of the pause after a failure.
 */
export const createJobStore = (db: Database): JobStore & { list(): Promise<JobState[]> } => ({
  nowMs: () => Math.floor(db.databaseNowMs()),

  async claim(name, slotAtMs, nowMs, untilMs) {
    const claim = { name, slotAtMs, nowMs, untilMs }
    if ((await db.run(claimNewSlot, claim)) === 1) return 1
    const retry = await db.first(claimRetry, claim)
    if (retry) return retry.attempts
    // No row was updated: either the job has no row yet, or its row does not allow a claim now.
    return (await db.run(claimFirstSlot, { name, slotAtMs, untilMs })) === 1 ? 1 : undefined
  },

  async find(name) {
    const row = await db.first(findJob, { name })
    return row && { ...row, isDone: row.isDone === 1 }
  },

  discard: async (name, { slotAtMs, notBeforeMs }) =>
    (await db.run(discardJob, { name, slotAtMs, notBeforeMs })) === 1,

  extend: (run, untilMs) => db.run(extendClaim, { ...run, untilMs }),
  complete: (run, lastError) => db.run(completeSlot, { ...run, lastError }),
  postpone: (run, notBeforeMs, lastError) => db.run(postponeSlot, { ...run, notBeforeMs, lastError }),

  list: async () => (await db.all(listJobs, {})).map((job) => ({ ...job, isDone: job.isDone === 1 })),
})

/** `untilMs` is the end of the claim. */
type Claim = { name: string; slotAtMs: number; nowMs: number; untilMs: number }

/** The first attempt at a slot that is later than the one in the row. */
const claimNewSlot = statement((q, { name, slotAtMs, nowMs, untilMs }: Claim) =>
  q
    .updateTable('jobs')
    .set({ slotAtMs, attempts: 1, isDone: 0, notBeforeMs: untilMs, lastError: null })
    .where('name', '=', name)
    .where('slotAtMs', '<', slotAtMs)
    .where('notBeforeMs', '<=', nowMs),
)
/**
 * Another attempt at the slot in the row. Attempts are counted when they are claimed, not when they fail, so that an attempt that
 * ended with its process counts too.
 */
const claimRetry = statement((q, { name, slotAtMs, nowMs, untilMs }: Claim) =>
  q
    .updateTable('jobs')
    .set((row) => ({ attempts: row('attempts', '+', 1), notBeforeMs: untilMs }))
    .where((e) => e.and({ name, slotAtMs }))
    .where('isDone', '=', 0)
    .where('notBeforeMs', '<=', nowMs)
    .returning('attempts'),
)
/** The first attempt at the first slot of a job that has no row yet. */
const claimFirstSlot = statement((q, { name, slotAtMs, untilMs }: Omit<Claim, 'nowMs'>) =>
  q
    .insertInto('jobs')
    .values({ name, slotAtMs, attempts: 1, isDone: 0, notBeforeMs: untilMs, lastError: null })
    .onConflict((conflict) => conflict.column('name').doNothing()),
)

const findJob = selectBy('jobs', ['slotAtMs', 'isDone', 'notBeforeMs'], ['name'])
const discardJob = deleteBy('jobs', ['name', 'slotAtMs', 'notBeforeMs'])

// These three name the attempt in their condition: they change nothing if another node has claimed the slot since.
const extendClaim = statement((q, { name, slotAtMs, attempts, untilMs }: JobRun & { untilMs: number }) =>
  q
    .updateTable('jobs')
    .set({ notBeforeMs: untilMs })
    .where((e) => e.and({ name, slotAtMs, attempts }))
    .where('isDone', '=', 0),
)
const completeSlot = statement(
  (q, { name, slotAtMs, attempts, lastError }: JobRun & { lastError: string | null }) =>
    q
      .updateTable('jobs')
      // With `notBeforeMs` 0 the claim has ended, so that the next slot can be claimed immediately.
      .set({ isDone: 1, notBeforeMs: 0, lastError })
      .where((e) => e.and({ name, slotAtMs, attempts })),
)
const postponeSlot = updateBy('jobs', ['notBeforeMs', 'lastError'], ['name', 'slotAtMs', 'attempts'])

const listJobs = statement((q) =>
  q.selectFrom('jobs').select(['name', 'slotAtMs', 'isDone', 'attempts', 'lastError']).orderBy('name'),
)
