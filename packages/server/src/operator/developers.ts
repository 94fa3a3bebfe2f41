import type { Operated, Output, Task } from './task.ts'

const PAGE = 200
type Page = Pick<Awaited<ReturnType<Operated['signUp']['list']>>, 'developers' | 'nextCursor'>

const ADDRESS = /^[^\s@]+@[^\s@]+$/

export async function listDevelopers({ signUp }: Operated, { print }: Output) {
  const { invitations, ...first } = await signUp.list({ limit: PAGE })
  for (let page: Page | undefined = first; page; page = await nextPage(page))
    for (const { email, emailVerified, isOperator, createdAt } of page.developers) {
      const notes = [...(isOperator ? ['operator'] : []), ...(emailVerified ? [] : ['email not confirmed'])]
      print([email, `since ${createdAt.slice(0, 10)}`, ...notes].join('  '))
    }
  for (const { email, expiresAt } of invitations) print(`${email}  invited until ${expiresAt.slice(0, 10)}`)
  if (first.developers.length + invitations.length === 0) print('There are no developers yet.')

  async function nextPage({ nextCursor }: Page): Promise<Page | undefined> {
    return nextCursor === null ? undefined : signUp.list({ limit: PAGE, cursor: nextCursor })
  }
  return 0
}

/** For `svc new` and similar commands on the machine of the service, which use it immediately. */
export async function printSetupLink({ signUp }: Operated, { print, complain }: Output) {
  const link = await signUp.newSetupLink({ forCommand: true })
  if (link === undefined) {
    complain('This service has an operator, or SVC_SIGN_UP is closed.')
    return 1
  }
  print(link)
  return 0
}

export async function inviteDeveloper({ signUp }: Operated, address: string, { print, complain }: Output) {
  if (!ADDRESS.test(address)) {
    complain(`"${address}" is not an email address.`)
    return 1
  }
  const { email, link, isMailed } = await signUp.invite(address)
  print(link)
  print(
    isMailed
      ? `The link works once, for 7 days. It was also mailed to ${email}.`
      : `The link works once, for 7 days. Send it to ${email}: this service sends no mail.`,
  )
  return 0
}

export async function revokeInvitation({ signUp }: Operated, email: string, { print, complain }: Output) {
  if ((await signUp.revoke(email)) > 0) {
    print(`The invitation of ${email} no longer works.`)
    return 0
  }
  complain(`There is no open invitation for ${email}.`)
  return 1
}

export async function setOperator(
  { signUp }: Operated,
  { email, isOperator }: Task & { name: 'developers operator' },
  { print, complain }: Output,
) {
  if (await signUp.setOperator(email, isOperator)) {
    print(isOperator ? `${email} is an operator` : `${email} is no longer an operator`)
    return 0
  }
  complain(`There is no developer account with the address ${email}.`)
  return 1
}
