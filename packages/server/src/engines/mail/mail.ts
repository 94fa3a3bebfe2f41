export type Message = {
  id: string
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
  name: 'smtp' | 'captured'
  send(message: Message): Promise<void>
  close(): Promise<void>
}

export type MailSettings = { smtpUrl?: string | undefined; from: string }
