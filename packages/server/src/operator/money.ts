import type { Operated, Output, Task } from './task.ts'

export async function verifyMoney({ money }: Operated, { print, complain }: Output) {
  const { accounts, transactions, payments, mismatches } = await money.verify()
  for (const mismatch of mismatches) complain(`mismatch  ${mismatch}`)
  print(
    `${transactions} transactions of ${accounts} accounts and ${payments} payments, ${mismatches.length} mismatches`,
  )
  return mismatches.length > 0 ? 1 : 0
}

export async function adjustMoney(
  { money }: Operated,
  { email, cents, reason }: Task & { name: 'money adjust' },
  { print, complain }: Output,
) {
  const prepaid = await money.adjust(email, cents, reason)
  if (!prepaid) {
    complain(`There is no developer account with the address ${email}.`)
    return 1
  }
  print(`${email} has ${dollars(prepaid.balance)} and owes ${dollars(prepaid.owed)}`)
  return 0
}

export async function createInvites(
  { money }: Operated,
  { count, usesMax, days, label }: Task & { name: 'invites create' },
  { print }: Output,
) {
  for (const code of await money.invites.create({ count, usesMax, days, label: label ?? null })) print(code)
  return 0
}

export async function listInvites({ money }: Operated, { print }: Output) {
  const invites = await money.invites.list()
  for (const { id, label, uses, usesMax, expiresAt } of invites) {
    const until = expiresAt === null ? 'no end' : `until ${expiresAt.slice(0, 10)}`
    print([id, `${uses} of ${usesMax} used`, until, ...(label === null ? [] : [label])].join('  '))
  }
  if (invites.length === 0) print('There are no invite codes.')
  return 0
}

export async function revokeInvite({ money }: Operated, code: string, { print, complain }: Output) {
  if (await money.invites.revoke(code)) {
    print('The invite code no longer works. Credit that it has added stays.')
    return 0
  }
  complain(`There is no invite code ${code}.`)
  return 1
}

const dollars = (cents: number) => `$${(cents / 100).toFixed(2)}`
