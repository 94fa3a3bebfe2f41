import { type Database, statement, type Tables, type Transaction } from '../../engines/database/database.ts'
import { removalUpTo } from '../../engines/database/removal.ts'
import { removeOld } from '../../engines/database/remove-old.ts'
import { insertRow } from '../../engines/database/row-statements.ts'

export type { Transaction } from '../../engines/database/database.ts'

type Row = Tables['mail_sends']
export type Sent = Omit<Row, 'id'>
export type SendStore = ReturnType<typeof createSendStore>

/** The mails of the last day, with hashes of their addresses. */
export const createSendStore = (db: Database) => ({
  sentTo: (transaction: Transaction, mailboxHash: string, after: string) =>
    transaction.all(listSentTo, { mailboxHash, after }),
  /** The addresses that a sender wrote to, with the time of the last mail; one mailbox is excluded. */
  recipients: (transaction: Transaction, sender: string, after: string, exceptMailboxHash: string) =>
    transaction.all(listRecipients, { sender, after, exceptMailboxHash }),
  add: (transaction: Transaction, sent: Row) => transaction.run(insertSent, sent),
  removeUpTo: (sentAt: string, stopping?: AbortSignal) => removeOld(db, oldSends, sentAt, stopping),
})

const sentColumns = ['id', 'mailboxHash', 'recipientHash', 'sender', 'kind', 'sentAt'] as const

const listSentTo = statement((q, { mailboxHash, after }: { mailboxHash: string; after: string }) =>
  q
    .selectFrom('mail_sends')
    .select(sentColumns)
    .where('mailboxHash', '=', mailboxHash)
    .where('sentAt', '>', after),
)
const listRecipients = statement((q, input: { sender: string; after: string; exceptMailboxHash: string }) =>
  q
    .selectFrom('mail_sends')
    .select((row) => ['recipientHash', row.fn.max('sentAt').as('sentAt')])
    .where('sender', '=', input.sender)
    .where('sentAt', '>', input.after)
    .where('mailboxHash', '!=', input.exceptMailboxHash)
    .groupBy('recipientHash'),
)
const insertSent = insertRow('mail_sends', sentColumns)
const oldSends = removalUpTo('mail_sends', ['sentAt'])
