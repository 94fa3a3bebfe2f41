import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'

/**
 * `embedded` relays only between players of one room on the same node: with several nodes, all members of a room get the address of one
 * of them (its PUBLIC_IP), or TURN runs separately (TURN_URLS).
 */
export type TurnSettings =
  | { provider: 'embedded'; host: string; port: number; publicIp: string | undefined }
  | { provider: 'coturn'; urls: readonly string[]; secret: string }
  | { provider: 'cloudflare'; keyId: string; apiToken: string; apiBaseUrl: string | undefined }
  | { provider: 'twilio'; accountSid: string; authToken: string; apiBaseUrl: string | undefined }
  | { provider: 'none' }

/** The dependencies of a TURN engine. */
export type TurnOptions = {
  clock: Clock
  random: Random
  log(line: string): void
  /** The service's secret key. Nodes that share it accept each other's credentials. */
  secret: Buffer
}
