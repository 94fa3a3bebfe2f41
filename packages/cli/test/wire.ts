import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Wire = Awaited<ReturnType<typeof startWire>>

const NO_PASSWORD = Buffer.from([5, 0])
const CONNECTED = Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])

/** The network of one browser: a SOCKS proxy that leads to this machine, whatever the name, and that can be cut. */
export async function startWire() {
  const sockets = new Set<Socket>()
  let isCut = false

  const server = createServer((client) => void serve(hold(client))).listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function serve(client: Socket) {
    if (isCut) return client.destroy()
    try {
      await once(client, 'data')
      client.write(NO_PASSWORD)
      const [request] = (await once(client, 'data')) as [Buffer]
      const upstream = hold(connect(request.readUInt16BE(request.length - 2), '127.0.0.1'))
      await once(upstream, 'connect')
      client.write(CONNECTED)
      client.pipe(upstream).pipe(client)
      client.on('close', () => upstream.destroy())
      upstream.on('close', () => client.destroy())
    } catch {
      client.destroy()
    }
  }

  function hold(socket: Socket): Socket {
    sockets.add(socket)
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }

  return {
    proxy: `socks5://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** As when a phone leaves the house: no farewell, and nothing new gets through. */
    cut() {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    mend() {
      isCut = false
    },
    async stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
