import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

import type { IcePasswords } from './stun.ts'
import { createUdpClients, type Engine, ignoreErrors } from './udp-clients.ts'

const CLIENTS_MAX = 200
const ADDRESSES_MAX = 8

/**
 * For a relay server on a loopback address: Firefox never connects from an address of an interface to a loopback address. The same UDP
 * port of the machine's other addresses forwards to the engine, but only what comes from this machine. The kernel drops packets of other
 * machines that pretend to have one of our addresses.
 */
export function openOwnMachine(engine: Engine, passwords: IcePasswords) {
  const sockets = new Map<string, Socket>()
  const clients = createUdpClients(engine, passwords, { clientsMax: CLIENTS_MAX })
  const family = isIPv6(engine.address) ? 'udp6' : 'udp4'

  return {
    close() {
      clients.close()
      for (const socket of sockets.values()) socket.close()
      sockets.clear()
    },

    /** The addresses on which it listens now: those of the interfaces, which come and go with the network. */
    async addresses(): Promise<string[]> {
      const current = interfaceAddresses(family === 'udp6' ? 'IPv6' : 'IPv4')
      for (const [address, socket] of sockets) {
        if (current.includes(address)) continue
        clients.closeWhere(({ ownAddress }) => ownAddress === address)
        socket.close()
        sockets.delete(address)
      }
      for (const address of current) {
        if (sockets.has(address)) continue
        const socket = createSocket(family)
        sockets.set(address, socket)
        try {
          socket.bind(engine.port, address)
          await once(socket, 'listening')
          socket.on('error', ignoreErrors)
          // The engine reports this address to the client, and Firefox does not accept a loopback address.
          const forwarding = { ownAddress: address }
          socket.on('message', (message, from) => {
            if (from.address === address) clients.forward(socket, message, from, forwarding)
          })
        } catch {
          // Another program has the port on that address.
          sockets.delete(address)
          socket.close()
        }
      }
      return current.filter((address) => sockets.has(address))
    },
  }
}

function interfaceAddresses(family: 'IPv4' | 'IPv6'): string[] {
  return Object.values(networkInterfaces())
    .flatMap((interfaces) => interfaces ?? [])
    .filter((one) => one.family === family && !one.internal && !one.scopeid)
    .map(({ address }) => address)
    .slice(0, ADDRESSES_MAX)
}
