import type { Transport } from './mail.ts'

/** Sends nothing: mail stays in the outbox, where developers can read it. */
export const openCaptured = (): Transport => ({
  name: 'captured',
  async ping() {},
  async send() {},
  async close() {},
})
