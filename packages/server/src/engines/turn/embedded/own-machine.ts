import { networkInterfaces } from 'node:os'

import type { Relay } from './relay.ts'
import { listenUdp } from './udp.ts'

const READ_AGAIN_MS = 1_000

type Listening = { address: string; listener: Awaited<ReturnType<typeof listenUdp>> }

/**
 * For a relay on a loopback address: Firefox never connects from an address of an interface to a loopback address. The relay also
 * listens with UDP on an address of an interface, but only for programs of this machine. The kernel drops packets of other machines
 * that pretend to have one of our addresses.
 */
export function openOwnMachine(relay: Relay, port: number) {
  let current: Promise<Listening | undefined> = Promise.resolve(undefined)
  let isClosed = false

  async function renew(before: Listening | undefined): Promise<Listening | undefined> {
    const [address] = interfaceAddresses()
    if (before && before.address === address && !isClosed) return before
    await before?.listener.close()
    if (address === undefined || isClosed) return undefined
    // Another program may have the port on that address.
    const listener = await listenUdp(relay, address, 4, port, ownAddresses()).catch(() => undefined)
    return listener && { address, listener }
  }

  return {
    /** Where it listens now: interfaces come and go with the network. */
    async address(): Promise<string | undefined> {
      current = current.then(renew)
      return (await current)?.address
    },
    async close() {
      isClosed = true
      current = current.then(renew)
      await current
    },
  }
}

/** Whether a program of this machine sends. The interfaces are listed once a second, because that costs more than to relay a packet. */
function ownAddresses() {
  let addresses: string[] = []
  let readAtMs = -Infinity
  return (ip: string): boolean => {
    if (performance.now() - readAtMs > READ_AGAIN_MS) {
      addresses = interfaceAddresses()
      readAtMs = performance.now()
    }
    return addresses.includes(ip)
  }
}

const interfaceAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((interfaces) => interfaces ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
