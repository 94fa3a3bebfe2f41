import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Line = Awaited<ReturnType<typeof startLine>>

/** The network between one client and the service. It can be cut, fall silent, or deliver late and all at once. */
export async function startLine(url: string) {
  const { hostname, port } = new URL(url)
  let state: 'open' | 'cut' | 'silent' | 'held' = 'open'
  let held: { to: Socket; bytes: Buffer }[] = []
  const sockets = new Set<Socket>()

  const server = createServer((near) => {
    if (state === 'cut') return near.destroy()
    const far = connect(Number(port), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
    near.on('data', (bytes) => state !== 'silent' && far.write(bytes))
    far.on('data', (bytes: Buffer) => {
      if (state === 'held') held.push({ to: near, bytes })
      else if (state !== 'silent') near.write(bytes)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    realtimeUrl: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/realtime`,
    /** No farewell, and no way back until it is open again. */
    cut() {
      state = 'cut'
      for (const socket of sockets) socket.destroy()
    },
    /** Nothing arrives any more, and nobody is told. */
    silence: () => void (state = 'silent'),
    open: () => void (state = 'open'),
    /** What the service says waits for `release`, which brings it in one piece. */
    hold: () => void (state = 'held'),
    get held(): string {
      return Buffer.concat(held.map(({ bytes }) => bytes)).toString()
    },
    release() {
      state = 'open'
      for (const [to, parts] of Map.groupBy(held, (part) => part.to))
        to.write(Buffer.concat(parts.map(({ bytes }) => bytes)))
      held = []
    },
    /** The line is cut in the middle: only what comes before this text still arrives. */
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
