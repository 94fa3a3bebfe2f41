import { type Clock, millisecondsOf, SECOND_MS } from '../../platform/clock.ts'
import type { Mode } from './modes.ts'
import type { Wait } from './queue-protocol.ts'

/** After a queue moves to another node, expired waits are extended by a second so that other players can re-queue first. */
const FILL_WAIT_MIN_MS = SECOND_MS

/**
 * By the elapsed time of the clock, as all times here: since when the player waits, and from when on the player starts with any number of
 * players (Infinity: never).
 */
export type Waiting = Wait & { sinceMs: number; fillAtMs: number }

/** Players who are seated together: one player, or a party that waits for `size` players. */
export type Group = { waits: Waiting[]; size: number; fillAtMs: number }

/** The request may have been made at another node, so how long ago that was follows from its date. */
export function waitingOf(wait: Wait, clock: Clock): Waiting {
  const nowMs = clock.elapsedMs()
  const sinceMs = nowMs - Math.max(0, millisecondsOf(clock) - wait.enqueuedAtMs)
  const { fillTimeoutSeconds } = wait.mode
  if (fillTimeoutSeconds === 0) return { ...wait, sinceMs, fillAtMs: Infinity }
  const fillAtMs = Math.max(sinceMs + fillTimeoutSeconds * SECOND_MS, nowMs + FILL_WAIT_MIN_MS)
  return { ...wait, sinceMs, fillAtMs }
}

/** Longest waiting first. The first player of a party determines its size; players beyond it wait alone. */
export function groupsOf(waiting: readonly Waiting[], playersMax: number): Group[] {
  const groups: Group[] = []
  const parties = new Map<string, Group>()
  for (const wait of waiting) {
    const { party, fillAtMs } = wait
    const known = party && parties.get(party.id)
    if (known && known.waits.length < known.size) {
      known.waits.push(wait)
      known.fillAtMs = Math.min(known.fillAtMs, fillAtMs)
      continue
    }
    const size = party && !known ? Math.min(party.size, playersMax) : 1
    const group = { waits: [wait], size, fillAtMs }
    groups.push(group)
    if (party && !known) parties.set(party.id, group)
  }
  return groups
}

/** The groups that can start: single players, complete parties, and parties whose fill timeout has passed. */
export const readyGroups = (groups: readonly Group[], nowMs: number): Group[] =>
  groups.filter(({ waits, size, fillAtMs }) => waits.length >= size || nowMs >= fillAtMs)

/**
 * The players who start a match now; undefined if none can start. A match starts with `maxPlayers`, with `minPlayers` who have
 * waited together for `gatherSeconds`, or when the fill timeout of one of its players has passed.
 */
export function startingPlayers(ready: readonly Group[], mode: Mode, nowMs: number): Waiting[] | undefined {
  for (const groups of possibleMatches(ready, mode, nowMs)) {
    const players = groups.flatMap(({ waits }) => waits)
    const isDue = players.length >= mode.maxPlayers || groups.some(({ fillAtMs }) => nowMs >= fillAtMs)
    if (isDue || nowMs >= gatheredAtMs(groups, mode)) return players
  }
  return undefined
}

/** When a match starts if no other player joins; Infinity: never. */
export function nextStartMs(groups: readonly Group[], mode: Mode, nowMs: number): number {
  const ready = readyGroups(groups, nowMs)
  if (startingPlayers(ready, mode, nowMs)) return nowMs
  return Math.min(
    ...groups.map(({ fillAtMs }) => fillAtMs),
    ...possibleMatches(ready, mode, nowMs).map((match) => gatheredAtMs(match, mode)),
  )
}

/**
 * As many groups as fit into one room, longest waiting first. If a party does not fit with the others, the next groups may start
 * without it: there is one possible match for each group size and for each group whose fill timeout has passed, which begins with
 * it.
 */
function possibleMatches(ready: readonly Group[], { maxPlayers }: Mode, nowMs: number): Group[][] {
  const sizes = new Set<number>()
  return ready.flatMap(({ waits, fillAtMs }, first) => {
    if (sizes.has(waits.length) && nowMs < fillAtMs) return []
    sizes.add(waits.length)
    return [fittingInto(ready, first, maxPlayers)]
  })
}

function fittingInto(ready: readonly Group[], first: number, playersMax: number): Group[] {
  const fitting: Group[] = []
  let seatsLeft = playersMax
  for (let at = first; at < ready.length && seatsLeft > 0; at++) {
    const group = ready[at]
    if (!group || group.waits.length > seatsLeft) continue
    fitting.push(group)
    seatsLeft -= group.waits.length
  }
  return fitting
}

/** When `minPlayers` of them will have waited together for `gatherSeconds`; Infinity if there are too few. */
function gatheredAtMs(groups: readonly Group[], { minPlayers, gatherSeconds }: Mode): number {
  const readySinceMs = groups
    .flatMap(({ waits }) => waits.map(() => Math.max(...waits.map(({ sinceMs }) => sinceMs))))
    .sort((a, b) => a - b)
  return (readySinceMs[minPlayers - 1] ?? Infinity) + gatherSeconds * SECOND_MS
}
