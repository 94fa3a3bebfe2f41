import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A wire to a server on this machine that can be held up: what is under way then arrives later, in order. */
export async function startStallingProxy(port: number) {
  const clients = new Set<Socket>()
  const upstreams = new Set<Socket>()
  let isStalled = false

  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const [from, to, all] of [
      [client, upstream, clients],
      [upstream, client, upstreams],
    ] as const) {
      all.add(from)
      from.on('data', (data) => to.write(data))
      // The other side hears of the end only after what was sent before it, and not while the wire is held up.
      from.on('end', () => to.end())
      from.on('error', () => to.destroy())
      from.on('close', () => all.delete(from))
      if (isStalled) from.pause()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stall() {
      isStalled = true
      for (const socket of [...clients, ...upstreams]) socket.pause()
    },
    /** What is asked arrives, what is answered does not. */
    stallAnswers() {
      for (const socket of upstreams) socket.pause()
    },
    resume() {
      isStalled = false
      for (const socket of [...clients, ...upstreams]) socket.resume()
    },
    async stop() {
      server.close()
      for (const socket of [...clients, ...upstreams]) socket.destroy()
      await once(server, 'close')
    },
  }
}
