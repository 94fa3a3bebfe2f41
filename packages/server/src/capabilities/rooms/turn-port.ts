import type { IceServersAnswer } from '@svc/contract/peer-to-peer'

export type Relays = Pick<IceServersAnswer, 'iceServers'> & { expiresAt: string }

/** What peer-to-peer rooms need of TURN. */
export type Turn = {
  /** Both ends must meet at one node: then it is the room's. */
  isOfOneNode: boolean
  /** Undefined: there is no TURN just now. */
  iceServers(request: {
    environmentId: string
    roomId: string
    playerId: string
    localAddress: string
  }): Promise<Relays | undefined>
}
