import type { RoomRecording, RoomTurn } from '@svc/contract/realtime/code-rooms'

import { type Change, changesBetween, type JsonObject, mergePatch } from '../../../json-patch.ts'

/** The state of a room between two turns: what all players see, and what each sees alone. */
export type Moment = { state: unknown; own: JsonObject }

/** What the turns of a recording lead to. */
export type Turns = Pick<RoomRecording, 'start' | 'turns'>

/** One moment is kept for so many turns: a step back needs only the turns since then. */
const KEPT_EVERY = 50

/** Returns the moment after so many turns of the recording; 0 is before the first. */
export function createMoments({ start, turns }: Turns): (count: number) => Moment {
  const kept: Moment[] = [{ state: start?.state ?? {}, own: start?.own ?? {} }]
  return (count) => {
    const last = Math.min(Math.floor(count / KEPT_EVERY), kept.length - 1)
    let moment = kept[last] as Moment
    for (let at = last * KEPT_EVERY; at < count; at++) {
      moment = afterTurn(moment, turns[at] as RoomTurn)
      if ((at + 1) % KEPT_EVERY === 0) kept[(at + 1) / KEPT_EVERY] = moment
    }
    return moment
  }
}

const afterTurn = ({ state, own }: Moment, { patch, own: ofPlayers }: RoomTurn): Moment => ({
  state: patch === null ? state : mergePatch(state, patch),
  own: mergePatch(own, ofPlayers) as JsonObject,
})

/** What a turn has changed: in the shared state, and in the own states by player id. */
export type Changes = { state: Change[]; own: Record<string, Change[]> }

export const changesFrom = (before: Moment, after: Moment): Changes => ({
  state: changesBetween(before.state, after.state),
  own: Object.fromEntries(
    [...new Set([...Object.keys(before.own), ...Object.keys(after.own)])]
      .map((id) => [id, changesBetween(before.own[id], after.own[id])] as const)
      .filter(([, changes]) => changes.length > 0),
  ),
})
