import type { RoomTurn } from '@svc/contract/realtime/code-rooms'

import { type Change, isObject, type Path } from '../../../json-patch.ts'
import type { Changes, Turns } from './recording.ts'

/** Events by which the service runs a room; people look for the others. */
const QUIET = new Set(['tick', 'snap', 'view', 'inspect'])
const MESSAGES = new Set(['in', 'ask'])

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const listOf = (event: unknown): readonly unknown[] => (Array.isArray(event) ? event : [])
const kindOf = (event: unknown): string => textOf(listOf(event)[0])

/** The events of a turn that are about players, the server or the life of the room. */
export const notableEvents = ({ events }: RoomTurn): readonly unknown[] =>
  events.filter((event) => !QUIET.has(kindOf(event)))

/** Whether a player has sent it. */
export const isMessage = (event: unknown): boolean => MESSAGES.has(kindOf(event))

export type Names = ReadonlyMap<string, string>

/** Display names by player id, as the room has learned them. */
export function namesIn({ start, turns }: Turns): Map<string, string> {
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

/** A place in a state, with the names of players instead of their ids. */
export const pathText = (path: Path, names: Names): string =>
  path.length === 0 ? '(all)' : path.map((key) => names.get(key) ?? key).join('.')

/** The changes of a turn in one list, each with the player who sees it alone. */
export const allChanges = ({ state, own }: Changes): { playerId: string | null; change: Change }[] => [
  ...state.map((change) => ({ playerId: null, change })),
  ...Object.entries(own).flatMap(([playerId, changes]) => changes.map((change) => ({ playerId, change }))),
]

const SHOWN_LENGTH_MAX = 120

/** A value as JSON that fits into a line or two. */
export function shortJson(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text
}

/** What the page shows of a turn, in small letters: people find it by this. */
export function searchText(turn: RoomTurn, changes: Changes, names: Names): string {
  const nameOf = (id: string | null) => (id === null ? '' : `${names.get(id) ?? ''} ${id}`)
  const events = notableEvents(turn).map((event) => {
    const { playerId, text, type = '', data } = wordsOf(event)
    return `${nameOf(playerId)} ${text} ${type} ${data === undefined ? '' : JSON.stringify(data)}`
  })
  const changed = allChanges(changes).map(
    ({ playerId, change: { path, after } }) =>
      `${nameOf(playerId)} ${pathText(path, names)} ${path.join('.')} ${after === undefined ? '' : shortJson(after)}`,
  )
  const errors = (turn.errors ?? []).map((message) => `error ${message}`)
  return [...events, ...changed, ...errors].join('\n').toLowerCase()
}
