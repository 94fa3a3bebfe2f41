import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'

import { DAY_MS, MINUTE_MS } from '../../platform/clock.ts'
import { startServiceWithProviders } from '../../testing/external-sign-in.ts'
import { engines, type Service, startService } from '../../testing/service.ts'

const PASSWORD = 'correct horse'

const signUpAt = (service: Pick<Service, 'call'>) => async (email: string, invitation?: string) => {
  const { status, body } = await service.call('POST', '/v1/developers/signup', {
    email,
    password: PASSWORD,
    ...(invitation !== undefined && { invitation }),
  })
  return { status, code: body.error?.code as string | undefined, token: body.token as string }
}
const tokenIn = (link: string | undefined) => /#(?:setup|invitation)=([\w-]+)/.exec(link ?? '')?.[1] ?? ''
const operatorOf = async (service: Service) => {
  const { body } = await service.call('POST', '/v1/developers/login', {
    email: 'boss@example.com',
    password: PASSWORD,
  })
  return service.withToken(body.token)
}
const operatorsOf = async (service: Service) =>
  (
    await service.db.search((q) =>
      q.selectFrom('developers').select(['email', 'isOperator']).orderBy('email'),
    )
  ).map(({ email, isOperator }) => `${email} ${isOperator}`)

for (const engine of engines) {
  describe(`sign-up of developers on ${engine}`, () => {
    describe('SVC_SIGN_UP=open', () => {
      let service: Service
      before(async () => void (service = await startService(engine, { settings: { SVC_SIGN_UP: 'open' } })))
      after(() => service.stop())

      test('[DEV-22] [DEV-23] of several set-up links, used at the same time, exactly one creates the operator', async () => {
        const signUp = signUpAt(service)
        const info = async () => (await service.call('GET', '/v1/platform/info')).body
        const { signUp: mode, local } = await info()
        assert.equal(mode, 'open')
        assert.deepEqual(local, { account: null, operatorSocket: join(service.dataDir, 'operator.sock') })
        const printed = tokenIn(await service.signUp.newSetupLink())
        const forCommands = await Promise.all(
          Array.from({ length: 3 }, () => service.signUp.newSetupLink({ forCommand: true })),
        )
        const expired = tokenIn(await service.signUp.newSetupLink({ forCommand: true }))

        const links = [printed, ...forCommands.map(tokenIn)].flatMap((token) => [token, token])
        const answers = await Promise.all(links.map((token, n) => signUp(`${n}@example.com`, token)))
        assert.equal(answers.filter(({ status }) => status === 200).length, 1)
        assert.equal((await operatorsOf(service)).filter((row) => row.endsWith(' 1')).length, 1)
        assert.equal((await signUp('late@example.com', expired)).code, 'invalid_or_expired_token')
        assert.equal(await service.signUp.newSetupLink({ forCommand: true }), undefined)
        assert.equal((await signUp('developer@localhost')).status, 200)
        assert.deepEqual((await info()).local, { account: 'developer@localhost', operatorSocket: null })
      })

      test('an invalid token is rejected, even if none is required', async () => {
        const { status, code } = await signUpAt(service)('token@example.com', 'made-up')
        assert.deepEqual([status, code], [400, 'invalid_or_expired_token'])
      })
    })

    for (const SVC_BASE_URL of ['http://localhost:8787', 'https://api.example.com'])
      describe(`SVC_SIGN_UP=open on ${SVC_BASE_URL}`, () => {
        let service: Service
        before(async () => {
          service = await startService(engine, { settings: { SVC_SIGN_UP: 'open', SVC_BASE_URL } })
        })
        after(() => service.stop())

        test('[DEV-01] [DEV-22] nobody becomes the operator but with the set-up link, also after others have signed up', async () => {
          const signUp = signUpAt(service)
          assert.equal((await signUp('guess@example.com', 'made-up')).status, 400)
          const link = await service.signUp.newSetupLink()
          assert.equal(await service.signUp.lacksOperator(), false, 'there is nobody yet')
          for (const email of ['first@example.com', 'second@example.com'])
            assert.equal((await signUp(email)).status, 200)
          assert.deepEqual(await operatorsOf(service), ['first@example.com 0', 'second@example.com 0'])
          assert.equal(await service.signUp.lacksOperator(), true)
          const forCommand = tokenIn(await service.signUp.newSetupLink({ forCommand: true }))
          service.clock.advance(MINUTE_MS)
          assert.equal((await signUp('late@example.com', forCommand)).code, 'invalid_or_expired_token')

          assert.equal((await signUp('boss@example.com', tokenIn(link))).status, 200)
          assert.ok((await operatorsOf(service)).includes('boss@example.com 1'))
          assert.equal(await service.signUp.lacksOperator(), false)
        })

        test('[MON-01] with the test checkout, the account of the set-up link starts with 2,000 cents of test credit', async () => {
          const operator = await operatorOf(service)
          const { balance, owed, invite } = (await operator('GET', '/v1/money/prepaid')).body
          assert.deepEqual([balance, owed, invite], [2_000, 0, null])
          const { entries } = (await operator('GET', '/v1/money/prepaid/ledger')).body
          assert.equal(entries.length, 1)
          assert.deepEqual([entries[0].type, entries[0].amount], ['adjustment', 2_000])
          assert.match(entries[0].description, /^Test credit/)
          assert.deepEqual((await service.money.verify()).mismatches, [])

          const other = await signUpAt(service)('third@example.com')
          assert.equal((await service.withToken(other.token)('GET', '/v1/money/prepaid')).body.balance, 0)
        })
      })

    test('[MON-01] without billing, or with real payments, nobody starts with credit', async (t) => {
      const stripe = { STRIPE_SECRET_KEY: 'sk_test_x', STRIPE_WEBHOOK_SECRET: 'whsec_x' }
      for (const settings of [{ SVC_BILLING: 'off' }, stripe]) {
        const service = await startService(engine, { settings: { SVC_SIGN_UP: 'first', ...settings } })
        t.after(() => service.stop())
        await signUpAt(service)('boss@example.com', tokenIn(await service.signUp.newSetupLink()))
        const operator = await operatorOf(service)
        assert.equal((await operator('GET', '/v1/money/prepaid')).body.balance, 0)
      }
    })

    describe('SVC_SIGN_UP=first', () => {
      let service: Service
      before(async () => void (service = await startService(engine, { settings: { SVC_SIGN_UP: 'first' } })))
      after(() => service.stop())

      test('[DEV-01] the set-up link creates one account, the operator; without it sign-up is closed', async () => {
        const signUp = signUpAt(service)
        const info = async () => (await service.call('GET', '/v1/platform/info')).body
        const { signUp: mode, setup, mail, now } = await info()
        assert.deepEqual([mode, setup, mail], ['first', true, 'kept'])
        assert.equal(now, service.clock.now().toISOString())
        assert.deepEqual(await signUp('stranger@example.com'), {
          status: 403,
          code: 'sign_up_closed',
          token: undefined,
        })
        const replaced = await service.signUp.newSetupLink()
        const link = await service.signUp.newSetupLink()
        assert.match(link ?? '', /^http:\/\/localhost:8787\/dashboard#setup=[\w-]{43}$/)
        assert.equal((await signUp('old@example.com', tokenIn(replaced))).code, 'invalid_or_expired_token')

        const emails = Array.from({ length: 8 }, (_, n) => `${n}@example.com`)
        const answers = await Promise.all(emails.map((email) => signUp(email, tokenIn(link))))
        assert.deepEqual(
          answers.map(({ status }) => status).toSorted((a, b) => a - b),
          [200, ...Array.from({ length: 7 }, () => 400)],
        )
        const winner = answers.find(({ status }) => status === 200)
        const { body } = await service.withToken(winner?.token ?? '')('GET', '/v1/developers/me')
        assert.equal(body.developer.isOperator, true)
        assert.equal((await info()).setup, false)
        assert.equal((await operatorsOf(service)).filter((row) => row.endsWith(' 1')).length, 1)
        assert.equal(await service.signUp.newSetupLink(), undefined, 'there is a developer now')
      })

      test('[DEV-01] [DSH-81] an invitation is valid for seven days and creates one account, which is not an operator', async () => {
        const signUp = signUpAt(service)
        const { link } = await service.signUp.invite('Ada@Example.com ')
        assert.match(
          link,
          /^http:\/\/localhost:8787\/dashboard#invitation=[\w-]{43}&email=ada%40example\.com$/,
        )
        const taken = await signUp('ada@example.com', tokenIn(link))
        assert.equal(taken.status, 200)
        assert.equal((await signUp('again@example.com', tokenIn(link))).code, 'invalid_or_expired_token')
        assert.ok((await operatorsOf(service)).includes('ada@example.com 0'))

        // For the invited address only; after an attempt with another one it can still be used.
        const { link: second } = await service.signUp.invite('bob@example.com')
        const lookUp = (invitation: string) =>
          service.call('POST', '/v1/x/developers/sign-up-links/look-up', { invitation })
        const { kind, email, expiresAt } = (await lookUp(tokenIn(second))).body
        assert.deepEqual([kind, email], ['invite', 'bob@example.com'])
        assert.equal(expiresAt, new Date(service.clock.now().getTime() + 7 * DAY_MS).toISOString())
        assert.equal((await lookUp(tokenIn(link))).body.error.code, 'invalid_or_expired_token')
        await service.withToken(taken.token)('DELETE', '/v1/developers/me', { password: PASSWORD })
        assert.equal((await signUp('ada@example.com', tokenIn(second))).code, 'invalid_or_expired_token')
        assert.equal((await signUp(' BOB@example.com ', tokenIn(second))).status, 200)

        const { link: late } = await service.signUp.invite('late@example.com')
        const { link: inTime } = await service.signUp.invite('in-time@example.com')
        service.clock.advance(7 * DAY_MS - 1)
        assert.equal((await signUp('in-time@example.com', tokenIn(inTime))).status, 200)
        service.clock.advance(1)
        assert.equal((await signUp('late@example.com', tokenIn(late))).code, 'invalid_or_expired_token')
      })

      test('an invitation can be revoked, a new one replaces it, and all are listed', async () => {
        const signUp = signUpAt(service)
        const { link: replaced } = await service.signUp.invite('cleo@example.com')
        const { link } = await service.signUp.invite('cleo@example.com')
        assert.equal((await signUp('cleo@example.com', tokenIn(replaced))).status, 400)
        const { developers, invitations } = await service.signUp.list()
        assert.deepEqual(
          invitations.map(({ email }) => email),
          ['cleo@example.com'],
        )
        assert.equal(developers.filter(({ isOperator }) => isOperator).length, 1)

        assert.equal(await service.signUp.revoke('CLEO@example.com'), 1)
        assert.equal((await signUp('cleo@example.com', tokenIn(link))).status, 400)
        assert.equal(await service.signUp.revoke('cleo@example.com'), 0)
      })
    })

    describe('operators', () => {
      let service: Service
      before(async () => void (service = await startService(engine, { settings: { SVC_SIGN_UP: 'first' } })))
      after(() => service.stop())

      test('[DSH-01] only an operator can list accounts, invite and revoke', async () => {
        const setup = await signUpAt(service)(
          'boss@example.com',
          tokenIn(await service.signUp.newSetupLink()),
        )
        const operator = service.withToken(setup.token)
        const invited = await operator('POST', '/v1/operator/invitations', { email: ' Ada@example.com' })
        assert.deepEqual(invited.body.invitation, {
          email: 'ada@example.com',
          expiresAt: new Date(service.clock.now().getTime() + 7 * DAY_MS).toISOString(),
        })
        assert.equal(invited.body.mailed, false)
        const ada = await signUpAt(service)('ada@example.com', tokenIn(invited.body.link))
        assert.equal(ada.status, 200)
        await operator('POST', '/v1/operator/invitations', { email: 'bob@example.com' })

        const listed = async () => (await operator('GET', '/v1/operator/developers')).body
        const { developers, invitations } = await listed()
        assert.deepEqual(
          developers.map(({ email, isOperator }: { email: string; isOperator: boolean }) => [
            email,
            isOperator,
          ]),
          [
            ['boss@example.com', true],
            ['ada@example.com', false],
          ],
        )
        assert.deepEqual(
          invitations.map(({ email }: { email: string }) => email),
          ['bob@example.com'],
        )
        const path = '/v1/operator/invitations/BOB%40example.com'
        assert.deepEqual((await operator('DELETE', path)).body, { deleted: true })
        assert.equal((await operator('DELETE', path)).body.error.code, 'not_found')
        assert.equal((await operator('POST', '/v1/operator/invitations', { email: 'nobody' })).status, 400)

        const before = JSON.stringify(await listed())
        const { development } = await service.newProjectOf(ada.token)
        const callers: [Record<string, string>, number, string][] = [
          [{ authorization: `Bearer ${ada.token}` }, 403, 'operator_required'],
          [{ authorization: 'Bearer kds_nobody' }, 401, 'unauthorized'],
          [{ 'x-svc-key': development.secretKey }, 403, 'developer_session_required'],
          [{ 'x-svc-key': development.publishableKey }, 403, 'developer_session_required'],
          [{}, 401, 'unauthorized'],
        ]
        for (const [headers, status, code] of callers) {
          for (const [method, url, sent] of [
            ['GET', '/v1/operator/developers', undefined],
            ['POST', '/v1/operator/invitations', { email: 'eve@example.com' }],
            ['DELETE', '/v1/operator/invitations/eve@example.com', undefined],
          ] as const) {
            const { status: got, body } = await service.call(method, url, sent, headers)
            assert.deepEqual([got, body.error.code], [status, code], `${method} ${url}`)
          }
        }
        assert.equal(JSON.stringify(await listed()), before)
      })

      test('[DSH-01] accounts come in pages, oldest first; invitations with the first one', async () => {
        const operator = await operatorOf(service)
        for (const name of ['dora', 'emil', 'finn']) {
          const { body } = await operator('POST', '/v1/operator/invitations', {
            email: `${name}@example.com`,
          })
          if (name === 'finn') continue
          assert.equal((await signUpAt(service)(`${name}@example.com`, tokenIn(body.link))).status, 200)
        }
        const list = async (query: string) => (await operator('GET', `/v1/operator/developers${query}`)).body
        const all = await list('')
        const emails = ({ developers }: { developers: { email: string }[] }) =>
          developers.map(({ email }) => email)
        assert.equal(all.nextCursor, null)
        assert.deepEqual(emails(all).slice(-2), ['dora@example.com', 'emil@example.com'])
        const paged: string[] = []
        let cursor: string | null = null
        do {
          const page = await list(`?limit=1${cursor === null ? '' : `&cursor=${cursor}`}`)
          paged.push(...emails(page))
          assert.equal(page.invitations.length > 0, cursor === null)
          cursor = page.nextCursor
        } while (cursor !== null)
        assert.deepEqual(paged, emails(all))
        for (const query of ['?limit=0', '?limit=201', '?cursor=x'])
          assert.equal((await list(query)).error.code, 'invalid_request', query)
      })

      test('[DSH-46] what operators change is in a log of its own, which only operators read', async () => {
        const operator = await operatorOf(service)
        const log = async (query = '') => (await operator('GET', `/v1/operator/audit${query}`)).body
        const seen = (await log()).entries.length
        const mail = { email: 'gina@example.com' }
        assert.equal((await operator('POST', '/v1/operator/invitations', mail)).status, 200)
        const path = '/v1/operator/invitations/gina%40example.com'
        assert.equal((await operator('DELETE', path)).status, 200)
        assert.equal((await operator('DELETE', path)).status, 404)
        await service.signUp.setOperator('dora@example.com', true)
        await service.signUp.setOperator('dora@example.com', false)
        assert.equal(await service.signUp.setOperator('nobody@example.com', true), false)

        const { entries, nextBefore } = await log('?limit=4')
        assert.deepEqual(
          entries.map(
            ({ action, target, actor, env }: Record<string, never> & { actor: { label: string } }) => [
              action,
              target,
              actor.label,
              env,
            ],
          ),
          [
            ['operator.remove', 'dora@example.com', 'svc-server', null],
            ['operator.add', 'dora@example.com', 'svc-server', null],
            ['invitation.revoke', 'gina@example.com', 'boss@example.com', null],
            ['invitation.create', 'gina@example.com', 'boss@example.com', null],
          ],
        )
        assert.equal(nextBefore === null, seen === 0)
        if (nextBefore) assert.equal((await log(`?before=${nextBefore}`)).entries.length, seen)
        assert.equal((await log('?before=aud_1')).error.code, 'invalid_request')
        assert.doesNotMatch(JSON.stringify(await log()), /invitation=/, 'no link')
        assert.deepEqual((await service.audit.verify()).broken, [])

        const session = await service.call('POST', '/v1/developers/login', {
          email: 'dora@example.com',
          password: PASSWORD,
        })
        const refused = await service.withToken(session.body.token)('GET', '/v1/operator/audit')
        assert.equal(refused.body.error.code, 'operator_required')
        const { development } = await service.newProjectOf(session.body.token)
        const own = await service.withToken(session.body.token)(
          'GET',
          development.path.replace(/environments.*/, 'audit'),
        )
        assert.doesNotMatch(JSON.stringify(own.body), /gina@/)
        const foreign = await service.withToken(session.body.token)('GET', '/v1/projects/service/audit')
        assert.equal(foreign.body.error.code, 'project_not_found')
      })

      test('[DSH-01] the operator flag decides, not how the account was created', async () => {
        const { link } = await service.signUp.invite('carl@example.com')
        await signUpAt(service)('carl@example.com', tokenIn(link))
        const statusOfNewSession = async () => {
          const { body } = await service.call('POST', '/v1/developers/login', {
            email: 'carl@example.com',
            password: PASSWORD,
          })
          return (await service.withToken(body.token)('GET', '/v1/operator/developers')).status
        }
        await service.signUp.setOperator('carl@example.com', true)
        assert.equal(await statusOfNewSession(), 200)
        await service.signUp.setOperator('carl@example.com', false)
        assert.equal(await statusOfNewSession(), 403)
      })
    })

    test('SVC_SIGN_UP=closed: no account can be created, not even with an invitation', async (t) => {
      const service = await startService(engine, { settings: { SVC_SIGN_UP: 'closed' } })
      t.after(() => service.stop())
      assert.equal((await service.call('GET', '/v1/platform/info')).body.signUp, 'closed')
      assert.equal(await service.signUp.newSetupLink(), undefined)
      await assert.rejects(service.signUp.invite('ada@example.com'), /SVC_SIGN_UP is closed/)
      for (const invitation of [undefined, 'made-up'])
        assert.equal((await signUpAt(service)('ada@example.com', invitation)).code, 'sign_up_closed')
    })

    test('[DEV-05] an external sign-in that would create an account requires an invitation, too', async (t) => {
      const service = await startServiceWithProviders(engine, { SVC_SIGN_UP: 'first' })
      t.after(() => service.stop())
      const refused = await service.exchange(await service.codeFor('google', { account: 'ada' }))
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'sign_up_closed'])

      const invitation = tokenIn(await service.signUp.newSetupLink())
      const code = await service.codeFor('google', { account: 'ada' })
      const made = await service.call('POST', '/v1/developers/oauth/exchange', { ...code, invitation })
      assert.equal(made.status, 200)
      assert.deepEqual(await operatorsOf(service), ['ada@google.example 1'])
      // Developers with an account sign in as before.
      assert.equal((await service.signInWith('google', 'ada')).status, 200)
    })
  })
}
