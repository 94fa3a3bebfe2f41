import assert from 'node:assert/strict'
import { test } from 'node:test'

import { DAY_MS, HOUR_MS } from '../../platform/clock.ts'
import { startServiceWithProviders } from '../../testing/external-sign-in.ts'
import { confirmEmail, type TestDeveloper } from '../../testing/money.ts'
import { type Engine, startService } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

/** Behind a proxy, so that each request can have another client address. */
const start = (engine: Engine) => startService(engine, { settings: { SVC_TRUSTED_PROXIES: '1' } })

suite('invite codes', { start }, ({ service }) => {
  let addresses = 0
  const fromAnywhere = () => ({
    'x-forwarded-for': `203.0.113.${++addresses % 250}, 198.51.100.${addresses >> 8}`,
  })
  const from = () => ({ 'x-forwarded-for': `198.18.${(++addresses >> 8) & 255}.${addresses & 255}` })
  const newCode = async (options: { usesMax?: number; days?: number } = {}) => {
    const [code = ''] = await service.money.invites.create({
      count: 1,
      usesMax: options.usesMax ?? 1,
      days: options.days,
      label: null,
    })
    return code
  }
  const redeem = (developer: TestDeveloper, code: string, headers = from()) =>
    developer.call('POST', '/v1/developers/me/invite-code', { code }, headers)
  const signUp = (email: string, inviteCode: string, headers = from()) =>
    service.call('POST', '/v1/developers/signup', { email, password: 'correct horse', inviteCode }, headers)
  const prepaid = async (developer: Pick<TestDeveloper, 'call'>) =>
    (await developer.call('GET', '/v1/money/prepaid')).body

  test('[DEV-04] a code gives 500 cents once the email is confirmed', async () => {
    const ada = await service.newDeveloper()
    const { status, body } = await redeem(ada, await newCode())
    assert.deepEqual([status, body], [200, { credited: 500, currency: 'usd', pending: true }])
    const pending = { granted: 500, remaining: 0, pending: true }
    assert.deepEqual(await prepaid(ada), { balance: 0, owed: 0, invite: pending })

    await confirmEmail(service, ada)
    const credited = { granted: 500, remaining: 500, pending: false }
    assert.deepEqual(await prepaid(ada), { balance: 500, owed: 0, invite: credited })
    const { entries } = (await ada.call('GET', '/v1/money/prepaid/ledger')).body
    assert.deepEqual([entries.length, entries[0].type, entries[0].amount], [1, 'invite', 500])
  })

  test('[DEV-04] with a confirmed email the credit is added immediately', async () => {
    const ada = await service.newDeveloper()
    await confirmEmail(service, ada)
    assert.deepEqual((await redeem(ada, await newCode())).body, {
      credited: 500,
      currency: 'usd',
      pending: false,
    })
    assert.equal((await prepaid(ada)).balance, 500)
  })

  test('[MON-08] invite credit pays usage that is owed and ends the suspension; it does not pay corrections', async () => {
    const project = await service.newProject()
    const { developer } = project
    await confirmEmail(service, developer)
    service.money.noteUsage(project.environments[0]?.id ?? '', 'voice.relayMinutes', 20 * 100)
    await service.everyMinute()
    await service.money.adjust(developer.email, -50, 'Correction')
    assert.deepEqual(await prepaid(developer), { balance: 0, owed: 150, invite: null })

    assert.equal((await redeem(developer, await newCode())).status, 200)
    const invite = { granted: 500, remaining: 400, pending: false }
    assert.deepEqual(await prepaid(developer), { balance: 400, owed: 50, invite })
    assert.equal(await service.money.isOverdue({ projectId: project.id }), true)
    const { entries } = (await developer.call('GET', '/v1/money/prepaid/ledger')).body
    assert.deepEqual([entries[0].type, entries[0].amount, entries[1].type], ['usage', -100, 'invite'])

    await service.money.adjust(developer.email, 50, 'Correction of the correction')
    assert.deepEqual(await prepaid(developer), { balance: 400, owed: 0, invite })
    assert.equal(await service.money.isOverdue({ projectId: project.id }), false)
    assert.deepEqual((await service.money.verify()).mismatches, [])
  })

  test('[DEV-04] a code is accepted in upper and lower case, with or without hyphens', async () => {
    const ada = await service.newDeveloper()
    const code = await newCode()
    assert.match(code, /^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)
    const typed = code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')
    assert.equal((await redeem(ada, typed)).status, 200)
  })

  test('[DEV-04] an account redeems one code; the second answers 409 and keeps its use', async () => {
    const [ada, bob] = [await service.newDeveloper(), await service.newDeveloper()]
    const code = await newCode()
    assert.equal((await redeem(ada, await newCode())).status, 200)
    const second = await redeem(ada, code)
    assert.deepEqual([second.status, second.body.error.code], [409, 'already_redeemed'])
    assert.equal((await redeem(bob, code)).status, 200)
  })

  test('[DEV-02] an unknown, expired or revoked code creates no account', async () => {
    const expired = await newCode({ days: 1 })
    const revoked = await newCode()
    assert.equal(await service.money.invites.revoke(revoked.toLowerCase()), true)
    assert.equal(await service.money.invites.revoke(revoked), false)
    service.clock.advance(DAY_MS)
    for (const code of ['', 'AAAA-BBBB-CCCC-DDDD', '0'.repeat(128), expired, revoked]) {
      const { status, body } = await signUp('nobody@example.com', code)
      assert.deepEqual([status, body.error.code], [400, 'invalid_invite_code'], code)
    }
    const { status } = await service.call('POST', '/v1/developers/login', {
      email: 'nobody@example.com',
      password: 'correct horse',
    })
    assert.equal(status, 401)
  })

  test('[DEV-02] a used code answers 409 invite_code_used, a code without uses left 409 invite_limit_reached; no account is created', async () => {
    const [single, double] = [await newCode(), await newCode({ usesMax: 2 })]
    assert.equal((await signUp('one@example.com', single)).status, 200)
    const used = await signUp('two@example.com', single)
    assert.deepEqual([used.status, used.body.error.code], [409, 'invite_code_used'])
    for (const name of ['three', 'four'])
      assert.equal((await signUp(`${name}@example.com`, double)).status, 200)
    const gone = await signUp('five@example.com', double)
    assert.deepEqual([gone.status, gone.body.error.code], [409, 'invite_limit_reached'])
    for (const name of ['two', 'five'])
      assert.equal((await signUp(`${name}@example.com`, await newCode())).status, 200)
  })

  test('[DEV-02] a sign-up that fails for another reason keeps the use of the code', async () => {
    const ada = await service.newDeveloper()
    const code = await newCode()
    assert.equal((await signUp(ada.email, code)).body.error.code, 'email_taken')
    assert.equal((await signUp('six@example.com', code)).status, 200)
  })

  test('[DEV-02] 50 concurrent sign-ups with one code: its single use is given once', async () => {
    const code = await newCode()
    const shared = await newCode({ usesMax: 7 })
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, i) => signUp(`crowd${i}@example.com`, i % 2 === 0 ? code : shared)),
    )
    const good = (start: number) =>
      results.filter(({ status }, at) => at % 2 === start && status === 200).length
    assert.deepEqual([good(0), good(1)], [1, 7])
    const codes = new Set(results.filter(({ status }) => status !== 200).map(({ body }) => body.error.code))
    assert.deepEqual(codes, new Set(['invite_code_used', 'invite_limit_reached']))
    const rows = await service.db.search((q) =>
      q.selectFrom('developers').select('id').where('email', 'like', 'crowd%'),
    )
    assert.equal(rows.length, 8)
  })

  test('[DEV-04] 20 concurrent redemptions of one account and a confirmation give 500 cents once', async () => {
    const ada = await service.newDeveloper()
    const code = await newCode({ usesMax: 50 })
    const results = await Promise.all([
      ...Array.from({ length: 20 }, () => redeem(ada, code)),
      confirmEmail(service, ada),
    ])
    const statuses = results.flatMap((result) => (result ? [result.status] : []))
    assert.equal(statuses.filter((status) => status === 200).length, 1)
    assert.deepEqual(await prepaid(ada), {
      balance: 500,
      owed: 0,
      invite: { granted: 500, remaining: 500, pending: false },
    })
  })

  test('[DEV-04] 5 wrong codes per hour are allowed per account and per address, then 429', async () => {
    const ada = await service.newDeveloper()
    const wrong = 'AAAA-AAAA-AAAA-AAAA'
    for (let i = 0; i < 5; i++) assert.equal((await redeem(ada, wrong)).status, 400)
    const sixth = await redeem(ada, await newCode())
    assert.deepEqual([sixth.status, sixth.body.error.code], [429, 'rate_limited'])
    assert.ok(Number(sixth.headers['retry-after']) > 0)

    const here = from()
    for (let i = 0; i < 5; i++) assert.equal((await signUp(`w${i}@example.com`, wrong, here)).status, 400)
    assert.equal((await signUp('w6@example.com', await newCode(), here)).status, 429)
    assert.equal((await redeem(await service.newDeveloper(), await newCode(), here)).status, 429)
    assert.equal((await signUp('w7@example.com', await newCode(), fromAnywhere())).status, 200)

    service.clock.advance(HOUR_MS)
    assert.equal((await redeem(ada, await newCode())).status, 200)
    for (let i = 0; i < 8; i++)
      assert.equal((await signUp(`right${i}@example.com`, await newCode(), here)).status, 200)
  })

  test('[DEV-02] a code is stored as a hash', async () => {
    const code = await newCode()
    const rows = await service.db.search((q) => q.selectFrom('money_invites').selectAll())
    assert.ok(rows.length > 0)
    assert.doesNotMatch(JSON.stringify(rows), new RegExp(code.replaceAll('-', ''), 'i'))
  })
})

suite('invite codes at external sign-in', { start: startServiceWithProviders }, ({ service }) => {
  const exchange = async (account: string, inviteCode: string) =>
    service.exchange({ ...(await service.codeFor('google', { account })), inviteCode })

  test('[DEV-05] a new account redeems its code; an existing one ignores it', async () => {
    const create = async () =>
      (await service.money.invites.create({ count: 1, usesMax: 1, days: undefined, label: null }))[0] ?? ''
    const wrong = await exchange('ada', 'AAAA-AAAA-AAAA-AAAA')
    assert.deepEqual([wrong.status, wrong.body.error.code], [400, 'invalid_invite_code'])

    const code = await create()
    const first = await exchange('ada', code)
    assert.equal(first.status, 200)
    const { body } = await service.withToken(first.body.token)('GET', '/v1/money/prepaid')
    const isConfirmed = first.body.developer.emailVerified
    assert.deepEqual([body.balance, body.invite.pending], [isConfirmed ? 500 : 0, !isConfirmed])

    const other = await create()
    const again = await exchange('ada', other)
    assert.deepEqual(again.body.invite, { ignored: true })
    assert.equal((await exchange('bob', code)).body.error.code, 'invite_code_used')
    assert.equal((await exchange('bob', other)).status, 200)
  })
})
