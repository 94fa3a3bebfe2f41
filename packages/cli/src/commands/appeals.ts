import type { CommandGroup } from '../command-line/command-group.ts'
import { choiceOr, cursor, flag, limit, text } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { Failure } from '../output/failure.ts'
import { printable, timeText } from '../output/output.ts'
import { withoutUndefined } from '../without-undefined.ts'

/** Adds `svc appeals …`. */
export function addAppealCommands(program: CommandGroup) {
  const appeals = program.group('appeals', 'appeals by banned players', { defaultName: 'list' })
  appeals.command('list', 'list appeals, newest first', showAppeals, {
    status: choiceOr('open', '--status <status>', 'appeal status to list', [
      'open',
      'accepted',
      'rejected',
      'all',
    ]),
    limit,
    cursor,
  })
  appeals.command('resolve <id>', 'accept an appeal, which lifts the ban, or reject it', resolveOneAppeal, {
    accept: flag('--accept', 'lift the ban'),
    reject: flag('--reject', 'keep the ban'),
    response: text('--response <text>', 'shown to the player'),
  })
}

type List = { status: 'open' | 'accepted' | 'rejected' | 'all'; limit?: number; cursor?: string }

async function showAppeals({ calls, out }: Context, { status, limit, cursor }: List) {
  const query = withoutUndefined({ status: status === 'all' ? undefined : status, limit, cursor })
  const found = await calls.admin('listAppeals', { query })
  out.table(
    ['ID', 'STATUS', 'PLAYER', 'SINCE', 'BAN REASON', 'MESSAGE'],
    found.appeals.map(({ id, status: now, player, createdAt, sanction, message }) => [
      id,
      now,
      `${player.displayName} ${player.id}`,
      timeText(createdAt),
      sanction.note ?? '',
      message,
    ]),
    status === 'all' ? 'No appeals.' : `No ${status} appeals.`,
  )
  out.nextPage(found.nextCursor)
  return found
}

type Resolve = { accept?: boolean; reject?: boolean; response?: string }

async function resolveOneAppeal(
  { calls, out }: Context,
  { accept, reject, response }: Resolve,
  appealId: string,
) {
  if (accept === reject) throw new Failure('usage', 'Use either --accept, which lifts the ban, or --reject.')
  const { appeal } = await calls.admin('resolveAppeal', {
    params: { appealId },
    body: withoutUndefined({ accept: accept === true, response }),
  })
  const end = accept ? 'accepted, ban lifted' : 'rejected, ban kept'
  out.done(`${printable(appeal.player.displayName)}’s appeal ${end}`)
  return { appeal }
}
