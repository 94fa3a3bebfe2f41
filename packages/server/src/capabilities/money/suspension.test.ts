import assert from 'node:assert/strict'
import { test } from 'node:test'

import { MINUTE_MS } from '../../platform/clock.ts'
import { type TestDeveloper, topUp } from '../../testing/money.ts'
import { testRedisUrl } from '../../testing/redis.ts'
import { type Engine, type Service, startService } from '../../testing/service.ts'
import { startStallingProxy } from '../../testing/stalling-proxy.ts'
import { suite } from '../../testing/suite.ts'

const X_APP = { SVC_X_CLIENT_ID: 'x', SVC_X_CLIENT_SECRET: 'y', SVC_X_SIGN_IN_CHARGED: 'on' }
const CHALLENGE = 'a'.repeat(43)
const START = `/v1/auth/oauth/x/start`

const start = (engine: Engine) => startService(engine, { settings: X_APP })

suite('suspension', { start }, ({ service, engine }) => {
  /** A project that signs players in through the shared X app. */
  async function newXProject() {
    const project = await service.newProject()
    const { server, publishableKey } = project.development
    const config = {
      features: { saves: true },
      auth: { providers: { x: { enabled: true } }, redirectUrls: ['https://game.example/'] },
    }
    assert.equal((await server('PUT', '/v1/config', config)).status, 200)
    const shared = await project.developer.call('PUT', `${project.development.path}/auth/providers/x`, {
      useShared: true,
    })
    assert.equal(shared.status, 200, JSON.stringify(shared.body))
    const environmentId = project.environments.find(({ name }) => name === 'development')?.id ?? ''
    return { project, developer: project.developer, publishableKey, environmentId }
  }
  const signIn = (node: Pick<Service, 'call'>, publishableKey: string) =>
    node.call(
      'POST',
      START,
      { redirectUrl: 'https://game.example/', challenge: CHALLENGE },
      { 'x-svc-key': publishableKey },
    )
  async function spend(environmentId: string, cents: number) {
    service.money.noteUsage(environmentId, 'voice.relayMinutes', cents * 20)
    await service.everyMinute()
  }
  const subjects = async ({ email }: TestDeveloper) => {
    const mails = await service.mailsTo(email)
    return mails.map(({ subject }) => subject).filter((subject) => /balance/.test(subject))
  }

  test('[OAU-16] while the balance is overdue, sign-in through the shared X app answers 402; a top-up ends that', async () => {
    const { project, developer, publishableKey, environmentId } = await newXProject()
    assert.equal((await signIn(service, publishableKey)).status, 200)
    await topUp(service, developer, 500)
    await spend(environmentId, 501)

    const refused = await signIn(service, publishableKey)
    assert.deepEqual([refused.status, refused.body.error.code], [402, 'x_signin_unavailable'])
    assert.deepEqual(refused.body.error.details, { continueAsGuest: true })

    // Players are not affected.
    const { server, public: visitor } = project.development
    const guest = await visitor('POST', '/v1/auth/guest')
    assert.equal(guest.status, 200)
    const player = { authorization: `Bearer ${guest.body.accessToken}` }
    assert.equal((await visitor('PUT', '/v1/saves/slot', { data: 1 }, player)).status, 200)
    assert.equal((await server('GET', '/v1/config')).status, 200)

    await topUp(service, developer, 500)
    assert.equal((await signIn(service, publishableKey)).status, 200)
  })

  test('[FUN-03] without prepaid credit, or with debt, the response is 402 prepaid_required', async () => {
    const { project, developer, environmentId } = await newXProject()
    const environment = { projectId: project.id }
    await assert.rejects(service.money.requirePrepaid(environment), { code: 'prepaid_required' })
    await topUp(service, developer, 500)
    await service.money.requirePrepaid(environment)
    await spend(environmentId, 500)
    assert.equal(await service.money.isOverdue(environment), false)
    await assert.rejects(service.money.requirePrepaid(environment), { code: 'prepaid_required' })
    await spend(environmentId, 1)
    assert.equal(await service.money.isOverdue(environment), true)
    await assert.rejects(service.money.requirePrepaid(environment), { code: 'prepaid_required' })
  })

  test('[DSH-17] an account that owes money cannot be deleted until it has paid', async () => {
    const { project, developer, environmentId } = await newXProject()
    await topUp(service, developer, 500)
    await spend(environmentId, 501)
    assert.equal((await developer.call('DELETE', `/v1/projects/${project.id}`)).status, 200)
    const remove = () => developer.call('DELETE', '/v1/developers/me', { password: 'correct horse' })
    const refused = await remove()
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'account_owes'])
    assert.equal((await developer.call('GET', '/v1/developers/me')).status, 200)

    await topUp(service, developer, 500)
    const left = await remove()
    assert.deepEqual([left.body.error.code, left.body.error.details], ['balance_remaining', { balance: 499 }])
  })

  test('[DSH-17] an account with prepaid credit is deleted only when the request gives it up; the last usage is charged before', async () => {
    const { project, developer, environmentId } = await newXProject()
    await topUp(service, developer, 1_000)
    // Not written yet.
    service.money.noteUsage(environmentId, 'voice.relayMinutes', 300 * 20)
    assert.equal((await developer.call('DELETE', `/v1/projects/${project.id}`)).status, 200)
    const remove = (body: object) =>
      developer.call('DELETE', '/v1/developers/me', { password: 'correct horse', ...body })
    for (const body of [{}, { forfeitBalance: false }]) {
      const refused = await remove(body)
      assert.deepEqual(
        [refused.status, refused.body.error.code, refused.body.error.details],
        [409, 'balance_remaining', { balance: 700 }],
      )
    }
    assert.equal((await remove({ forfeitBalance: 'yes' })).status, 400)
    assert.equal((await developer.call('GET', '/v1/money/prepaid')).body.balance, 700)
    assert.ok((await service.mailsTo(developer.email)).length > 0)

    assert.deepEqual((await remove({ forfeitBalance: true })).body, { deleted: true })
    const booked = await service.db.search((q) =>
      q
        .selectFrom('money_transactions')
        .select(['type', 'amount'])
        .where('developerId', '=', developer.id)
        .orderBy('sequence'),
    )
    assert.deepEqual(
      booked.map(({ type, amount }) => [type, amount]),
      [
        ['topup', 1_000],
        ['usage', -300],
        ['adjustment', -700],
      ],
    )
    assert.deepEqual((await service.money.verify()).mismatches, [])
    // Mails to the address are gone, sent and unsent ones; not those of others.
    const mails = await service.db.search((q) => q.selectFrom('mail_outbox').select('recipient'))
    assert.equal(mails.filter(({ recipient }) => recipient === developer.email).length, 0)
    assert.ok(mails.length > 0)
  })

  test('[DSH-17] usage that is not charged yet can make an account owe, and then it is not deleted', async () => {
    const { project, developer, environmentId } = await newXProject()
    await topUp(service, developer, 500)
    service.money.noteUsage(environmentId, 'voice.relayMinutes', 501 * 20)
    assert.equal((await developer.call('DELETE', `/v1/projects/${project.id}`)).status, 200)
    const body = { password: 'correct horse', forfeitBalance: true }
    const refused = await developer.call('DELETE', '/v1/developers/me', body)
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'account_owes'])
  })

  test('one mail is sent below a fifth of the last top-up, and one at the suspension', async () => {
    const { developer, environmentId } = await newXProject()
    await topUp(service, developer, 1_000)
    const spendAll = async (cents: number) => {
      service.money.noteUsage(environmentId, 'voice.relayMinutes', cents * 20)
      service.clock.advance(MINUTE_MS)
      await developer.call('GET', '/v1/money/usage?refresh=true')
    }
    await spendAll(800)
    assert.deepEqual(await subjects(developer), [])
    await spendAll(1)
    await spendAll(50)
    assert.deepEqual(await subjects(developer), ['Your prepaid balance is $1.99'])
    await spendAll(300)
    await spendAll(300)
    assert.deepEqual(await subjects(developer), [
      'Your prepaid balance is used up',
      'Your prepaid balance is $1.99',
    ])
  })

  test('every node learns of a suspension and of its end, with the bus and without it', async (t) => {
    const nodes = [
      service,
      ...(engine === 'postgres' ? [await startService(engine, { settings: X_APP, clusterOf: service })] : []),
    ]
    const [, other] = nodes
    if (other) t.after(() => other.stop())
    const { developer, environmentId } = await newXProject()
    const learned = nodes.map(() => [] as boolean[])
    nodes.forEach((node, at) =>
      node.money.onSuspension((developerId, isOverdue) => {
        if (developerId === developer.id) learned[at]?.push(isOverdue)
      }),
    )
    await topUp(service, developer, 500)
    await spend(environmentId, 600)
    // Lost bus messages are found in the database once per second.
    for (const node of nodes) await node.everySecond()
    await topUp(service, developer, 500)
    for (const node of nodes) await node.everySecond()
    for (const lines of learned) assert.deepEqual(lines, [true, false])

    // Even without the list of revocations: all developers are checked once per minute.
    await service.db.transaction(async (transaction) => {
      await transaction.search((q) =>
        q.updateTable('money_accounts').set({ owed: -1 }).where('developerId', '=', developer.id),
      )
    })
    for (const node of nodes) await node.everyMinute()
    for (const lines of learned) assert.deepEqual(lines, [true, false, true])
    await service.db.transaction(async (transaction) => {
      await transaction.search((q) =>
        q.updateTable('money_accounts').set({ owed: 0 }).where('developerId', '=', developer.id),
      )
    })
    for (const node of nodes) await node.everyMinute()
    for (const lines of learned) assert.deepEqual(lines, [true, false, true, false])
  })

  if (engine === 'postgres')
    test('a node that is disconnected from the bus learns of a suspension and of its end from the database', async (t) => {
      const wire = await startStallingProxy(Number(new URL(testRedisUrl()).port))
      t.after(() => wire.stop())
      const settings = { ...X_APP, REDIS_URL: wire.url }
      const cutOff = await startService(engine, { settings, clusterOf: service })
      t.after(async () => {
        wire.resume()
        await cutOff.stop()
      })
      const { developer, publishableKey, environmentId } = await newXProject()
      const learned: boolean[] = []
      cutOff.money.onSuspension((developerId, isOverdue) => {
        if (developerId === developer.id) learned.push(isOverdue)
      })
      assert.equal((await signIn(cutOff, publishableKey)).status, 200)

      wire.stall()
      await topUp(service, developer, 500)
      await spend(environmentId, 600)
      await cutOff.everySecond()
      assert.deepEqual(learned, [true])
      await topUp(service, developer, 500)
      await cutOff.everySecond()
      assert.deepEqual(learned, [true, false])
    })
})
