import { EventEmitter, once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

import { WAIT_MAX_MS } from './in-time.ts'

/** A proxy to a server on this machine that can be stalled: data then arrives later, in order. */
export async function startStallingProxy(port: number) {
  const clients = new Set<Socket>()
  const upstreams = new Set<Socket>()
  const traffic = new EventEmitter()
  let isStalled = false

  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const [from, to, all, what] of [
      [client, upstream, clients, 'request'],
      [upstream, client, upstreams, 'answer'],
    ] as const) {
      all.add(from)
      from.on('data', (data) => {
        to.write(data)
        traffic.emit(what)
      })
      // The other side gets the end only after all earlier data, and not while the proxy is stalled.
      from.on('end', () => to.end())
      from.on('error', () => to.destroy())
      from.on('close', () => all.delete(from))
      if (isStalled) from.pause()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Resolves when so many packets have passed. */
    async passed(what: 'request' | 'answer', count: number) {
      const signal = AbortSignal.timeout(WAIT_MAX_MS)
      for (let seen = 0; seen < count; seen++) await once(traffic, what, { signal })
    },
    stall() {
      isStalled = true
      for (const socket of [...clients, ...upstreams]) socket.pause()
    },
    /** Requests arrive, responses do not. */
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
