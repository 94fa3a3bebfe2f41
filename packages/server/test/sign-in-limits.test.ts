import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { CompiledQuery } from 'kysely'

import { DAY_MS, MINUTE_MS } from '../src/platform/clock.ts'
import { newEmailProject, PASSWORD } from '../src/testing/email-players.ts'
import { type Call, engines, type Service, startService } from '../src/testing/service.ts'

const settings = { SVC_TRUSTED_PROXIES: '1', SVC_LIMIT_SIGN_IN_PER_MINUTE: '100000' }
const HOME = '203.0.113.7'
const CAFE = '198.51.100.9'

type Account = {
  email: string
  logIn(from: string, password?: string): ReturnType<Call>
  /** Sets a new password with the link in an email. */
  reset(from: string, password: string): Promise<void>
}

/** An attacker guesses from many addresses until the account's own limit is reached. */
async function guessFromEverywhere(account: Account) {
  for (let i = 0; i < 100; i++) {
    const { status } = await account.logIn(`192.0.2.${i % 10}`, `guess ${i}`)
    assert.equal(status, 401)
  }
}

for (const engine of engines) {
  for (const kind of ['players', 'developers'] as const) {
    describe(`failed sign-ins of ${kind} on ${engine}`, () => {
      let service: Service
      let project: Awaited<ReturnType<typeof newEmailProject>>
      before(async () => {
        service = await startService(engine, { settings })
        project = await newEmailProject(service)
      })
      after(() => service.stop())

      let count = 0
      const path = kind === 'players' ? '/v1/auth' : '/v1/developers'
      const logInPath = kind === 'players' ? '/v1/auth/email/login' : '/v1/developers/login'
      const signUpPath = kind === 'players' ? '/v1/auth/email/signup' : '/v1/developers/signup'
      const post = (url: string, body: object, from: string, node = service) =>
        node.call('POST', url, body, {
          'x-forwarded-for': from,
          ...(kind === 'players' && { 'x-svc-key': project.production.publishableKey }),
        })

      const accountOf = (email: string, node = service): Account => ({
        email,
        logIn: (from, password = PASSWORD) => post(logInPath, { email, password }, from, node),
        async reset(from, password) {
          await post(`${path}/password/forgot`, { email }, from, node)
          await node.background.drained()
          const [mail] = await node.mailsTo(email)
          const token = /token=([\w-]+)/.exec(mail?.text ?? '')?.[1]
          const { status } = await post(`${path}/password/reset`, { token, password }, from, node)
          assert.equal(status, 200)
        },
      })
      async function newAccount(from = HOME): Promise<Account> {
        const email = `${kind}${++count}@example.com`
        const { status } = await post(signUpPath, { email, password: PASSWORD }, from)
        assert.equal(status, 200)
        return accountOf(email)
      }
      const refused = async (answer: ReturnType<Call>) => {
        const { status, body, headers } = await answer
        assert.deepEqual([status, body.error?.code], [429, 'rate_limited'])
        assert.ok(Number(headers['retry-after']) > 0)
      }

      test('[GEN-13] after ten wrong passwords from one address, only that address is rejected', async () => {
        const account = await newAccount()
        for (let i = 0; i < 10; i++) assert.equal((await account.logIn(CAFE, `guess ${i}`)).status, 401)
        await refused(account.logIn(CAFE))
        assert.equal((await account.logIn(HOME)).status, 200)
        assert.equal((await account.logIn('203.0.113.8')).status, 200)
        await refused(account.logIn(CAFE))
        service.clock.advance(10 * MINUTE_MS)
        assert.equal((await account.logIn(CAFE)).status, 200)
      })

      test('[GEN-13] all addresses of an IPv6 /64 count as one', async () => {
        const account = await newAccount()
        for (let i = 0; i < 10; i++) await account.logIn(`2001:db8:1:1::${i}`, `guess ${i}`)
        await refused(account.logIn('2001:db8:1:1:ffff::1'))
        assert.equal((await account.logIn('2001:db8:1:2::1')).status, 200)
      })

      test('[GEN-13] of thirty concurrent wrong passwords, ten are checked', async () => {
        const account = await newAccount()
        const guesses = Array.from({ length: 30 }, (_, i) => account.logIn(CAFE, `guess ${i}`))
        const statuses = (await Promise.all(guesses)).map(({ status }) => status)
        assert.equal(statuses.filter((status) => status === 401).length, 10)
        assert.equal(statuses.filter((status) => status === 429).length, 20)
      })

      test('[GEN-13] after a hundred wrong passwords from any addresses, only addresses that signed in before are admitted', async () => {
        const account = await newAccount()
        assert.equal((await account.logIn(CAFE)).status, 200)
        await guessFromEverywhere(account)

        await refused(account.logIn('203.0.113.99'))
        for (const from of [HOME, CAFE]) assert.equal((await account.logIn(from)).status, 200)
        // Known addresses are admitted, but their guesses still count.
        for (let i = 0; i < 10; i++) assert.equal((await account.logIn(CAFE, `guess ${i}`)).status, 401)
        await refused(account.logIn(CAFE))
        assert.equal((await account.logIn(HOME)).status, 200)
        await refused(account.logIn('203.0.113.99'))
        service.clock.advance(10 * MINUTE_MS)
        assert.equal((await account.logIn('203.0.113.99')).status, 200)
      })

      test('[GEN-13] the limit of an account does not reveal whether the account exists', async () => {
        const nobody = accountOf(`nobody-${kind}@example.com`)
        await guessFromEverywhere(nobody)
        await refused(nobody.logIn(HOME))
      })

      test('[GEN-13] an address is known for 30 days after its last sign-in', async () => {
        const account = await newAccount()
        service.clock.advance(30 * DAY_MS)
        await guessFromEverywhere(account)
        assert.equal((await account.logIn(HOME)).status, 200)
        service.clock.advance(30 * DAY_MS)
        await guessFromEverywhere(account)
        assert.equal((await account.logIn(HOME)).status, 200)

        service.clock.advance(31 * DAY_MS)
        await guessFromEverywhere(account)
        await refused(account.logIn(HOME))
      })

      test('[GEN-13] the 20 newest addresses of an account are known', async () => {
        const account = await newAccount()
        service.clock.advance(DAY_MS)
        for (let i = 0; i < 19; i++) await account.logIn(`203.0.113.${100 + i}`)
        await guessFromEverywhere(account)
        assert.equal((await account.logIn(HOME)).status, 200)

        service.clock.advance(DAY_MS)
        for (let i = 0; i < 20; i++) await account.logIn(`198.51.100.${100 + i}`)
        await guessFromEverywhere(account)
        await refused(account.logIn(HOME))
        assert.equal((await account.logIn('198.51.100.100')).status, 200)
      })

      test('[GEN-13] [AUT-17] a password reset admits its address, and clears all other addresses and earlier failures', async () => {
        const account = await newAccount()
        await guessFromEverywhere(account)
        await account.reset(CAFE, 'battery staple')
        assert.equal((await account.logIn('203.0.113.98', 'battery staple')).status, 200)

        const another = await newAccount()
        await another.reset(CAFE, 'battery staple')
        await guessFromEverywhere(another)
        await refused(another.logIn(HOME, 'battery staple'))
        assert.equal((await another.logIn(CAFE, 'battery staple')).status, 200)
      })

      test('[GEN-13] no address is stored in plain text', async () => {
        const account = await newAccount('203.0.113.201')
        await account.logIn('203.0.113.201')
        const rows = await service.db.search(() => ({
          compile: () =>
            CompiledQuery.raw(`select * from ${kind}_sign_in_addresses`) as CompiledQuery<object>,
        }))
        assert.ok(rows.length > 0)
        assert.ok(!JSON.stringify(rows).includes('203.0.113'))
      })
    })
  }
}

test('[GEN-13] known addresses are kept across a restart', async () => {
  const first = await startService('sqlite', { settings })
  const { email } = await first.newDeveloper()
  await first.close()
  const second = await startService('sqlite', { settings, clusterOf: first })
  const logIn = (from: string, password: string) =>
    second.call('POST', '/v1/developers/login', { email, password }, { 'x-forwarded-for': from })
  for (let i = 0; i < 100; i++) await logIn(`192.0.2.${i % 10}`, `guess ${i}`)
  assert.equal((await logIn(HOME, 'correct horse')).status, 429)
  assert.equal((await logIn('127.0.0.1', 'correct horse')).status, 200)
  await second.stop()
  await first.removeData()
})
