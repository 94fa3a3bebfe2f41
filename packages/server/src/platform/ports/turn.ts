import type { Metric } from '../metrics/metrics.ts'

/** One entry of the `iceServers` of a WebRTC peer connection. */
export type IceServer = { urls: string[]; username?: string; credential?: string }
/** Servers with credentials that are valid until `expiresAt`. */
export type IceServers = { iceServers: IceServer[]; expiresAt: string }

/** The player and room that get credentials. */
export type IceServersRequest = {
  environmentId: string
  roomId: string
  playerId: string
  /** Local address of the player's WebSocket: at this address the player also reaches the embedded relay. */
  localAddress: string
}

/** TURN relays, through which players of peer-to-peer rooms connect without learning each other's addresses. */
export type Turn = {
  metrics?: readonly Metric[]
  /** True if both sides must use the same node: then all members of a room get the node that owns it. */
  isOfOneNode: boolean
  /** Undefined if no relay is available at the moment. */
  iceServers(request: IceServersRequest): Promise<IceServers | undefined>
  /** Rejects if the relay does not answer. Absent: it is part of this process. */
  ping?(): Promise<void>
  /** Ends all relayed connections. */
  close(): Promise<void>
}
