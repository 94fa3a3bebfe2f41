import { EventEmitter, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

export type Refusal = { responseCode: number; message: string }

/** Decides about one recipient or one message; a pending promise simulates a slow server. */
type Decision = (recipient: string) => Refusal | undefined | Promise<Refusal | undefined>

const accept: Decision = () => undefined

/** A real SMTP server on loopback; `stop` and `start` keep the port. */
export async function startSmtpServer() {
  const received: { recipients: string[]; mail: Email }[] = []
  const events = new EventEmitter()
  const decide = { onRecipient: accept, onMessage: accept }

  async function open(port: number) {
    const server = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      closeTimeout: 50,
      onRcptTo: ({ address }, _session, answer) => void reply(() => decide.onRecipient(address), answer),
      onData: (stream, { envelope }, answer) =>
        void reply(async () => {
          const bytes = await buffer(stream)
          const recipients = envelope.rcptTo.map(({ address }) => address)
          const refusal = await decide.onMessage(recipients[0] ?? '')
          if (refusal) return refusal
          received.push({ recipients, mail: await PostalMime.parse(bytes) })
          events.emit('mail')
          return undefined
        }, answer),
    })
    // Some tests disconnect clients.
    server.on('error', () => {})
    const listener = server.listen(port, '127.0.0.1')
    await once(listener, 'listening')
    return { server, port: (listener.address() as AddressInfo).port }
  }

  let running = await open(0)
  const { port } = running
  const stop = () => new Promise<void>((resolve) => running.server.close(() => resolve()))

  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    decide,
    /** Resolves when this many mails have arrived since the start. */
    async arrived(count: number) {
      while (received.length < count) await once(events, 'mail')
    },
    stop,
    start: async () => void (running = await open(port)),
  }
}

async function reply(work: () => ReturnType<Decision>, answer: (error?: Error | null) => void) {
  // A client that is disconnected in the middle also gets a response, which is not read.
  const refusal = await Promise.try(work).catch(({ message }: Error) => ({ responseCode: 451, message }))
  answer(refusal && Object.assign(new Error(refusal.message), { responseCode: refusal.responseCode }))
}
