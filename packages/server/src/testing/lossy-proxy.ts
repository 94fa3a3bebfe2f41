import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

/**
 * A UDP proxy on this machine that drops a share of all packets, each way, and can give its clients other addresses. The kernels of test
 * machines often do not support this.
 */
export async function startLossyProxy({ lost, toPort }: { lost: number; toPort: number }) {
  const socket = createSocket('udp4')
  const upstreams = new Map<number, Socket>()
  let [seed, dropped] = [1, 0]
  /** Drops the same packets in every run. */
  const isLost = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    if (seed / 0x7fffffff >= lost) return false
    dropped++
    return true
  }
  function upstreamOf(port: number): Socket {
    const known = upstreams.get(port)
    if (known) return known
    const upstream = createSocket('udp4')
    upstreams.set(port, upstream)
    upstream.on('message', (message) => {
      if (!isLost()) socket.send(message, port, '127.0.0.1')
    })
    return upstream
  }
  socket.on('message', (message, { port }) => {
    if (!isLost()) upstreamOf(port).send(message, toPort, '127.0.0.1')
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')

  return {
    port: (socket.address() as AddressInfo).port,
    dropped: () => dropped,
    lose: (share: number) => void (lost = share),
    /** From now on all clients come from other ports: what is connected to the old ones is lost, as after a change of network. */
    changeAddresses() {
      for (const upstream of upstreams.values()) upstream.close()
      upstreams.clear()
    },
    stop() {
      socket.close()
      for (const upstream of upstreams.values()) upstream.close()
    },
  }
}
