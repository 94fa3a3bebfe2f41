import type { Transport } from './mail.ts'

/** Nothing leaves the machine: the outbox keeps the mail, and the mailbox shows it. */
export const openCaptured = (): Transport => ({
  name: 'captured',
  async send() {},
  async close() {},
})
