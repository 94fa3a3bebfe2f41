import type { CommandGroup } from '../command-line/command-group.ts'
import { cursor, limit, number, outputFile, text } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { counted, printable, timeText } from '../output/output.ts'
import { writeOutput } from '../output/write-output.ts'
import { withoutUndefined } from '../without-undefined.ts'

/** Adds `svc players …`. */
export function addPlayerCommands(program: CommandGroup) {
  const players = program.group('players', 'an environment’s players')
  players.command('find [text]', 'search players by id, email or start of name, newest first', findPlayers, {
    limit,
    cursor,
  })
  players.command('show <id>', 'show one player', showPlayer)
  players.command(
    'ban <id>',
    'ban a player immediately: end sessions, close connections, reject sign-ins',
    ban,
    {
      reason: text('--reason <text>', 'shown to the player'),
      hours: number('--hours <number>', 'ban length in hours (default: until you lift the ban)'),
    },
  )
  players.command('unban <id>', 'lift the ban', unban)
  players.command('export <id>', 'export all data stored about a player, as JSON', exportData, {
    output: outputFile,
  })
}

type Find = { limit?: number; cursor?: string }

async function findPlayers({ calls, out, env }: Context, { limit, cursor }: Find, q?: string) {
  const query = withoutUndefined({ q, limit, cursor })
  const found = await calls.admin('searchPlayers', { query })
  out.table(
    ['ID', 'NAME', 'EMAIL', 'SINCE', 'LAST SEEN', ''],
    found.players.map((player) => [
      player.id,
      player.displayName,
      player.email ?? (player.isGuest ? '(guest)' : ''),
      timeText(player.createdAt),
      player.lastSeenAt?.slice(0, 10) ?? '',
      player.banned ? 'banned' : '',
    ]),
    q === undefined ? `No players in ${env} yet.` : `No player in ${env} matches ${printable(q)}.`,
  )
  out.nextPage(found.nextCursor)
  return found
}

async function showPlayer({ calls, out }: Context, _options: object, playerId: string) {
  const { player } = await calls.admin('readPlayerDetail', { params: { playerId } })
  out.fields([
    ['id', player.id],
    ['name', player.displayName],
    [
      'email',
      player.email === null ? '' : `${player.email} (${player.emailVerified ? 'verified' : 'not verified'})`,
    ],
    ['sign-in methods', player.identities.map(({ provider }) => provider).join(', ')],
    ['since', timeText(player.createdAt)],
    ['last seen', player.lastSeenAt?.slice(0, 10) ?? ''],
    ['age', ageText(player.age)],
    ['banned', player.banned ? 'yes' : 'no'],
    ['sanctions', player.sanctions.length === 0 ? '' : String(player.sanctions.length)],
    ['saves', player.saves.map(({ key, version, size }) => `${key} (v${version}, ${size} bytes)`).join(', ')],
    ['stats', Object.keys(player.stats).length === 0 ? '' : JSON.stringify(player.stats)],
    ['rejected values', player.signals.slice(0, REJECTED_SHOWN).map(rejectedText).join(', ')],
  ])
  return { player }
}

/** The newest; all of them are in `--json`. */
const REJECTED_SHOWN = 5
const rejectedText = ({ key, value, reason }: { key: string; value: unknown; reason: string }) =>
  `${key} ${JSON.stringify(value)} (${reason})`

const ageText = ({ ageBand }: Record<string, unknown>): string => (typeof ageBand === 'string' ? ageBand : '')

type Ban = { reason?: string; hours?: number }

async function ban(context: Context, { reason, hours }: Ban, playerId: string) {
  const { calls, out, env, resolveEnvironment } = context
  const body = withoutUndefined({ reason, durationHours: hours })
  const request = { params: { playerId }, body }
  const withKey = calls.keyInPlaceOfSession(env)
  const forTime = async (durationHours: number) =>
    calls.developer('banPlayerForTime', {
      params: { ...(await resolveEnvironment()), playerId },
      body: { ...body, durationHours },
    })
  const { player } = await (withKey?.('banPlayer', request) ??
    (hours === undefined ? calls.admin('banPlayer', request) : forTime(hours)))
  const until =
    player.banExpiresAt === null ? 'until you lift the ban' : `until ${timeText(player.banExpiresAt)}`
  out.done(
    `${playerId} is banned ${until}: ${counted(player.revokedSessions, 'session')} ended, connections closed`,
  )
  return { player }
}

async function unban({ calls, out }: Context, _options: object, playerId: string) {
  const { player } = await calls.admin('unbanPlayer', { params: { playerId }, body: {} })
  out.done(`ban on ${playerId} lifted`)
  return { player }
}

async function exportData(context: Context, { output }: { output?: string }, playerId: string) {
  const { calls, out } = context
  const data = await calls.admin('exportPlayer', { params: { playerId } })
  const text = JSON.stringify(data, null, 2)
  if (output === undefined) {
    out.text(text)
    return data
  }
  const path = await writeOutput(context, output, `${text}\n`, 0o600)
  out.done(`all data about ${playerId} exported to ${path}`)
  return { path }
}
