import type { Emitter } from './events.ts'
import { apply } from './patches.ts'
import type { RoomEvents, RoomFrame, RoomPlayer } from './room-events.ts'

/** A frame about one player of a room. */
export type PlayerFrame = Extract<RoomFrame, { t: `player_${string}` }>

/** The player with this id; a player who is not in the list has only the id. */
export const playerIn = (players: readonly RoomPlayer[], playerId: string): RoomPlayer =>
  players.find(({ id }) => id === playerId) ?? {
    id: playerId,
    displayName: null,
    state: {},
    connected: false,
  }

/** Changes the list of players as the frame says, and emits its event. */
export function applyPlayerFrame(
  frame: PlayerFrame,
  players: RoomPlayer[],
  emit: Emitter<RoomEvents>['emit'],
): unknown {
  const id = frame.t === 'player_joined' ? frame.player.id : frame.playerId
  const player = playerIn(players, id)
  const at = players.indexOf(player)
  switch (frame.t) {
    case 'player_joined':
      return at < 0 && players.push(frame.player) && emit(frame.t, frame.player)
    case 'player_left':
      return at >= 0 && players.splice(at, 1) && emit(frame.t, player, frame.reason)
    case 'player_disconnected':
    case 'player_reconnected':
      player.connected = frame.t === 'player_reconnected'
      return emit(frame.t, player)
    case 'player_renamed':
      player.displayName = frame.displayName
      return emit(frame.t, player)
    case 'player_state':
      apply(player.state, frame.patch)
      return emit(frame.t, player, player.state, frame.patch)
  }
}
