import { createSocket } from 'node:dgram'
import { once } from 'node:events'

import { unmapped } from './addresses.ts'
import type { Link } from './client-transport.ts'
import type { Relay } from './relay.ts'

const SOCKET_BUFFER_BYTES = 1024 * 1024

/** TURN over UDP: every datagram is one message or one piece of channel data. Those of other clients than `isClient` are dropped. */
export async function listenUdp(
  relay: Relay,
  ip: string,
  family: number,
  port: number,
  isClient: (address: string) => boolean = () => true,
) {
  const socket = createSocket({
    type: family === 6 ? 'udp6' : 'udp4',
    recvBufferSize: SOCKET_BUFFER_BYTES,
    sendBufferSize: SOCKET_BUFFER_BYTES,
    // Targets are always IP addresses; a DNS lookup per packet would cost more than sending it.
    lookup: (address, _options, found) => found(null, address, family),
  })
  const linkTo = (ip: string, port: number): Link => ({
    key: `udp ${ip} ${port}`,
    ip: unmapped(ip),
    port,
    isStream: false,
    // Unreachable clients are noticed because their allocations expire.
    send: (bytes) => socket.send(bytes, port, ip),
  })

  socket.on('message', (bytes, { address, port }) => {
    // Port 0 means that no response is expected (RFC 768), and Node throws for it.
    if (port > 0 && isClient(address)) relay.receive(bytes, linkTo(address, port))
  })
  try {
    const listening = once(socket, 'listening')
    socket.bind(port, ip)
    await listening
  } catch (error) {
    socket.close()
    throw error
  }
  socket.on('error', () => {})

  return {
    port: socket.address().port,
    sweep() {},
    async close() {
      socket.close()
      await once(socket, 'close')
    },
  }
}
