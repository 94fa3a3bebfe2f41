import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { MINUTE_MS } from '../../src/platform/clock.ts'
import { newPostgresDatabase } from '../../src/testing/databases.ts'
import { comesTrue } from '../../src/testing/in-time.ts'
import { startRedis } from '../../src/testing/redis.ts'
import { runs } from '../../src/testing/runs.ts'
import { engines } from '../../src/testing/service.ts'
import { startFakeStripe } from '../../src/testing/stripe-server.ts'
import { operate } from '../operator.ts'
import { callerOf, type ServerProcess, setUpCallerOf, startServer } from '../server-process.ts'

const URLS = { successUrl: 'https://game.example/thanks', cancelUrl: 'https://game.example/back' }
const AMOUNT = 1_000

for (const engine of engines) {
  test(`[MON-04] [MON-06] kill -9 between row and provider call, and between event and booking, on ${engine}: one payment, booked once`, async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-money-'))
    const postgres = engine === 'postgres' ? await newPostgresDatabase() : undefined
    // Programs have no prefix of their own: on a shared Redis they would be nodes of one service.
    const redis = engine === 'postgres' ? await startRedis() : undefined
    let offsetMs = 0
    const stripe = await startFakeStripe({ nowMs: () => Date.now() + offsetMs })
    const endpoints = join(dataDir, 'endpoints.json')
    await writeFile(endpoints, JSON.stringify({ stripe: { apiBaseUrl: stripe.origin } }))
    const variables = {
      SVC_DATA_DIR: dataDir,
      SVC_BASE_URL: 'http://game.localhost',
      SVC_SIGN_UP: 'open',
      SVC_TEST_CLOCK: 'on',
      SVC_PROVIDER_ENDPOINTS: endpoints,
      STRIPE_SECRET_KEY: stripe.secretKey,
      STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
      ...(postgres && redis && { DATABASE_URL: postgres.url, REDIS_URL: redis.url }),
    }
    let server: ServerProcess = await startServer(variables)
    t.after(async () => {
      server.signal('SIGKILL')
      await server.ended
      await stripe.stop()
      await postgres?.remove()
      await redis?.stop()
      await rm(dataDir, { recursive: true, force: true })
    })
    const kill = async () => {
      server.signal('SIGKILL')
      await server.ended
      server = await startServer(variables)
    }
    stripe.setWebhook({
      deliver: async (body, signature) =>
        (
          await fetch(`http://127.0.0.1:${server.port}/v1/money/webhooks/stripe`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'stripe-signature': signature ?? '' },
            body,
          })
        ).status,
    })
    const call: ReturnType<typeof callerOf> = (...request) => callerOf(server)(...request)
    const setUp = setUpCallerOf(server)
    const signedUp = await setUp('POST', '/v1/developers/signup', {
      body: { email: 'ada@example.com', password: 'correct horse' },
    })
    const token: string = signedUp.body.token
    const project = await setUp('POST', '/v1/projects', { token, body: { name: 'Kill' } })
    const key = project.body.keys.find(
      (one: { type: string; environment: string }) =>
        one.type === 'secret' && one.environment === 'development',
    ).key
    const create = (round: number) =>
      fetch(`http://127.0.0.1:${server.port}/v1/money/prepaid/checkout`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': `round-${round}`,
        },
        body: JSON.stringify({ amount: AMOUNT, ...URLS }),
      })

    /** The claim of a key by a process that died ends after a minute. Stripe's clock follows, so that its events are not too old. */
    async function advance() {
      const request = { key, body: { advanceMs: 2 * MINUTE_MS } }
      const { body } = await setUpCallerOf(server)('POST', '/v1/dev/clock', request)
      offsetMs = Date.parse(body.now) - Date.now()
    }

    const rounds = engine === 'sqlite' ? runs(2, 20) : runs(1, 20)
    for (let round = 0; round < rounds; round++) {
      // Even rounds: Stripe has created the page, but its answer never arrives. Odd rounds: at any moment.
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      const isHeld = round % 2 === 0
      if (isHeld) stripe.hold(held)
      const seen = stripe.requests.length
      const lost = create(round).catch(() => undefined)
      if (isHeld) await comesTrue('Stripe gets the request', () => stripe.requests.length > seen)
      else await pause(Math.random() * 30)
      await kill()
      stripe.hold(undefined)
      release()
      await lost

      await advance()
      const again = await create(round)
      assert.equal(again.status, 200, await again.clone().text())
      const checkout = (await again.json()) as { id: string }
      const ours = [...stripe.sessions.values()].filter(
        (session) => session.client_reference_id === checkout.id,
      )
      assert.equal(ours.length, 1, 'one payment page at Stripe')

      const session = stripe.pay(checkout.id)
      const event = { id: `evt_round${round}` }
      const first = stripe.completed(session, event).catch(() => 0)
      await pause(Math.random() * 10)
      await kill()
      await first
      assert.equal(await stripe.completed(session, event), 200)
      const prepaid = await call('GET', '/v1/money/prepaid', { token })
      assert.equal(prepaid.body.balance, AMOUNT * (round + 1))
    }
    assert.equal(stripe.sessions.size, rounds)
    server.signal('SIGTERM')
    await server.ended
    const { SVC_DATA_DIR: _, DATABASE_URL: __, ...others } = variables
    const verified = await operate({ dataDir, postgres, variables: others }, 'money', 'verify')
    assert.deepEqual([verified.code, verified.errors], [0, ''])
    assert.match(
      verified.output,
      new RegExp(`^${rounds} transactions of 1 accounts and ${rounds} payments, 0`),
    )
  })
}
