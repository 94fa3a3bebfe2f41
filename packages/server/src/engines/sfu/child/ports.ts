import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, isIPv6, type Server } from 'node:net'

const TRIES_MAX = 20

type Ports = {
  port: number
  /** Bound to the next number. */
  repair: Socket | undefined
}

/**
 * Binds the TCP server to `preferred`, or to a free port if that is taken or 0. The same number is free for UDP, and the next one is
 * bound if it is needed.
 */
export async function bindPorts(
  server: Server,
  { host, preferred, needsNext }: { host: string; preferred: number; needsNext: boolean },
): Promise<Ports> {
  for (let tries = 0; ; tries++) {
    const port = await listen(server, host, tries === 0 ? preferred : 0)
    const udp = port === undefined ? undefined : await bindUdp(host, port)
    if (port !== undefined && udp) {
      const repair = needsNext ? await bindUdp(host, port + 1) : undefined
      // The engine binds this port itself, at the first connection.
      await new Promise<void>((resolve) => udp.close(resolve))
      if (!needsNext || repair) return { port, repair }
    }
    if (tries >= TRIES_MAX) throw new Error(`no port of ${host} is free for voice`)
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
}

async function listen(server: Server, host: string, port: number): Promise<number | undefined> {
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  } catch {
    return undefined
  }
}

async function bindUdp(host: string, port: number): Promise<Socket | undefined> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
  socket.on('error', () => {})
  try {
    socket.bind(port, host)
    await once(socket, 'listening')
    return socket
  } catch {
    socket.close()
    return undefined
  }
}
