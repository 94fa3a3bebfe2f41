import type { CommandGroup } from '../command-line/command-group.ts'
import { limit, text } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { withoutUndefined } from '../without-undefined.ts'

/** Adds `svc share …`. */
export function addShareCommands(program: CommandGroup) {
  const share = program.group('share', 'share links and their visits')
  const links = share.group('links', 'an environment’s share links', { defaultName: 'list' })
  const range = {
    from: text('--from <date>', 'first day, like 2026-11-01 (default: 30 days up to --to)'),
    to: text('--to <date>', 'last day (default: today)'),
  }
  links.command('list', 'list share links, most visited first', showLinks, { ...range, limit })
  links.command('create <label>', 'create a link for one post or page, to count its visits', createLink)
  share.command('stats', 'show visits, new players and plays per day, in UTC', showShareStats, {
    ...range,
    link: text('--link <id>', 'only this share link'),
  })
}

type Range = { from?: string; to?: string }

async function showLinks({ calls, out }: Context, options: Range & { limit?: number }) {
  const query = withoutUndefined({ from: options.from, to: options.to, limit: options.limit })
  const { from, to, links } = await calls.admin('readShareStats', { query })
  out.table(
    ['ID', 'KIND', 'LABEL', 'VISITS', 'NEW PLAYERS', 'PLAYS'],
    links.map(({ shareId, kind, label, ...sums }) => [
      shareId,
      kind ?? '(deleted)',
      label ?? '',
      String(sums.visits),
      String(sums.newPlayers),
      String(sums.plays),
    ]),
    `No share links were visited from ${from} to ${to}. Create one: svc share links create <label>`,
  )
  return { from, to, links }
}

async function createLink({ calls, out, env }: Context, _options: object, label: string) {
  const created = await calls.admin('createTrackedLink', { body: { label } })
  out.done(`share link ${created.link.id} for ${env}:`)
  out.line(created.url ?? `add ?${created.query} to your page’s URL`)
  return created
}

async function showShareStats({ calls, out }: Context, options: Range & { link?: string }) {
  const query = withoutUndefined({ from: options.from, to: options.to, shareId: options.link })
  const stats = await calls.admin('readShareStats', { query })
  const { from, to, totals } = stats
  const days = stats.days.filter(({ visits, newPlayers, plays }) => visits + newPlayers + plays > 0)
  out.table(
    ['DAY', 'VISITS', 'NEW PLAYERS', 'PLAYS'],
    [...days, ...(days.length > 1 ? [{ date: 'total', ...totals }] : [])].map(
      ({ date, visits, newPlayers, plays }) => [date, String(visits), String(newPlayers), String(plays)],
    ),
    `Nobody came through a share link from ${from} to ${to}.`,
  )
  return stats
}
