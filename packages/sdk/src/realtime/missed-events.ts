import type * as contract from '@svc/contract/realtime/rooms'

import { difference, type State } from './patches.ts'
import type { RoomFrame, RoomPlayer } from './room-events.ts'

type KnownRoom = { players: readonly RoomPlayer[]; state: State; hostId: string; isLocked: boolean }

/** Sender of state changes made while disconnected: unknown, and there may have been several. */
const UNKNOWN_PLAYER_ID = ''

/** Computes the frames that turn the last known room into the current one: the events missed while disconnected. */
export function framesSinceDisconnect(
  { players, state, hostId, isLocked }: KnownRoom,
  now: contract.Room,
): RoomFrame[] {
  const before = new Map(players.map((player) => [player.id, player]))
  const after = new Map(now.players.map((player) => [player.id, player]))
  const both = now.players.flatMap((player) => {
    const known = before.get(player.id)
    return known ? [{ playerId: player.id, known, player }] : []
  })
  const patch = difference(state, now.state)

  return [
    ...players
      .filter(({ id }) => !after.has(id))
      .map(({ id: playerId }): RoomFrame => ({ t: 'player_left', playerId, reason: 'unknown' })),
    ...now.players
      .filter(({ id }) => !before.has(id))
      .map((player): RoomFrame => ({ t: 'player_joined', player })),
    ...both
      .filter(({ known, player }) => known.connected !== player.connected)
      .map(({ playerId, player }): RoomFrame => ({
        t: player.connected ? 'player_reconnected' : 'player_disconnected',
        playerId,
      })),
    ...both
      .filter(({ known, player }) => known.displayName !== player.displayName)
      .map(({ playerId, player: { displayName } }): RoomFrame => ({
        t: 'player_renamed',
        playerId,
        displayName,
      })),
    ...(hostId === now.hostId ? [] : [{ t: 'host_changed' as const, hostId: now.hostId }]),
    ...both.flatMap(({ playerId, known, player }): RoomFrame[] => {
      const changed = difference(known.state, player.state)
      return changed ? [{ t: 'player_state', playerId, patch: changed }] : []
    }),
    ...(patch ? [{ t: 'state' as const, patch, from: UNKNOWN_PLAYER_ID }] : []),
    ...(isLocked === now.locked ? [] : [{ t: 'locked' as const, locked: now.locked }]),
  ]
}
