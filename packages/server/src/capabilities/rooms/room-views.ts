import { RawJson, rawList, rawObject } from '../../platform/http/raw-json.ts'
import type { ListedRoom, RoomInfo } from './room-protocol.ts'
import type { State } from './room-state.ts'
import type { CodeView } from './room-watcher.ts'
import { playerText, type Seats } from './seats.ts'

/** What the views of a room are made of. */
export type RoomFacts = { info: RoomInfo; isLocked: boolean; hostId: string; state: State; seats: Seats }

/** For the members of the room, as JSON text. */
export const viewText = ({ info, isLocked, hostId, state, seats }: RoomFacts, code?: CodeView): string =>
  rawObject({
    ...info,
    metadata: new RawJson(info.metadata),
    locked: isLocked,
    hostId,
    server: code?.server,
    own: code?.own,
    state: code?.state ?? new RawJson(state.text),
    players: rawList([...seats].map(playerText)),
  }).text

/** For the list of open rooms. */
export function summaryOf({ info, seats }: RoomFacts): ListedRoom {
  const { id, code, mode, maxPlayers, metadata, createdAt } = info
  const shown = { id, code, mode, maxPlayers, metadata: new RawJson(metadata), createdAt }
  return { id, text: rawObject({ ...shown, players: seats.size }).text }
}

type Live = {
  node: string
  messagesPerSecond: number
  code: { server: object; stateBytes: number } | undefined
}

/** For developers: no message, no state. */
export function liveViewOf(facts: RoomFacts, { node, messagesPerSecond, code }: Live): ListedRoom {
  const { hostOnlyState: _, match: __, metadata, ...info } = facts.info
  const shown = {
    ...info,
    metadata: new RawJson(metadata),
    locked: facts.isLocked,
    hostId: facts.hostId === '' ? null : facts.hostId,
    stateBytes: code?.stateBytes ?? facts.state.bytes,
    node,
    messagesPerSecond,
    server: code?.server,
    players: [...facts.seats].map(({ playerId, displayName, presence: { connected } }) => ({
      id: playerId,
      displayName,
      connected,
    })),
  }
  return { id: info.id, text: rawObject(shown).text }
}
