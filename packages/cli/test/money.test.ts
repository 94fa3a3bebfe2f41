import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { type TestSetup, startTestSetup } from './cli.ts'

let setup: TestSetup
before(async () => {
  setup = await startTestSetup()
  await setup.json(['login', '--local'])
})
after(() => setup.stop())

test('[MON-04] svc money top-up prints a payment page; paid, the balance and the ledger show it', async () => {
  const checkout = await setup.json(['money', 'top-up', '12.50'])
  assert.deepEqual([checkout.status, checkout.amount], ['open', 1_250])
  const page = await fetch(checkout.url, {
    method: 'POST',
    body: new URLSearchParams({ action: 'pay' }),
    redirect: 'manual',
  })
  assert.equal(page.status, 303)
  const done = await fetch(page.headers.get('location') ?? '')
  assert.match(await done.text(), /Payment received/)

  // The account of the command line starts with $20 of test credit.
  assert.equal((await setup.json(['money'])).balance, 3_250)
  const shown = await setup.svc(['money'])
  assert.match(shown.out, /balance +\$32\.50/)
  const ledger = await setup.svc(['money', 'ledger', '--limit', '5'])
  assert.match(ledger.out, /topup +\$12\.50 +\$32\.50 +Top-up/)
})

test('[MON-07] svc money usage lists every component and what was charged', async () => {
  const { out } = await setup.svc(['money', 'usage', '--refresh'])
  assert.match(out, /functions\.requests +0 +request +\$0\.000000/)
  assert.match(out, /^ *\d{4}-\d\d: \$0\.00 charged/m)
  const future = await setup.svc(['money', 'usage', '--period', '9999-01'])
  assert.equal(future.code, 4)
})

test('invalid amounts are rejected: by the command if they are not amounts, by the service if they are out of bounds', async () => {
  for (const [amount, code] of [
    ['abc', 2],
    ['-5', 2],
    ['1.234', 2],
    ['4.99', 4],
    ['10000.01', 4],
  ] as const)
    assert.equal((await setup.svc(['money', 'top-up', amount])).code, code, amount)
})

test('[MON-01] a secret key cannot be used for money', async () => {
  const { code, err } = await setup.svc(['money'], { variables: { SVC_KEY: `sk_dev_${'a'.repeat(32)}` } })
  assert.equal(code, 3)
  assert.match(err, /signed-in developer/)
})

test('[DSH-17] svc account delete says which credit is lost, and deletes the account when told to lose it', async () => {
  const email = 'leaver@example.com'
  const input = 'correct horse\n'
  const operator = await setup.json(
    ['login', '--email', 'stays@example.com', '--password-stdin', '--sign-up'],
    { input },
  )
  assert.equal(operator.email, 'stays@example.com')
  await setup.json(['login', '--email', email, '--password-stdin', '--sign-up'], { input })
  const { url } = await setup.json(['money', 'top-up', '7'])
  await fetch(url, { method: 'POST', body: new URLSearchParams({ action: 'pay' }), redirect: 'manual' })

  assert.equal((await setup.svc(['account', 'delete', '--password-stdin'], { input })).code, 2, 'it asks')
  const remove = ['account', 'delete', '--yes', '--password-stdin']
  const refused = await setup.svc([...remove, '--json'], { input })
  assert.equal(refused.code, 4)
  assert.deepEqual(
    [refused.json.error.code, refused.json.error.details],
    ['balance_remaining', { balance: 700 }],
  )
  assert.match(refused.json.error.fix ?? refused.json.error.message, /forfeit-balance|\$7\.00/)
  assert.equal((await setup.json(['whoami'])).developer.email, email)

  assert.equal((await setup.json([...remove, '--forfeit-balance'], { input })).deleted, true)
  assert.equal((await setup.svc(['whoami'])).code, 3)
  const again = await setup.svc(['login', '--email', email, '--password-stdin'], { input })
  assert.equal(again.code, 3)
})
