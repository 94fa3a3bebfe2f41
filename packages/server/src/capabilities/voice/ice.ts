import { LIMITS } from '@svc/contract/common/limits'
import type { ChannelVoice } from '@svc/contract/realtime/channels'
import type { IceServersAnswer } from '@svc/contract/realtime/peer-to-peer'

import { ApiError } from '../../platform/api-error.ts'
import { millisecondsOf } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { CallDeps } from './ports.ts'

type For = { environmentId: string; channel: string; playerId: string; localAddress: string }

/** User names of the embedded TURN relay contain no colon, and names of channels may. */
const ROOM_ID_LENGTH = 32

/**
 * The ICE servers and the policy of one member. In a peer-to-peer call children, and all members if the channel has `relayOnly`, connect
 * through TURN only. In a relay-server call the server is the relay: no address reaches another member.
 */
export async function iceFor(
  { mode, relayOnly }: ChannelVoice,
  { environmentId, channel, playerId, localAddress }: For,
  { turn, clock, isChild }: Pick<CallDeps, 'turn' | 'clock' | 'isChild'>,
): Promise<IceServersAnswer> {
  const isRelayed = mode === 'p2p' && (relayOnly || (await isChild(environmentId, playerId)))
  const iceTransportPolicy = isRelayed ? 'relay' : 'all'
  const roomId = sha256(channel).slice(0, ROOM_ID_LENGTH)
  const relays =
    mode === 'sfu' && turn.isOfOneNode
      ? undefined
      : await turn.iceServers({ environmentId, roomId, playerId, localAddress })
  if (relays)
    return { iceServers: relays.iceServers, iceTransportPolicy, expiresAt: Date.parse(relays.expiresAt) }
  if (isRelayed) throw new ApiError('voice_unavailable')
  return { iceServers: [], iceTransportPolicy, expiresAt: millisecondsOf(clock) + LIMITS.turnCredentialTtlMs }
}
