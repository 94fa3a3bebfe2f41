import type { RoomRecording } from '@svc/contract/realtime/code-rooms'

import { changesFrom, createMoments, type Turns } from './recording.ts'
import { isMessage, type Names, notableEvents, searchText } from './turn-words.ts'

/** What happened in a turn, in numbers. `others` are joins, leaves, and what the server and the service did. */
export type Activity = { messages: number; others: number; errors: number }

export function activityIn(turn: RoomRecording['turns'][number]): Activity {
  const events = notableEvents(turn)
  const messages = events.filter(isMessage).length
  return { messages, others: events.length - messages, errors: turn.errors?.length ?? 0 }
}

/** Where jumps stop: the numbers of turns, counted from 1. */
export type Stops = readonly number[]

/** Errors, joins, leaves and the like. Messages are no stops: in many games there are some in every turn. */
export const markedTurns = (activities: readonly Activity[]): Stops =>
  activities.flatMap(({ others, errors }, at) => (others > 0 || errors > 0 ? [at + 1] : []))

/** Returns the turns with a text, in what came in, what changed or what was thrown. The first search reads the whole recording. */
export function createFind(recording: Turns, names: Names): (text: string) => Stops {
  let texts: string[] | undefined
  return (text) => {
    texts ??= textsOf(recording, names)
    const wanted = text.toLowerCase()
    return texts.flatMap((one, at) => (one.includes(wanted) ? [at + 1] : []))
  }
}

function textsOf(recording: Turns, names: Names): string[] {
  const momentAfter = createMoments(recording)
  return recording.turns.map((turn, at) =>
    searchText(turn, changesFrom(momentAfter(at), momentAfter(at + 1)), names),
  )
}

/** The next stop in this direction; undefined if there is none. */
export const nextStop = (stops: Stops, from: number, step: 1 | -1): number | undefined =>
  step > 0 ? stops.find((at) => at > from) : stops.findLast((at) => at < from)

/** Turns side by side in a chart; `first` is where a click on them goes: an error, if there is one. */
export type Group = Activity & { first: number; isStop: boolean }

/** All turns in at most `countMax` groups of equal length. */
export function groupsOf(
  activities: readonly Activity[],
  stops: Stops,
  countMax: number,
): { groups: Group[]; turnsPerGroup: number } {
  const turnsPerGroup = Math.max(1, Math.ceil(activities.length / countMax))
  const wanted = new Set(stops)
  const groups = Array.from({ length: Math.ceil(activities.length / turnsPerGroup) }, (_, group): Group => {
    const from = group * turnsPerGroup
    const its = activities.slice(from, from + turnsPerGroup)
    const stop = its.findIndex((_activity, at) => wanted.has(from + at + 1))
    const error = its.findIndex(({ errors }) => errors > 0)
    return { ...sumOf(its), isStop: stop >= 0, first: from + 1 + Math.max(0, error >= 0 ? error : stop) }
  })
  return { groups, turnsPerGroup }
}

export const sumOf = (activities: readonly Activity[]): Activity => ({
  messages: activities.reduce((sum, one) => sum + one.messages, 0),
  others: activities.reduce((sum, one) => sum + one.others, 0),
  errors: activities.reduce((sum, one) => sum + one.errors, 0),
})
