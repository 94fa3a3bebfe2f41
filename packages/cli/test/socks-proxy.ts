import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type SocksProxy = Awaited<ReturnType<typeof startSocksProxy>>

const NO_PASSWORD = Buffer.from([5, 0])
const CONNECTED = Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])

/** The network of one browser: a SOCKS proxy that connects every name to this machine, and can be disconnected. */
export async function startSocksProxy() {
  const sockets = new Set<Socket>()
  let isDisconnected = false

  const server = createServer((client) => void serve(track(client))).listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function serve(client: Socket) {
    if (isDisconnected) return client.destroy()
    try {
      await once(client, 'data')
      client.write(NO_PASSWORD)
      const [request] = (await once(client, 'data')) as [Buffer]
      const upstream = track(connect(request.readUInt16BE(request.length - 2), '127.0.0.1'))
      await once(upstream, 'connect')
      client.write(CONNECTED)
      client.pipe(upstream).pipe(client)
      client.on('close', () => upstream.destroy())
      upstream.on('close', () => client.destroy())
    } catch {
      client.destroy()
    }
  }

  function track(socket: Socket): Socket {
    sockets.add(socket)
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }

  return {
    proxy: `socks5://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Simulates a lost network: destroys all connections and rejects new ones. */
    disconnect() {
      isDisconnected = true
      for (const socket of sockets) socket.destroy()
    },
    reconnect() {
      isDisconnected = false
    },
    async stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
