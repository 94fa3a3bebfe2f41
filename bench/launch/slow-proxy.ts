import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy in front of PostgreSQL whose answers can come late, in order: each statement then takes at least so long. */
export async function startSlowProxy(port: number) {
  let delayMs = 0
  let statements = 0
  const sockets = new Set<Socket>()

  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.setNoDelay(true)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
    near.on('data', (bytes: Buffer) => {
      statements += statementsIn(bytes)
      far.write(bytes)
    })
    let dueAt = 0
    far.on('data', (bytes: Buffer) => {
      dueAt = Math.max(dueAt, performance.now() + delayMs)
      const waitMs = dueAt - performance.now()
      if (waitMs <= 0) near.write(bytes)
      else setTimeout(() => near.write(bytes), waitMs)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    delay: (ms: number) => void (delayMs = ms),
    /** How many statements have been sent. */
    get statements(): number {
      return statements
    },
    async stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

const [EXECUTE, QUERY] = [0x45, 0x51]

/** Counts the messages `Execute` and `Query`. The driver writes whole messages, which are seldom split: a rest is not counted. */
function statementsIn(bytes: Buffer): number {
  let found = 0
  for (let at = 0; at + 5 <= bytes.length; at += 1 + bytes.readUInt32BE(at + 1))
    if (bytes[at] === EXECUTE || bytes[at] === QUERY) found++
  return found
}
