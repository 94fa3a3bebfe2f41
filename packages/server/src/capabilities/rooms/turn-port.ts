import type { IceServersAnswer } from '@svc/contract/realtime/peer-to-peer'

export type Relays = Pick<IceServersAnswer, 'iceServers'> & { expiresAt: string }

/** What peer-to-peer rooms need of TURN. */
export type Turn = {
  /** True if both peers must use the relay of the same node, the room's node. */
  isOfOneNode: boolean
  /** Undefined: TURN is not available at the moment. */
  iceServers(request: {
    environmentId: string
    roomId: string
    playerId: string
    localAddress: string
  }): Promise<Relays | undefined>
}
