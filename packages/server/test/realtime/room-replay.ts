import type { Received } from '../../src/testing/sockets.ts'

/** A room as one of its players sees it. */
export type RoomView = {
  hostId: string
  locked: boolean
  state: Record<string, unknown>
  players: { id: string; connected: boolean }[]
}

/** Computes the room from the frames that a client received. */
export function replayRoom(received: readonly Received[]): RoomView {
  const joined = received.findLastIndex(({ t }) => t === 'room_joined')
  const view: RoomView = structuredClone(received[joined]?.['room'])
  view.players = view.players.map(({ id, connected }) => ({ id, connected }))
  const setConnected = (playerId: string, connected: boolean) => {
    for (const player of view.players) if (player.id === playerId) player.connected = connected
  }
  for (const event of received.slice(joined + 1)) {
    if (event.t === 'player_joined') view.players.push({ id: event['player'].id, connected: true })
    if (event.t === 'player_left') view.players = view.players.filter(({ id }) => id !== event['playerId'])
    if (event.t === 'player_disconnected') setConnected(event['playerId'], false)
    if (event.t === 'player_reconnected') setConnected(event['playerId'], true)
    if (event.t === 'host_changed') view.hostId = event['hostId']
    if (event.t === 'locked') view.locked = event['locked']
    if (event.t === 'state') merge(view.state, event['patch'])
  }
  return view
}

function merge(state: Record<string, unknown>, patch: Record<string, unknown>) {
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete state[key]
    else state[key] = value
  }
}
