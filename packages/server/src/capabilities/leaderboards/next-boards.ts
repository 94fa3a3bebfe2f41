import { type Clock, MINUTE_MS, timestamp } from '../../platform/clock.ts'
import type { Awaitable } from '../../platform/memory/awaitable.ts'
import { dayAt } from '../../platform/time/periods.ts'
import type { BoardOpening } from './board-opening.ts'
import { boardRulesOf, type LeaderboardConfig, signatureOf } from './board-rules.ts'
import type { Board, BoardStore } from './boards-store.ts'
import type { EntryStore } from './entries-store.ts'

export type NextBoardDeps = {
  clock: Clock
  config: { current(environmentId: string): Awaitable<{ config: LeaderboardConfig }> }
  entries: EntryStore
  openNext: BoardOpening['openNext']
  announce(environmentId: string): Promise<unknown>
  stopping(): boolean
}

const OPENED_EARLY_MS = 10 * MINUTE_MS
/** In a minute. What is left is opened by the first report. */
const OPENED_MAX = 5_000
const BOARDS_AT_ONCE = 100

/**
 * Opens boards before their period begins, so that no report has to. Those of one midnight are spread over nine minutes by their id; the last
 * minute is for what is left. Only boards of stats with values in the current period: nobody may play the others.
 */
export function createNextBoards(store: BoardStore, deps: NextBoardDeps) {
  const { clock, config: configs, entries, openNext, announce, stopping } = deps

  async function open(board: Board): Promise<boolean> {
    const { environmentId, key, period, signature, endsAt } = board
    const endsAtMs = Date.parse(endsAt ?? '')
    const { config } = await configs.current(environmentId)
    const rule = boardRulesOf(config).get(key)
    if (!rule?.periods.includes(period) || signatureOf(rule, period, config.resetTimeZone) !== signature)
      return false
    if ((await entries.count(board, 1)) === 0) return false
    if (!(await openNext(board, rule, dayAt(config.resetTimeZone, endsAtMs)))) return false
    await announce(environmentId)
    return true
  }

  function isDue({ id, endsAt }: Board): boolean {
    const minutes = OPENED_EARLY_MS / MINUTE_MS - 1
    return (endsAt ?? '') <= timestamp(clock, (1 + (id % minutes) + 1) * MINUTE_MS)
  }

  /** Once a minute, on one node. A board that fails does not stop the others, and is tried again in the next minute. */
  return async function openNextBoards(): Promise<void> {
    const [now, until] = [timestamp(clock), timestamp(clock, OPENED_EARLY_MS)]
    const failures: unknown[] = []
    let opened = 0
    let boards: Board[] = []
    do {
      boards = await store.ending(now, until, { afterId: boards.at(-1)?.id ?? 0, limit: BOARDS_AT_ONCE })
      for (const board of boards) {
        if (stopping() || opened >= OPENED_MAX) return
        if (!isDue(board)) continue
        if (await open(board).catch((error: unknown) => failures.push(error))) opened++
      }
    } while (boards.length === BOARDS_AT_ONCE)
    if (failures.length > 0)
      throw new AggregateError(failures, `${failures.length} boards could not be opened`)
  }
}
