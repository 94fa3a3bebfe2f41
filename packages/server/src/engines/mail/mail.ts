export type Message = {
  id: string
  to: string
  subject: string
  text: string
  html: string
  /** Where a mail program unsubscribes its reader, by a POST and nothing else (RFC 8058). */
  unsubscribeUrl?: string | null
}

/** Why a message did not go out. `permanent`: its recipient was refused for good, another try is pointless. */
export type SendFailure = Error & { permanent: boolean }

/** Where mail leaves the service. `send` throws a SendFailure and always ends within a bounded time. */
export type Transport = {
  name: 'smtp' | 'captured'
  send(message: Message): Promise<void>
  close(): Promise<void>
}

export type MailSettings = { smtpUrl?: string | undefined; from: string }
