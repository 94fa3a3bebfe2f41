import { type Kysely, sql } from 'kysely'

import { type Database, type Tables, type Transaction, statement } from '../../engines/database/database.ts'
import { removalBefore, removalUpTo } from '../../engines/database/removal.ts'
import { removeOld } from '../../engines/database/remove-old.ts'
import { deleteBy, insertRow, selectBy } from '../../engines/database/row-statements.ts'

export type { Transaction } from '../../engines/database/database.ts'

export type MailRow = Tables['mail_outbox']
export type MailStatus = 'pending' | 'sent' | 'captured' | 'failed'
export type OutboxStore = ReturnType<typeof createOutboxStore>

/** The only file that may query the table `mail_outbox`. */
export const createOutboxStore = (db: Database) => ({
  add: (transaction: Transaction, mail: MailRow) => transaction.run(insert, mail),
  remove: (transaction: Transaction, id: string) => transaction.run(remove, { id }),

  due: (now: string, limit: number) => db.all(selectDue, { now, limit }),

  /** Claims the mail until `until`; concurrent claims update no row. */
  claim: (due: { id: string; nextAttemptAt: string }, until: string) => db.first(claim, { ...due, until }),

  /** Also if the claim has expired in the meantime: the mail was sent. */
  markSent: (id: string, status: 'sent' | 'captured', sentAt: string | null) =>
    db.run(markSent, { id, status, sentAt }),

  /** Only while the claim is valid: afterwards the mail belongs to another node. */
  retry: (claimed: ClaimedMail, lastError: string, nextAttemptAt: string) =>
    db.run(retry, { ...claimOf(claimed), lastError, next: nextAttemptAt }),
  fail: (claimed: ClaimedMail, lastError: string) => db.run(fail, { ...claimOf(claimed), lastError }),

  /** Newest first: the mails of the environment, and those to the address `developer` (none when empty); optionally with one status only. */
  async page({ environmentId, developer, ...page }: MailPage) {
    const { status, ...all } = page
    const [own, toOwner] = await Promise.all([
      status === null
        ? db.all(listPage, { environmentId, ...all })
        : db.all(listPageWith, { environmentId, ...all, status }),
      developer === '' ? [] : db.scan(listPageTo, { developer, ...page }),
    ])
    return newestFirst([...own, ...toOwner], page.limit)
  },
  /** What became of the newest mails, of the same as `page`. */
  async newest(environmentId: string, owner: string) {
    const [own, toOwner] = await Promise.all([
      db.all(listNewest, { environmentId }),
      owner === '' ? [] : db.all(listNewestTo, { owner }),
    ])
    return newestFirst([...own, ...toOwner], NEWEST)
  },
  /** Removes mails that are not waiting to be sent; returns how many. */
  removeFinished: (transaction: Transaction, environmentId: string) =>
    transaction.run(removeFinished, { environmentId }),
  change: db.transaction,

  countQueue: async () => {
    const counts = await db.scan(countQueue, {})
    const of = (status: string) => counts.find((one) => one.status === status)?.count ?? 0
    return { pending: of('pending'), failed: of('failed') }
  },
  countFailed: async (environmentId: string) => (await db.first(countFailed, { environmentId }))?.count ?? 0,

  listTo: (environmentId: string, recipient: string) => db.all(listTo, { environmentId, recipient }),
  removeTo: (transaction: Transaction, environmentId: string, recipient: string) =>
    transaction.run(removeTo, { environmentId, recipient }),
  removeToDeveloper: (transaction: Transaction, recipient: string) =>
    transaction.run(removeToDeveloper, { recipient }),

  async purgeExpired({ sentBefore, keptBefore, capturedMax }: Kept, stopping?: AbortSignal) {
    await removeOld(db, oldSent, sentBefore, stopping)
    await removeOld(db, oldKept, keptBefore, stopping)
    const beyond = await db.first(findBeyond, { capturedMax })
    if (beyond) await removeOld(db, oldCaptured, beyond.id, stopping)
  },
})

const NEWEST = 20
type Page = { before: string; limit: number; status: string | null }
type MailPage = Page & { environmentId: string; developer: string }
type ClaimedMail = { id: string; nextAttemptAt: string }

const claimOf = ({ id, nextAttemptAt }: ClaimedMail) => ({ id, claimedUntil: nextAttemptAt })

const insert = insertRow('mail_outbox', [
  'id',
  'environmentId',
  'recipient',
  'subject',
  'textBody',
  'htmlBody',
  'unsubscribeUrl',
  'status',
  'attempts',
  'nextAttemptAt',
  'lastError',
  'createdAt',
  'sentAt',
])

const remove = deleteBy('mail_outbox', ['id'])

const selectDue = statement((q, { now, limit }: { now: string; limit: number }) =>
  q
    .selectFrom('mail_outbox')
    .select(['id', 'nextAttemptAt'])
    .where('status', '=', 'pending')
    .where('nextAttemptAt', '<=', now)
    .orderBy('nextAttemptAt')
    .limit(limit),
)

// Attempts are counted when they are claimed, not when they fail, so that an attempt that ended with its process counts too.
const claim = statement(
  (q, { id, nextAttemptAt, until }: { id: string; nextAttemptAt: string; until: string }) =>
    q
      .updateTable('mail_outbox')
      .set((row) => ({ nextAttemptAt: until, attempts: row('attempts', '+', 1) }))
      .where('id', '=', id)
      .where('status', '=', 'pending')
      .where('nextAttemptAt', '=', nextAttemptAt)
      .returningAll(),
)

const markSent = statement(
  (q, { id, status, sentAt }: { id: string; status: string; sentAt: string | null }) =>
    q
      .updateTable('mail_outbox')
      .set({ status, sentAt, lastError: null })
      .where('id', '=', id)
      .where('status', '=', 'pending'),
)

type Claim = { id: string; claimedUntil: string }
type Failure = Claim & { lastError: string }

const claimed = (q: Kysely<Tables>, { id, claimedUntil }: Claim) =>
  q
    .updateTable('mail_outbox')
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('nextAttemptAt', '=', claimedUntil)

const retry = statement((q, failure: Failure & { next: string }) =>
  claimed(q, failure).set({ lastError: failure.lastError, nextAttemptAt: failure.next }),
)

const fail = statement((q, failure: Failure) =>
  claimed(q, failure).set({ lastError: failure.lastError, status: 'failed' }),
)

const newestOf = (q: Kysely<Tables>, { before, limit }: Omit<Page, 'status'>) =>
  q.selectFrom('mail_outbox').selectAll().where('id', '<', before).orderBy('id', 'desc').limit(limit)
type OwnPage = Omit<Page, 'status'> & { environmentId: string }
const listPage = statement((q, page: OwnPage) =>
  newestOf(q, page).where('environmentId', '=', page.environmentId),
)
const listPageWith = statement((q, page: OwnPage & { status: string }) =>
  newestOf(q, page).where((e) => e.and({ environmentId: page.environmentId, status: page.status })),
)
const listPageTo = statement((q, page: Page & { developer: string }) =>
  newestOf(q, page)
    .where((e) => e.and({ environmentId: null, recipient: page.developer }))
    .where('status', '=', (row) => row.fn.coalesce(row.val(page.status), 'status')),
)
const listNewest = statement((q, { environmentId }: { environmentId: string }) =>
  q
    .selectFrom('mail_outbox')
    .select(['id', 'status'])
    .where('environmentId', '=', environmentId)
    .orderBy('id', 'desc')
    .limit(sql.lit(NEWEST)),
)
const listNewestTo = statement((q, { owner }: { owner: string }) =>
  q
    .selectFrom('mail_outbox')
    .select(['id', 'status'])
    .where((e) => e.and({ environmentId: null, recipient: owner }))
    .orderBy('id', 'desc')
    .limit(sql.lit(NEWEST)),
)
/** Two queries and not one with `or`, which would sort all mails of the environment. */
const newestFirst = <Row extends { id: string }>(rows: Row[], limit: number): Row[] =>
  rows.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit)

const removeFinished = statement((q, { environmentId }: { environmentId: string }) =>
  q
    .deleteFrom('mail_outbox')
    .where('environmentId', '=', environmentId)
    .where('status', '!=', sql.lit('pending')),
)
const countQueue = statement((q) =>
  q
    .selectFrom('mail_outbox')
    .select((row) => ['status', row.fn.countAll<number>().as('count')])
    .where('status', 'in', [sql.lit('pending'), sql.lit('failed')])
    .groupBy('status'),
)
const countFailed = statement((q, { environmentId }: { environmentId: string }) =>
  q
    .selectFrom('mail_outbox')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('environmentId', '=', environmentId)
    .where('status', '=', sql.lit('failed')),
)

const listTo = selectBy(
  'mail_outbox',
  ['subject', 'status', 'createdAt', 'sentAt'],
  ['environmentId', 'recipient'],
  ['id'],
)

const removeToDeveloper = statement((q, { recipient }: { recipient: string }) =>
  q.deleteFrom('mail_outbox').where('environmentId', 'is', null).where('recipient', '=', recipient),
)
const removeTo = deleteBy('mail_outbox', ['environmentId', 'recipient'])

type Kept = { sentBefore: string; keptBefore: string; capturedMax: number }
// With `status = …`, SQLite would use the index of the mails that are due.
const oldSent = removalBefore('mail_outbox', ['sentAt'])
const oldKept = removalBefore('mail_outbox', ['createdAt'], { when: sql`status not in ('pending', 'sent')` })
const oldCaptured = removalUpTo('mail_outbox', ['id'], {
  when: sql`status not in ('pending', 'sent', 'failed')`,
})
/** The newest one that is too many. */
const findBeyond = statement((q, { capturedMax }: { capturedMax: number }) =>
  q
    .selectFrom('mail_outbox')
    .select('id')
    .where('status', '=', sql.lit('captured'))
    .orderBy('id', 'desc')
    .limit(sql.lit(1))
    .offset(capturedMax),
)
