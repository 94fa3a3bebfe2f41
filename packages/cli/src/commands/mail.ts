import type { CommandGroup } from '../command-line/command-group.ts'
import { limit } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { Failure } from '../output/failure.ts'
import { printableLines, timeText } from '../output/output.ts'
import { withoutUndefined } from '../without-undefined.ts'

/** Adds `svc mail`. */
export function addMailCommand(program: CommandGroup) {
  const mail = program.command('mail [id]', 'list development emails', showMail, {
    limit,
  })
  for (const id of mail.registeredArguments) id.description = 'email id, or `latest`: print the whole email'
}

/** Lists emails, newest first; with an id, or `latest`, prints one email. */
async function showMail({ calls, out, env }: Context, { limit }: { limit?: number }, id?: string) {
  if (env === 'production')
    throw new Failure('usage', 'Only development emails can be read.', { fix: 'Leave --env out.' })
  const { mails } = await calls.server(env)('readOutbox', { query: withoutUndefined({ limit }) })
  if (id === undefined) {
    out.table(
      ['ID', 'WHEN', 'TO', 'SUBJECT', ''],
      mails.map((mail) => [mail.id, timeText(mail.createdAt), mail.to, mail.subject, mail.status]),
      'No emails yet.',
    )
    return { mails }
  }
  const mail = id === 'latest' ? mails[0] : mails.find((one) => one.id === id)
  if (!mail)
    throw new Failure('failed', `There is no email ${id} among the last ${mails.length}.`, {
      fix: 'List them with: svc mail',
    })
  out.fields([
    ['to', mail.to],
    ['subject', mail.subject],
    ['when', timeText(mail.createdAt)],
    ['status', mail.lastError === null ? mail.status : `${mail.status}: ${mail.lastError}`],
  ])
  out.line()
  out.text(printableLines(mail.text))
  return { mail }
}
