import type { CommandGroup } from '../command-line/command-group.ts'
import { flag, passwordStdin, yes } from '../command-line/command-options.ts'
import type { Context } from '../context.ts'
import { Failure, isFailure } from '../output/failure.ts'
import { inputText } from '../system.ts'
import { dollars } from './money.ts'

/** Adds `svc account delete`. */
export function addAccountCommands(program: CommandGroup) {
  const account = program.group('account', 'your developer account')
  account.command('delete', 'delete your account; delete its projects first', deleteAccount, {
    passwordStdin,
    forfeitBalance: flag('--forfeit-balance', 'even if the account has prepaid credit, which is lost'),
    yes,
  })
}

type Deletion = { passwordStdin?: boolean; forfeitBalance?: boolean; yes?: boolean }

/** Deletes the signed-in account. Prepaid credit is lost only if the developer says so. */
async function deleteAccount(context: Context, { passwordStdin, forfeitBalance, yes }: Deletion) {
  const { calls, session, ask, out, url, system } = context
  const { developer } = await calls.developer('readMe', {})
  const { email } = developer
  await ask.require(`Delete account ${email} at ${url}? This cannot be undone.`, { yes })
  const password = passwordStdin
    ? await inputText(system)
    : (session.current()?.password ?? (await ask.secret('Password', '--password-stdin')))
  const remove = (forfeit: boolean) =>
    calls.developer('deleteMe', { body: { password, ...(forfeit && { forfeitBalance: true }) } })

  await remove(forfeitBalance === true).catch(async (error: unknown) => {
    if (!isFailure(error, 'balance_remaining')) throw error
    const credit = dollars(Number(error.details?.['balance']))
    if (!ask.canAsk)
      throw new Failure('refused', `The account has ${credit} of prepaid credit, which would be lost.`, {
        code: error.code,
        details: error.details,
        fix: 'Use it first, or add --forfeit-balance',
      })
    await ask.require(`The account has ${credit} of prepaid credit. Delete it and lose the credit?`, {})
    return remove(true)
  })
  await session.logOut()
  out.done(`account ${email} deleted at ${url}`)
  return { deleted: true, email, url }
}
