import { networkInterfaces } from 'node:os'

import type { Relay } from './relay.ts'
import { listenUdp } from './udp.ts'

const READ_AGAIN_MS = 1_000

type Place = { address: string; listener: Awaited<ReturnType<typeof listenUdp>> }

/**
 * For a relay on a loopback address: Firefox never connects from an address of an interface to a loopback address. The relay also
 * listens with UDP on an address of an interface, but only for programs of this machine. The kernel drops packets of other machines
 * that pretend to have one of our addresses.
 */
export function openOwnMachine(relay: Relay, port: number) {
  let place: Promise<Place | undefined> = Promise.resolve(undefined)
  let isClosed = false

  async function renew(before: Place | undefined): Promise<Place | undefined> {
    const [address] = interfaceAddresses()
    if (before && before.address === address && !isClosed) return before
    await before?.listener.close()
    if (address === undefined || isClosed) return undefined
    // Another program may have the port there.
    const listener = await listenUdp(relay, address, 4, port, ownAddresses()).catch(() => undefined)
    return listener && { address, listener }
  }

  return {
    /** Where it listens now: interfaces come and go with the network. */
    async address(): Promise<string | undefined> {
      place = place.then(renew)
      return (await place)?.address
    },
    async close() {
      isClosed = true
      place = place.then(renew)
      await place
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
