import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'

export type IceServer = { urls: string[]; username?: string; credential?: string }
export type IceServers = { iceServers: IceServer[]; expiresAt: string }

export type IceServersRequest = {
  environmentId: string
  roomId: string
  playerId: string
  /** Of the player's WebSocket: where the player reached this machine, and so where it reaches the embedded relay. */
  localAddress: string
}

/** Where players of peer-to-peer rooms meet without learning each other's addresses. `undefined`: there is no TURN just now. */
export type Turn = {
  /** Both ends must meet at one node: then all members of a room are sent to the node that owns it. */
  isOfOneNode: boolean
  iceServers(request: IceServersRequest): Promise<IceServers | undefined>
  close(): Promise<void>
}

/**
 * `embedded` relays only between players of one room that came to the same machine: with several nodes all members of a room
 * must be given the address of one of them (its PUBLIC_IP), or TURN stands apart (TURN_URLS).
 */
export type TurnSettings =
  | { provider: 'embedded'; host: string; port: number; publicIp: string | undefined }
  | { provider: 'coturn'; urls: readonly string[]; secret: string }
  | { provider: 'cloudflare'; keyId: string; apiToken: string; apiBaseUrl: string | undefined }
  | { provider: 'twilio'; accountSid: string; authToken: string; apiBaseUrl: string | undefined }
  | { provider: 'none' }

export type TurnOptions = {
  clock: Clock
  random: Random
  log(line: string): void
  /** The service's secret key. Nodes that share it accept each other's credentials. */
  secret: Buffer
}
