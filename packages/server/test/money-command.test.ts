import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { confirmEmail } from '../src/testing/money.ts'
import { type Service, startService } from '../src/testing/service.ts'
import { operate } from './operator.ts'

let service: Service
before(async () => void (service = await startService('sqlite')))
after(() => service.stop())

test('[DEV-04] svc-server invites creates, lists and revokes codes', async () => {
  assert.equal((await operate(service, 'invites', 'list')).output, 'There are no invite codes.\n')
  const created = await operate(
    service,
    'invites',
    'create',
    '--count',
    '2',
    '--uses',
    '3',
    '--days',
    '30',
    '--label',
    'Spring jam',
  )
  assert.deepEqual([created.code, created.errors], [0, ''])
  const codes = created.output.trim().split('\n')
  assert.equal(codes.length, 2)
  for (const code of codes) assert.match(code, /^[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/)

  const ada = await service.newDeveloper()
  await confirmEmail(service, ada)
  const redeemed = await ada.call('POST', '/v1/developers/me/invite-code', { code: codes[0] })
  assert.equal(redeemed.status, 200)
  const lines = (await operate(service, 'invites', 'list')).output.trim().split('\n')
  assert.equal(lines.length, 2)
  for (const line of lines)
    assert.match(line, /^[0-9a-f]{12} {2}[01] of 3 used {2}until 2026-01-31 {2}Spring jam$/)

  const unused = lines.find((line) => line.includes('0 of 3'))?.split(' ')[0] ?? ''
  assert.equal((await operate(service, 'invites', 'revoke', codes[0] ?? '')).code, 0)
  assert.equal((await operate(service, 'invites', 'revoke', unused)).code, 0)
  assert.equal((await operate(service, 'invites', 'list')).output, 'There are no invite codes.\n')
  const again = await operate(service, 'invites', 'revoke', unused)
  assert.deepEqual([again.code, again.errors], [1, `There is no invite code ${unused}.\n`])
})

test('[MON-03] svc-server money adjust writes an entry to the ledger, and money verify finds no mismatch', async () => {
  const ada = await service.newDeveloper()
  const added = await operate(service, 'money', 'adjust', ada.email, '250', '--reason', 'Outage on Monday')
  assert.deepEqual([added.code, added.output], [0, `${ada.email} has $2.50 and owes $0.00\n`])
  const taken = await operate(service, 'money', 'adjust', ada.email, '--reason', 'Mistake', '--', '-300')
  assert.deepEqual([taken.code, taken.output], [0, `${ada.email} has $0.00 and owes $0.50\n`])
  const { entries } = (await ada.call('GET', '/v1/money/prepaid/ledger')).body
  assert.deepEqual(
    entries.map(({ type, amount, description }: Record<string, unknown>) => [type, amount, description]),
    [
      ['adjustment', -250, 'Mistake'],
      ['adjustment', 250, 'Outage on Monday'],
    ],
  )
  const verified = await operate(service, 'money', 'verify')
  assert.deepEqual([verified.code, verified.errors], [0, ''])
  assert.match(verified.output, /^\d+ transactions of \d+ accounts and 0 payments, 0 mismatches\n$/)
})

test('svc-server money verify exits with 1 and lists the differences', async () => {
  await service.db.transaction((transaction) =>
    transaction.search((q) => q.updateTable('money_accounts').set({ prepaid: 9 })),
  )
  const { code, output, errors } = await operate(service, 'money', 'verify')
  assert.equal(code, 1)
  assert.match(errors, /^mismatch {2}dev_\w+: prepaid is 9, the postings sum to \d+$/m)
  assert.match(output, /[1-9]\d* mismatches\n$/)
})

test('wrong commands of money and invites exit 2 with the help, and change nothing', async () => {
  const wrong = [
    ['money'],
    ['money', 'adjust', 'a@example.com', '5'],
    ['money', 'adjust', 'a@example.com', '1.5', '--reason', 'x'],
    ['money', 'adjust', 'a@example.com', '0', '--reason', 'x'],
    ['money', 'verify', 'now'],
    ['invites', 'create', '--count', '0'],
    ['invites', 'create', '--count', '10001'],
    ['invites', 'create', '--uses', 'many'],
    ['invites', 'create', '--days', '-1'],
    ['invites', 'revoke'],
  ]
  for (const args of wrong) {
    const { code, errors } = await operate(service, ...args)
    assert.equal(code, 2, args.join(' '))
    assert.match(errors, /invites create/)
  }
  const unknown = await operate(service, 'money', 'adjust', 'nobody@example.com', '5', '--reason', 'x')
  assert.deepEqual(
    [unknown.code, unknown.errors],
    [1, 'There is no developer account with the address nobody@example.com.\n'],
  )
})
