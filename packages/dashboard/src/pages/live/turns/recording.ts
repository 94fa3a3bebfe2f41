import type { RoomRecording, RoomTurn } from '@svc/contract/realtime/code-rooms'

import { type Change, changesOf, isObject, type JsonObject, mergePatch } from '../../../json-patch.ts'

/** The state of a room between two turns: what all players see, and what each sees alone. */
export type Moment = { state: unknown; own: JsonObject }

/** Events by which the service runs a room; people look for the others. */
const QUIET = new Set(['tick', 'snap', 'view', 'inspect'])

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const listOf = (event: unknown): readonly unknown[] => (Array.isArray(event) ? event : [])

/** The events of a turn that are about players, the server or the life of the room. */
export const notableEvents = ({ events }: RoomTurn): readonly unknown[] =>
  events.filter((event) => !QUIET.has(textOf(listOf(event)[0])))

/** Before the first turn of the recording. */
export const startOf = ({ start }: Pick<RoomRecording, 'start'>): Moment => ({
  state: start?.state ?? {},
  own: start?.own ?? {},
})

/** After this turn. */
export const afterTurn = ({ state, own }: Moment, { patch, own: ofPlayers }: RoomTurn): Moment => ({
  state: patch === null ? state : mergePatch(state, patch),
  own: Object.keys(ofPlayers).length === 0 ? own : (mergePatch(own, ofPlayers) as JsonObject),
})

/** After so many turns of the recording. */
export function momentAfter(recording: Pick<RoomRecording, 'start' | 'turns'>, count: number): Moment {
  return recording.turns.slice(0, count).reduce(afterTurn, startOf(recording))
}

/** What a turn has changed in the state before it. */
export const changesIn = (
  before: Moment,
  { patch, own }: RoomTurn,
): { state: Change[]; own: Record<string, Change[]> } => ({
  state: patch === null ? [] : changesOf(before.state, patch),
  own: Object.fromEntries(
    Object.entries(own).map(([playerId, changed]) => [playerId, changesOf(before.own[playerId], changed)]),
  ),
})

/** Display names by player id, as the room has learned them. */
export function namesIn({ start, turns }: Pick<RoomRecording, 'start' | 'turns'>): Map<string, string> {
  const names = new Map<string, string>()
  const learn = (player: unknown) => {
    if (isObject(player) && textOf(player['displayName']))
      names.set(textOf(player['id']), textOf(player['displayName']))
  }
  start?.players.forEach(learn)
  for (const { events } of turns)
    for (const event of events) {
      const [kind, ...rest] = listOf(event)
      if (kind === 'join') learn(rest[0])
      if (kind === 'restore') listOf(rest[4]).forEach(learn)
      if (kind === 'rename') learn({ id: rest[0], displayName: rest[1] })
    }
  return names
}

export type EventWords = {
  /** The player; null: the service, or the developer's server. */
  playerId: string | null
  text: string
  /** The type of a message. */
  type?: string
  /** What was sent with it. */
  data?: unknown
}

const LEAVE_WORDS: Record<string, string> = {
  left: 'left',
  timeout: 'was away too long',
  banned: 'was banned',
  replaced: 'joined another room',
  kicked: 'was removed by the code',
}

/** An event of the stream as words. */
export function wordsOf(event: unknown): EventWords {
  const [kind, ...rest] = listOf(event)
  const of = (playerId: unknown, text: string, data?: unknown, type?: unknown): EventWords => ({
    playerId: textOf(playerId) || null,
    text,
    ...(type !== undefined && { type: textOf(type) }),
    ...(data !== undefined && data !== null && { data }),
  })
  switch (kind) {
    case 'join':
      return of(isObject(rest[0]) ? rest[0]['id'] : '', 'joined')
    case 'leave':
      return of(rest[0], LEAVE_WORDS[textOf(rest[1])] ?? 'left')
    case 'drop':
      return of(rest[0], 'lost the connection')
    case 'back':
      return of(rest[0], 'came back')
    case 'rename':
      return of(rest[0], `has a new name: ${textOf(rest[1])}`)
    case 'in':
      return of(rest[0], 'sent', rest[3], rest[2])
    case 'ask':
      return of(rest[1], 'asked', rest[4], rest[3])
    case 'msg':
      return of('', 'Your server sent', rest[2], rest[1])
    case 'open':
      return of('', 'The room was opened', rest[1])
    case 'restore':
      return of('', 'The room was restored from a snapshot')
    case 'tick':
      return of('', `Tick ${Number(rest[0])}`)
    case 'wake':
      return of('', 'Woke at the time of wakeAt')
    case 'close':
      return of('', 'The room was closed')
    default:
      return of('', JSON.stringify(event))
  }
}

/** The next turn in this direction in which something notable happened; `from` itself if there is none. */
export function nextNotable({ turns }: Pick<RoomRecording, 'turns'>, from: number, step: 1 | -1): number {
  for (let at = from + step; at >= 1 && at <= turns.length; at += step) {
    const turn = turns[at - 1]
    if (turn && (notableEvents(turn).length > 0 || (turn.errors?.length ?? 0) > 0)) return at
  }
  return from
}

export type Activity = { events: number; errors: number }

/** Events and errors of all turns, in at most `countMax` groups of equal length. */
export function activityOf(
  { turns }: Pick<RoomRecording, 'turns'>,
  countMax: number,
): { groups: Activity[]; turnsPerGroup: number } {
  const turnsPerGroup = Math.max(1, Math.ceil(turns.length / countMax))
  const groups = Array.from({ length: Math.ceil(turns.length / turnsPerGroup) }, (_, group): Activity => {
    const its = turns.slice(group * turnsPerGroup, (group + 1) * turnsPerGroup)
    return {
      events: its.reduce((sum, turn) => sum + notableEvents(turn).length, 0),
      errors: its.reduce((sum, turn) => sum + (turn.errors?.length ?? 0), 0),
    }
  })
  return { groups, turnsPerGroup }
}
