import assert from 'node:assert/strict'
import { test } from 'node:test'

import { LIMITS } from '@svc/contract/common/limits'

import { MINUTE_MS } from '../../platform/clock.ts'
import { startService } from '../../testing/service.ts'
import { suite } from '../../testing/suite.ts'

const PATH = '/v1/x/developers/device-codes'
const PASSWORD = 'correct horse'

suite('sign-in of a command line', {}, ({ engine, service }) => {
  const start = async () => {
    const { status, body } = await service.call('POST', PATH)
    assert.equal(status, 201)
    return body as { code: string; deviceSecret: string; url: string; expiresIn: number }
  }
  const collect = (deviceSecret: string) => service.call('POST', `${PATH}/session`, { deviceSecret })
  const codeOf = async (answer: Promise<{ body: { error?: { code: string } } }>) =>
    (await answer).body.error?.code

  test('[DEV-01] a developer sees who asks, confirms the code, and the command line collects a session once', async () => {
    const developer = await service.newDeveloper()
    const { code, deviceSecret, url, expiresIn } = await start()
    assert.match(code, /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
    assert.match(url, /\/dashboard\/device$/)
    assert.equal(expiresIn, 600)
    assert.deepEqual((await collect(deviceSecret)).body, { status: 'pending', session: null })

    const typed = ` ${code.toLowerCase().replace('-', ' ')} `
    const { body: request } = await developer.call('POST', `${PATH}/lookup`, { code: typed })
    assert.deepEqual([request.code, request.isYourAddress], [code, true])
    assert.equal(request.address, '127.0.0.1')
    assert.equal(request.createdAt, service.clock.now().toISOString())

    const { body } = await developer.call('POST', `${PATH}/decision`, { code: typed, confirm: true })
    assert.deepEqual(body, { confirmed: true })
    assert.equal(
      await codeOf(developer.call('POST', `${PATH}/decision`, { code, confirm: false })),
      'invalid_code',
      'a decision is final',
    )

    const answers = await Promise.all([collect(deviceSecret), collect(deviceSecret), collect(deviceSecret)])
    const confirmed = answers.filter(({ status }) => status === 200)
    assert.equal(confirmed.length, 1, 'one of three concurrent calls gets the session')
    const { session } = confirmed[0]?.body ?? {}
    assert.equal(session.developer.email, developer.email)
    const me = await service.withToken(session.token)('GET', '/v1/developers/me')
    assert.equal(me.body.developer.id, developer.id)
    assert.equal(await codeOf(collect(deviceSecret)), 'invalid_or_expired_token')
  })

  test('[DEV-01] a refused code gives no session', async () => {
    const developer = await service.newDeveloper()
    const { code, deviceSecret } = await start()
    const decision = await developer.call('POST', `${PATH}/decision`, { code, confirm: false })
    assert.deepEqual(decision.body, { confirmed: false })
    assert.deepEqual((await collect(deviceSecret)).body, { status: 'refused', session: null })
    assert.equal(await codeOf(collect(deviceSecret)), 'invalid_or_expired_token')
  })

  test('[DEV-01] a code is valid for ten minutes', async () => {
    const developer = await service.newDeveloper()
    const { code, deviceSecret } = await start()
    service.clock.advance(10 * MINUTE_MS - 1)
    assert.equal((await developer.call('POST', `${PATH}/lookup`, { code })).status, 200)
    service.clock.advance(1)
    for (const path of ['lookup', 'decision'])
      assert.equal(
        await codeOf(
          developer.call('POST', `${PATH}/${path}`, {
            code,
            ...(path === 'decision' && { confirm: true }),
          }),
        ),
        'invalid_code',
      )
    assert.equal(await codeOf(collect(deviceSecret)), 'invalid_or_expired_token')
  })

  test('[DEV-01] the end of the session that confirmed a code wins over the code', async () => {
    const developer = await service.newDeveloper()
    const logIn = async () =>
      (await service.call('POST', '/v1/developers/login', { email: developer.email, password: PASSWORD }))
        .body.token as string
    const ends = [
      (token: string) => service.withToken(token)('POST', '/v1/developers/logout'),
      () => developer.call('DELETE', '/v1/developers/me/sessions'),
      () =>
        developer.call('POST', '/v1/developers/me/password', {
          password: PASSWORD,
          currentPassword: PASSWORD,
        }),
    ]
    for (const end of ends) {
      const token = await logIn()
      const { code, deviceSecret } = await start()
      const decision = await service.withToken(token)('POST', `${PATH}/decision`, { code, confirm: true })
      assert.equal(decision.status, 200)
      assert.equal((await end(token)).status, 200)
      assert.equal(await codeOf(collect(deviceSecret)), 'invalid_or_expired_token')
    }
  })

  test('[DEV-01] nobody decides without a developer session, and secrets that are not ours change nothing', async () => {
    const { code, deviceSecret } = await start()
    for (const path of ['lookup', 'decision'])
      assert.equal((await service.call('POST', `${PATH}/${path}`, { code, confirm: true })).status, 401, path)
    assert.equal(await codeOf(collect('nothing')), 'invalid_or_expired_token')
    assert.equal(await codeOf(collect(code)), 'invalid_or_expired_token')
    for (const body of [{}, { deviceSecret: '' }, { deviceSecret: 'x'.repeat(129) }, { deviceSecret: 1 }, []])
      assert.equal(await codeOf(service.call('POST', `${PATH}/session`, body)), 'invalid_request')
    assert.deepEqual((await collect(deviceSecret)).body, { status: 'pending', session: null })
  })

  test('[DEV-01] wrong codes are limited per developer; right ones are not counted', async () => {
    const limited = await startService(engine, { settings: { SVC_RATE_LIMITS: 'on' } })
    try {
      const developer = await limited.newDeveloper()
      const look = (code: string) => developer.call('POST', `${PATH}/lookup`, { code })
      const { code } = (await limited.call('POST', PATH)).body
      for (let count = 0; count < LIMITS.wrongDeviceCodesPerHourMax; count++) {
        assert.equal((await look(code)).status, 200)
        assert.equal((await look('0000-0000')).body.error.code, 'invalid_code')
      }
      const { status, body } = await look(code)
      assert.deepEqual([status, body.error.code], [429, 'rate_limited'])
    } finally {
      await limited.stop()
    }
  })
})
