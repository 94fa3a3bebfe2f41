import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

import { type IcePasswords, isBindingRequest, readBindingRequest } from './stun.ts'

const IDLE_MS = 30_000
const SWEEP_MS = 5_000
const CLIENTS_MAX = 200
const ADDRESSES_MAX = 8

type Client = { address: string; upstream: Socket; usedAtMs: number }

/**
 * For a relay server on a loopback address: Firefox never connects from an address of an interface to a loopback address. The same UDP
 * port of the machine's other addresses forwards to the engine, but only what comes from this machine. The kernel drops packets of other
 * machines that pretend to have one of our addresses.
 */
export function openOwnMachine(engine: { address: string; port: number }, passwords: IcePasswords) {
  const sockets = new Map<string, Socket>()
  const clients = new Map<string, Client>()
  const family = isIPv6(engine.address) ? 'udp6' : 'udp4'
  // An address that cannot be reached must not end the process.
  const ignoreErrors = () => {}

  function closeClients(isOver: (client: Client) => boolean) {
    for (const [key, client] of clients) {
      if (!isOver(client)) continue
      client.upstream.close()
      clients.delete(key)
    }
  }
  const sweeping = setInterval(
    () => closeClients(({ usedAtMs }) => performance.now() - usedAtMs >= IDLE_MS),
    SWEEP_MS,
  ).unref()

  function forward(socket: Socket, ours: string, message: Buffer, from: { address: string; port: number }) {
    if (from.port === 0 || from.address !== ours) return
    const key = `${from.address} ${from.port}`
    let client = clients.get(key)
    if (isBindingRequest(message) ? !readBindingRequest(message, passwords) : !client) return
    if (!client) {
      if (clients.size >= CLIENTS_MAX) return
      const upstream = createSocket(family)
      upstream.on('message', (answer, { address, port }) => {
        if (address !== engine.address || port !== engine.port) return
        socket.send(answer, from.port, from.address, ignoreErrors)
      })
      upstream.on('error', ignoreErrors)
      // The engine reports this address to the client, and Firefox does not accept a loopback address.
      upstream.bind(0, ours)
      client = { address: ours, upstream, usedAtMs: 0 }
      clients.set(key, client)
    }
    client.usedAtMs = performance.now()
    client.upstream.send(message, engine.port, engine.address, ignoreErrors)
  }

  return {
    close() {
      clearInterval(sweeping)
      closeClients(() => true)
      for (const socket of sockets.values()) socket.close()
      sockets.clear()
    },

    /** The addresses on which it listens now: those of the interfaces, which come and go with the network. */
    async addresses(): Promise<string[]> {
      const current = interfaceAddresses(family === 'udp6' ? 'IPv6' : 'IPv4')
      for (const [address, socket] of sockets) {
        if (current.includes(address)) continue
        closeClients((client) => client.address === address)
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
          socket.on('message', (message, from) => forward(socket, address, message, from))
        } catch {
          // Another program has the port there.
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
