import { lookup } from 'node:dns/promises'

import type { Clock } from '../../../platform/clock.ts'
import type { Relay } from './relay.ts'
import { listenTcp } from './tcp.ts'
import { listenUdp } from './udp.ts'

type Listener = { port: number; sweep(): void; close(): Promise<void> }
type ListenAddress = { host: string; port: number }

const ATTEMPTS_MAX = 5
const PORT_REFUSED = ['EADDRINUSE', 'EACCES']
const ADDRESS_REFUSED = ['EADDRNOTAVAIL', 'EAFNOSUPPORT']

/** Listens with UDP and TCP on one port, on every address of the host. If the port is taken, uses a free one and logs it. */
export async function listen(
  relay: Relay,
  address: ListenAddress,
  clock: Clock,
  log: (line: string) => void,
) {
  const listeners = await listenOn(relay, address, clock).catch(async (error: unknown) => {
    if (!hasCode(error, ...PORT_REFUSED)) throw error
    const instead = await listenOnFreePort(relay, address.host, clock)
    if (address.port > 0) log(replacedLine(address.port, error.code, instead[0]?.port))
    return instead
  })

  return {
    port: listeners[0]?.port ?? 0,
    sweep: () => listeners.forEach((listener) => listener.sweep()),
    close: () => closeAll(listeners),
  }
}

async function listenOnFreePort(relay: Relay, host: string, clock: Clock, attempt = 1): Promise<Listener[]> {
  try {
    return await listenOn(relay, { host, port: 0 }, clock)
  } catch (error) {
    // A port that is free for TCP or on one address may be taken for UDP or on another address.
    if (attempt === ATTEMPTS_MAX || !hasCode(error, ...PORT_REFUSED)) throw error
    return listenOnFreePort(relay, host, clock, attempt + 1)
  }
}

async function listenOn(relay: Relay, { host, port }: ListenAddress, clock: Clock): Promise<Listener[]> {
  const addresses = await lookup(host, { all: true })
  const listeners: Listener[] = []
  let problem: unknown
  for (const { address, family } of addresses) {
    try {
      const tcp = await listenTcp(relay, address, listeners[0]?.port ?? port, clock)
      listeners.push(tcp)
      listeners.push(await listenUdp(relay, address, family, tcp.port))
    } catch (error) {
      problem = error
      // A name may resolve to an address that this machine lacks, such as localhost without IPv6.
      if (hasCode(error, ...ADDRESS_REFUSED)) continue
      await closeAll(listeners)
      throw error
    }
  }
  if (listeners.length === 0) throw problem
  return listeners
}

const replacedLine = (port: number, code: string, instead: number | undefined) =>
  `TURN_PORT ${port} cannot be used (${code}): TURN is on port ${instead} until the next start.`

const closeAll = async (listeners: Listener[]) =>
  void (await Promise.all(listeners.map((listener) => listener.close())))

const hasCode = (error: unknown, ...codes: string[]): error is Error & { code: string } =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))
