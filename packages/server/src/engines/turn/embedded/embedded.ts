import { isIPv6 } from 'node:net'

import { SECOND_MS } from '../../../platform/clock.ts'
import { single } from '../../../platform/metrics/metrics.ts'
import type { Turn } from '../../../platform/ports/turn.ts'
import type { TurnOptions } from '../turn.ts'
import { unmapped } from './addresses.ts'
import { type Limits, LIMITS } from './allocations.ts'
import { createAuthentication } from './authentication.ts'
import { listen } from './listen.ts'
import { openOwnMachine } from './own-machine.ts'
import { createRelay } from './relay.ts'

type EmbeddedSettings = { host: string; port: number; publicIp: string | undefined }

export type Tuning = { limits: Limits; sweepMs: number }

const USUAL: Tuning = { limits: LIMITS, sweepMs: 5 * SECOND_MS }

/** TURN inside this process: peer-to-peer rooms need no other server. */
export async function openEmbedded(
  { host, port, publicIp }: EmbeddedSettings,
  { clock, random, log, secret }: TurnOptions,
  { limits, sweepMs }: Tuning = USUAL,
): Promise<Turn & { port: number; allocations(): number }> {
  const authentication = createAuthentication(secret, clock)
  const relay = createRelay({ authentication, clock, random, limits })
  const listening = await listen(relay, { host, port }, clock, log)
  const ownMachine = isLoopback(host) ? openOwnMachine(relay, listening.port) : undefined
  const sweeping = setInterval(() => {
    relay.sweep()
    listening.sweep()
  }, sweepMs).unref()

  return {
    isOfOneNode: true,
    port: listening.port,
    allocations: relay.allocations,
    metrics: [
      single('svc_turn_allocations', relay.allocations),
      single('svc_turn_bytes_total', relay.forwardedBytes),
    ],

    async iceServers({ environmentId, roomId, playerId, localAddress }) {
      const ip = publicIp ?? unmapped(localAddress)
      const at = `turn:${isIPv6(ip) ? `[${ip}]` : ip}:${listening.port}`
      const own = await ownMachine?.address()
      const { username, credential, expiresAt } = authentication.credentials(environmentId, roomId, playerId)
      const urls = [`${at}?transport=udp`, `${at}?transport=tcp`]
      if (own !== undefined) urls.push(`turn:${own}:${listening.port}?transport=udp`)
      return { iceServers: [{ urls, username, credential }], expiresAt }
    },

    async close() {
      clearInterval(sweeping)
      await ownMachine?.close()
      await listening.close()
    },
  }
}

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.')
