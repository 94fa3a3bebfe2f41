import type { Room } from '../room.ts'
import type { Waiting } from './inbox.ts'
import type { CodePlayer } from './opening.ts'

/** The players for the first event of a room that is restored: those of its snapshot, also if they have left since. */
export function playersOf(room: Room, roster: ReadonlySet<string>): CodePlayer[] {
  const seated = [...room.seats].filter(({ playerId }) => roster.has(playerId))
  const players = seated.map(({ playerId: id, displayName, presence: { connected } }) => ({
    id,
    displayName,
    connected,
  }))
  const gone = [...roster].filter((id) => !room.hasSeat(id))
  return [...players, ...gone.map((id) => ({ id, displayName: null, connected: false }))]
}

/** What the code must be told after it was restored: who has left and joined since its snapshot, and who gets a new view. */
export function eventsSince(
  room: Room,
  roster: ReadonlySet<string>,
  isJoining: (playerId: string) => boolean,
): Waiting[] {
  const left = [...roster]
    .filter((playerId) => !room.hasSeat(playerId) && !isJoining(playerId))
    .map((playerId): Waiting => ({ kind: 'leave', text: `["leave","${playerId}","left"]`, playerId }))
  const present = [...room.seats].map(({ playerId, displayName }): Waiting =>
    roster.has(playerId)
      ? { kind: 'view', text: `["view","${playerId}"]`, playerId }
      : { kind: 'join', text: `["join",${JSON.stringify({ id: playerId, displayName })}]`, playerId },
  )
  return [...left, ...present]
}
