import { createTransport } from 'nodemailer'

import type { Message, SendFailure, Transport } from './mail.ts'

/** `sendMs` limits one whole send; it must be shorter than the claim of a mail. */
const LIMITS = { connectMs: 10_000, silenceMs: 15_000, sendMs: 30_000 }
const IDLE_CONNECTIONS_MAX = 4
const REASON_LENGTH_MAX = 300

export function openSmtp(url: string, from: string, limits = LIMITS): Transport {
  const domain = /@([^\s<>@]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'
  // One connection per send, so that a hanging one can be closed separately.
  const idle: Connection[] = []
  const busy = new Set<Connection>()

  return {
    name: 'smtp',

    async ping() {
      const connection = connect(url, limits)
      try {
        await connection.verify()
      } finally {
        connection.close()
      }
    },

    async send(message: Message) {
      const connection = idle.pop() ?? connect(url, limits)
      busy.add(connection)
      const { promise: tooLate, reject } = Promise.withResolvers<never>()
      const deadline = setTimeout(() => {
        busy.delete(connection)
        connection.close({ force: true })
        reject(new Error(`the mail server took longer than ${limits.sendMs} ms`))
      }, limits.sendMs)

      try {
        await Promise.race([connection.sendMail(compose(message, from, domain)), tooLate])
      } catch (error) {
        throw asSendFailure(error, message.to)
      } finally {
        clearTimeout(deadline)
        if (busy.delete(connection) && idle.length < IDLE_CONNECTIONS_MAX) idle.push(connection)
        else connection.close()
      }
    },

    async close() {
      for (const connection of idle.splice(0)) connection.close()
      for (const connection of busy) connection.close({ force: true })
      busy.clear()
    },
  }
}

type Connection = ReturnType<typeof connect>

const connect = (url: string, { connectMs, silenceMs }: typeof LIMITS) =>
  createTransport({
    url,
    pool: true,
    maxConnections: 1,
    maxRequeues: 1,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    dnsTimeout: connectMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })

const compose = ({ id, to, subject, text, html, unsubscribeUrl }: Message, from: string, domain: string) => ({
  from,
  to: { name: '', address: to },
  subject,
  text,
  html,
  // The same for every attempt, so that mail programs can recognise duplicates.
  messageId: `<${id}@${domain}>`,
  headers: {
    'Auto-Submitted': 'auto-generated',
    ...(unsubscribeUrl && {
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    }),
  },
})

/** Only a rejected recipient is permanent: an operator can fix all other errors (sign-in, sender, spam score). */
function asSendFailure(error: unknown, recipient: string): SendFailure {
  const { message, code, command, responseCode = 0 } = error as Error & SmtpDetails
  const refused = command === 'RCPT TO' && responseCode >= 500
  const unsendable = code === 'EENVELOPE' && command === 'API'
  // The reason is logged and stored, so it contains only the server's message without the address, and the original error is not
  // set as its cause.
  const received = message.replaceAll(recipient, 'recipient').replace(/\p{Cc}/gu, ' ')
  const reason = received.slice(0, REASON_LENGTH_MAX)
  return Object.assign(new Error(reason), { permanent: refused || unsendable })
}

type SmtpDetails = { code?: string; command?: string; responseCode?: number }
