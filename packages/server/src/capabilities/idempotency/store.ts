import { type Database, columns, statement, type Transaction } from '../../engines/database/database.ts'
import { removalUpTo } from '../../engines/database/removal.ts'
import { removeOld } from '../../engines/database/remove-old.ts'
import { selectBy } from '../../engines/database/row-statements.ts'

export type { Transaction }

export type ResponseStore = ReturnType<typeof createResponseStore>

type Key = { scope: string; key: string }
type Claim = Key & { requestHash: string; expiresAt: string; now: string }
type Lease = Key & { lease: string }
type StoredResponse = Lease & { status: number; answer: string; expiresAt: string }

/** Inserts a row for the first request with a key, or replaces an expired row; concurrent requests change nothing. */
const claim = statement((q, claim: Claim) =>
  q
    .insertInto('idempotency_answers')
    .values({ ...columns(claim, ['scope', 'key', 'requestHash', 'expiresAt']), status: null, answer: null })
    .onConflict((conflict) =>
      conflict
        .columns(['scope', 'key'])
        .doUpdateSet({ ...columns(claim, ['requestHash', 'expiresAt']), status: null, answer: null })
        .where('idempotency_answers.expiresAt', '<=', claim.now),
    ),
)

const find = selectBy(
  'idempotency_answers',
  ['requestHash', 'status', 'answer', 'expiresAt'],
  ['scope', 'key'],
)

const finish = statement((q, answered: StoredResponse) =>
  q
    .updateTable('idempotency_answers')
    .set(columns(answered, ['status', 'answer', 'expiresAt']))
    .where('scope', '=', answered.scope)
    .where('key', '=', answered.key)
    .where('expiresAt', '=', answered.lease)
    .where('status', 'is', null),
)

const remove = statement((q, { scope, key, lease }: Lease) =>
  q.deleteFrom('idempotency_answers').where((e) => e.and({ scope, key, expiresAt: lease, status: null })),
)

const expired = removalUpTo('idempotency_answers', ['expiresAt'])

/** `!` follows the space at the end of the prefix, so that the primary key is enough to find the rows. */
const removeBetween = statement((q, { from, to }: { from: string; to: string }) =>
  q.deleteFrom('idempotency_answers').where('scope', '>=', from).where('scope', '<', to),
)

/** The stored responses of requests with an Idempotency-Key. */
export const createResponseStore = (db: Database) => ({
  claim: async (values: Claim) => (await db.run(claim, values)) === 1,
  find: (key: Key) => db.first(find, key),
  finish: (values: StoredResponse) => db.run(finish, values),
  remove: (values: Lease) => db.run(remove, values),

  /** `prefix` ends with a space. */
  removeOfCaller: (transaction: Transaction, prefix: string) =>
    transaction.run(removeBetween, { from: prefix, to: `${prefix.trimEnd()}!` }),

  removeExpired: (now: string, stopping?: AbortSignal) => removeOld(db, expired, now, stopping),
})
