/** One mail. */
export type Message = {
  /** Becomes the Message-ID, so that a repeated mail can be recognised. */
  id: string
  /** One address. */
  to: string
  subject: string
  text: string
  html: string
  /** One-click unsubscribe URL, called by POST (RFC 8058). */
  unsubscribeUrl?: string | null
}

/** Why a message was not sent. `permanent`: the server rejected the recipient permanently, so do not retry. */
export type SendFailure = Error & { permanent: boolean }

/** Sends mail. */
export type Transport = {
  /** `captured`: nothing is sent; developers read the outbox. */
  name: 'smtp' | 'captured'
  /** Throws a `SendFailure`; always ends within a bounded time. */
  send(message: Message): Promise<void>
  /** Signs in to the mail server; throws if that fails. */
  ping(): Promise<void>
  /** Ends open connections. */
  close(): Promise<void>
}

/** Where mail is sent, and the sender of all mails. */
export type MailSettings = { smtpUrl?: string | undefined; from: string }
