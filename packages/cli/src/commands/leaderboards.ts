import type { AdminEntry } from '@svc/contract/leaderboards'

import type { CommandGroup } from '../command-line/command-group.ts'
import { choice, cursor, limit, outputFile, text, yes } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { counted, timeText } from '../output/output.ts'
import { writeOutput } from '../output/write-output.ts'
import { withoutUndefined } from '../without-undefined.ts'

/** Adds `svc leaderboards …`. */
export function addLeaderboardCommands(program: CommandGroup) {
  const leaderboards = program.group('leaderboards', 'leaderboards and their entries', {
    defaultName: 'list',
  })
  const which = {
    period: choice('--period <period>', 'period (default: the first one in the config)', PERIODS),
    at: text('--at <label>', 'a past period, like 2026-11-15, 2026-W46 or 2026-11'),
  }
  leaderboards.command('list', 'list the leaderboards in the config', listLeaderboards)
  leaderboards.command('show <key>', 'show the entries, including hidden ones', showLeaderboard, {
    ...which,
    limit,
    cursor,
  })
  leaderboards.command('periods <key>', 'list past days, weeks and months', listPeriods)
  leaderboards.command('export <key>', 'export all entries as CSV', exportLeaderboard, {
    ...which,
    output: outputFile,
  })
  leaderboards.command('hide <key> <player-id>', 'hide a player until you unhide them', hideEntry)
  leaderboards.command(
    'unhide <key> <player-id>',
    'show a hidden player again, with their next score',
    showEntry,
  )
  leaderboards.command(
    'remove <key> <player-id>',
    'delete a player’s values, including past periods',
    removeEntry,
    { yes },
  )
  leaderboards.command('reset <key>', 'reset a leaderboard: delete all players’ values', resetLeaderboard, {
    yes,
  })
}

const PERIODS = ['allTime', 'daily', 'weekly', 'monthly'] as const

type Which = { period?: (typeof PERIODS)[number]; at?: string }

async function listLeaderboards({ calls, out, env }: Context) {
  const { leaderboards } = await calls.admin('listLeaderboards', {})
  out.table(
    ['KEY', 'ORDER', 'PERIOD', 'NOW', 'ENTRIES', ''],
    leaderboards.flatMap(({ key, order, verifiedOnly, periods }) =>
      periods.map(({ period, label, count }) => [
        key,
        order,
        period,
        label ?? '',
        String(count),
        verifiedOnly ? 'verified only' : '',
      ]),
    ),
    `No stat in ${env} has a leaderboard. Add one to the config: "stats": [{ "key": "points", "leaderboard": {} }]`,
  )
  return { leaderboards }
}

async function showLeaderboard(
  { calls, out }: Context,
  { period, at, limit, cursor }: Which & { limit?: number; cursor?: string },
  key: string,
) {
  const query = withoutUndefined({ period, at, limit, cursor })
  const page = await calls.admin('readLeaderboardAsAdmin', { params: { key }, query })
  out.table(
    ['RANK', 'PLAYER', 'NAME', 'VALUE', 'SINCE', ''],
    [...page.entries, ...page.notShown].map((entry) => [
      entry.rank === null ? '' : String(entry.rank),
      entry.playerId,
      entry.displayName ?? '(deleted)',
      String(entry.value),
      timeText(entry.reachedAt),
      marksOf(entry),
    ]),
    `Nobody is on this leaderboard yet (${page.label ?? page.period}).`,
  )
  out.nextPage(page.nextCursor)
  return page
}

async function listPeriods({ calls, out }: Context, _options: object, key: string) {
  const { periods } = await calls.admin('listLeaderboardPeriodsAsAdmin', { params: { key } })
  out.table(
    ['PERIOD', 'LABEL', 'BEGAN', 'ENDED', 'ENTRIES'],
    periods.map(({ period, label, startsAt, endsAt, count }) => [
      period,
      label,
      timeText(startsAt),
      timeText(endsAt),
      String(count),
    ]),
    'This leaderboard has no past periods yet.',
  )
  return { periods }
}

/** All pages as one CSV file (RFC 4180). */
async function exportLeaderboard(
  context: Context,
  { output, period, at }: Which & { output?: string },
  key: string,
) {
  const { calls, out } = context
  const entries: AdminEntry[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const query = withoutUndefined({ period, at, limit: 1_000, cursor })
    const page: { entries: AdminEntry[]; nextCursor: string | null } = await calls.admin(
      'readLeaderboardAsAdmin',
      { params: { key }, query },
    )
    entries.push(...page.entries)
    cursor = page.nextCursor
  }
  const text = csvOf([
    ['rank', 'playerId', 'displayName', 'value', 'reachedAt'],
    ...entries.map((entry) => [
      String(entry.rank),
      entry.playerId,
      entry.displayName ?? '',
      String(entry.value),
      entry.reachedAt,
    ]),
  ])
  if (output === undefined) {
    out.text(text)
    return { entries }
  }
  const path = await writeOutput(context, output, text)
  out.done(`${counted(entries.length, 'entry', 'entries')} written to ${path}`)
  return { path, count: entries.length }
}

const hideEntry = (context: Context, _options: object, key: string, playerId: string) =>
  setHidden(context, key, playerId, true)

const showEntry = (context: Context, _options: object, key: string, playerId: string) =>
  setHidden(context, key, playerId, false)

async function setHidden({ calls, out }: Context, key: string, playerId: string, hidden: boolean) {
  const entry = await calls.admin('hideLeaderboardEntry', { params: { key, playerId }, body: { hidden } })
  if (hidden) out.done(`${playerId} hidden on ${key}`)
  else out.done(`${playerId} will reappear on ${key} with their next score`)
  return entry
}

async function removeEntry(
  { calls, out, ask }: Context,
  { yes }: { yes?: boolean },
  key: string,
  playerId: string,
) {
  await ask.require(`Delete ${playerId}’s values in ${key}? This cannot be undone.`, { yes })
  const removed = await calls.admin('removeLeaderboardEntry', { params: { key, playerId } })
  out.done(`${playerId}’s values in ${key} deleted`)
  return removed
}

async function resetLeaderboard({ calls, out, env, ask }: Context, { yes }: { yes?: boolean }, key: string) {
  await ask.require(`Delete all players’ values in ${key} (${env})? This cannot be undone.`, { yes })
  await calls.admin('resetLeaderboard', { params: { key } })
  out.done(`leaderboard ${key} reset in ${env}; all players’ values deleted`)
  return { key }
}

const marksOf = ({ hidden, banned, optedOut }: AdminEntry) =>
  [hidden && 'hidden', banned && 'banned', optedOut && 'opted out']
    .filter((mark) => mark !== false)
    .join(', ')

/** A name that begins like a formula is quoted with an apostrophe, because spreadsheets would run it. */
const csvOf = (rows: string[][]) => rows.map((row) => `${row.map(csvField).join()}\r\n`).join('')
const csvField = (text: string) => {
  const safe = /^[=+@\t\r]|^-(?!\d)/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
