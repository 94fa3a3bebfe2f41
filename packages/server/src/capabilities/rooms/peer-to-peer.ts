import type { FieldsOf } from '@svc/contract/common/frame'
import { LIMITS } from '@svc/contract/common/limits'
import type { IceServersAnswer, signal } from '@svc/contract/realtime/peer-to-peer'

import { ApiError } from '../../platform/api-error.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Turn } from '../../platform/ports/turn.ts'
import type { Modes } from './modes.ts'
import type { Caller } from './room-connection.ts'
import { requireBytes, type Rooms } from './rooms.ts'

type PeerToPeerDeps = {
  rooms: Pick<Rooms, 'inRoom'>
  modes: Modes
  turn: Turn
  clock: Clock
  /** Under 13. */
  isChild(environmentId: string, playerId: string): Promise<boolean>
}

export type PeerToPeer = ReturnType<typeof createPeerToPeer>

/** Signals and ICE servers for peer-to-peer rooms. */
export function createPeerToPeer({ rooms, modes, turn, clock, isChild }: PeerToPeerDeps) {
  /** A mode that is no longer in the config counts as `relayOnly`. */
  async function policyFor({ environmentId, id }: Caller['player'], modeKey: string) {
    const mode = await modes.find(environmentId, modeKey)
    const isRelayed = (mode?.p2p.relayOnly ?? true) || (await isChild(environmentId, id))
    return isRelayed ? 'relay' : 'all'
  }

  return {
    /** `data` is JSON text. */
    signal({ connection }: Caller, { to, kind, gen }: FieldsOf<typeof signal>, data = 'null') {
      requireBytes(data, LIMITS.signalDataBytesMax)
      const message = { to, kind, data, gen: gen ?? null }
      return rooms.inRoom(connection, { type: 'signal', ref: connection.ref, ...message })
    },

    async iceServers({ connection, player }: Caller): Promise<IceServersAnswer> {
      const { id: roomId, mode, transport } = await rooms.inRoom(connection, { type: 'describe' })
      if (transport !== 'p2p') throw new ApiError('not_p2p_room')

      const iceTransportPolicy = await policyFor(player, mode)
      const { localAddress } = connection
      const { environmentId, id: playerId } = player
      const relays = turn.isOfOneNode
        ? await rooms.inRoom(connection, { type: 'relay', playerId, localAddress })
        : await turn.iceServers({ environmentId, roomId, playerId, localAddress })
      if (relays) return { ...relays, iceTransportPolicy, expiresAt: Date.parse(relays.expiresAt) }
      if (iceTransportPolicy === 'relay') throw new ApiError('turn_unavailable')
      const expiresAt = clock.now().getTime() + LIMITS.turnCredentialTtlMs
      return { iceServers: [], iceTransportPolicy, expiresAt }
    },
  }
}
