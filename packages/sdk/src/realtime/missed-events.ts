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
  const patch = difference(state, now.state)

  /** The frames about players who were and are in the room. */
  const ofPlayers = (frameOf: (known: RoomPlayer, player: RoomPlayer) => RoomFrame | false | undefined) =>
    now.players.flatMap((player) => {
      const known = same(player, players)
      return (known && frameOf(known, player)) || []
    })

  return [
    ...players
      .filter((player) => !same(player, now.players))
      .map(({ id: playerId }): RoomFrame => ({ t: 'player_left', playerId, reason: 'unknown' })),
    ...now.players
      .filter((player) => !same(player, players))
      .map((player): RoomFrame => ({ t: 'player_joined', player })),
    ...ofPlayers(
      (known, { id: playerId, connected }) =>
        known.connected !== connected && {
          t: connected ? 'player_reconnected' : 'player_disconnected',
          playerId,
        },
    ),
    ...ofPlayers(
      (known, { id: playerId, displayName }) =>
        known.displayName !== displayName && { t: 'player_renamed', playerId, displayName },
    ),
    ...(hostId === now.hostId ? [] : [{ t: 'host_changed' as const, hostId: now.hostId }]),
    ...ofPlayers((known, player) => {
      const changed = difference(known.state, player.state)
      return changed && { t: 'player_state', playerId: player.id, patch: changed }
    }),
    ...(patch ? [{ t: 'state' as const, patch, from: UNKNOWN_PLAYER_ID }] : []),
    ...(isLocked === now.locked ? [] : [{ t: 'locked' as const, locked: now.locked }]),
  ]
}

const same = ({ id }: RoomPlayer, players: readonly RoomPlayer[]) =>
  players.find((player) => player.id === id)
