import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type NetworkProxy = Awaited<ReturnType<typeof startNetworkProxy>>

/** A proxy between one client and the service. It can close connections, drop data silently, or hold data back and deliver it together. */
export async function startNetworkProxy(url: string) {
  const { hostname, port } = new URL(url)
  let state: 'open' | 'cut' | 'silent' | 'held' | 'forgetful' | 'stalled' = 'open'
  let held: { to: Socket; bytes: Buffer }[] = []
  let accepted = 0
  let dropped = 0
  const sockets = new Set<Socket>()
  /** Nothing arrives on them any more, and they get no end and no reset. */
  const forgotten = new WeakSet<Socket>()

  const server = createServer((near) => {
    accepted++
    if (state === 'cut') return near.destroy()
    if (state === 'forgetful') forgotten.add(near)
    const far = connect(Number(port), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        if (other !== near || !forgotten.has(near)) other.destroy()
      })
    }
    const isLost = () => state === 'silent' || forgotten.has(near)
    near.on('data', (bytes: Buffer) => {
      if (isLost()) dropped++
      else if (state === 'stalled') held.push({ to: far, bytes })
      else far.write(bytes)
    })
    far.on('data', (bytes: Buffer) => {
      if (isLost()) return
      if (state === 'held') held.push({ to: near, bytes })
      else near.write(bytes)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  const { port: ownPort } = server.address() as AddressInfo
  const host = `127.0.0.1:${ownPort}`

  return {
    port: ownPort,
    url: `http://${host}`,
    realtimeUrl: `ws://${host}/v1/realtime`,
    /** How many connections there have been. */
    get accepted(): number {
      return accepted
    },
    /** How many packets of the client were dropped. */
    get dropped(): number {
      return dropped
    },
    /** Destroys all connections and rejects new ones until `open`. */
    cut() {
      state = 'cut'
      for (const socket of sockets) socket.destroy()
    },
    /** Drops all data; connections stay open. */
    silence: () => void (state = 'silent'),
    /** Drops all data until `open`, and on the connections of that time for ever, as a router does that has forgotten them. */
    forget() {
      state = 'forgetful'
      for (const socket of sockets) forgotten.add(socket)
    },
    open: () => void (state = 'open'),
    /** Holds data of the service back until `release`, which delivers it in one piece. */
    hold: () => void (state = 'held'),
    /** The same for data of the client. */
    stall: () => void (state = 'stalled'),
    get held(): string {
      return Buffer.concat(held.map(({ bytes }) => bytes)).toString()
    },
    release() {
      state = 'open'
      for (const [to, parts] of Map.groupBy(held, (part) => part.to))
        to.write(Buffer.concat(parts.map(({ bytes }) => bytes)))
      held = []
    },
    /** Delivers only the data before this text, then ends the connection. */
    releaseUntil(text: string) {
      state = 'cut'
      const [first] = held
      const all = Buffer.concat(held.map(({ bytes }) => bytes))
      first?.to.end(all.subarray(0, all.indexOf(text)))
      held = []
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
