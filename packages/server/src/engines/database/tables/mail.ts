/** The outbox, and mails of the last day for their limits. */
export type MailTables = {
  /** Mails to send, and captured mails. */
  mail_outbox: {
    id: string
    environmentId: string | null
    recipient: string
    subject: string
    textBody: string
    htmlBody: string
    unsubscribeUrl: string | null
    status: string
    attempts: number
    nextAttemptAt: string
    lastError: string | null
    createdAt: string
    sentAt: string | null
  }
  /**
   * Mails of the last day, with HMACs of the addresses. Rows are kept after the deletion of accounts and projects, so that limits are
   * not reset by it: therefore `sender`, the id of an environment or empty, is not named environmentId.
   */
  mail_sends: {
    id: string
    /** Hash of the address without the part after a `+`. */
    mailboxHash: string
    recipientHash: string
    sender: string
    kind: string
    sentAt: string
  }
}
