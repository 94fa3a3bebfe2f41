import { batchPerTick } from '../edge/http/connections/tick-batch.ts'
import { clientText, startLinks } from './raw-websocket.ts'

/** A process of its own, because what it throws escapes. Prints what the neighbours of what throws have done. */
const escaped: string[] = []
process.on('uncaughtException', ({ message }) => escaped.push(message))

const begun: string[] = []
const runAtEndOfTick = batchPerTick()
runAtEndOfTick(() => begun.push('first'))
runAtEndOfTick(() => {
  throw new Error('a request')
})
runAtEndOfTick(() => begun.push('last'))

const links = await startLinks()
const peers = [await links.open(), await links.open(), await links.open()] as const
const [first, throwing, last] = peers
throwing.link.on = {
  ...throwing.received.on,
  message() {
    throw new Error('a frame')
  },
}
// Small writes arrive where they are read in one tick.
for (const { client } of peers) client.send(clientText('hello'))
for (const { received } of [first, last]) await received.until(() => received.messages.length === 1)
await throwing.received.untilClosed()

console.log(JSON.stringify({ begun, escaped, closed: throwing.received.closed }))
process.exit()
