import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'

import { createStoppedClock, HOUR_MS, type MovableClock, SECOND_MS } from '../../platform/clock.ts'
import { answerWith, startReceiver } from '../../testing/webhook-receiver.ts'
import { type ManagedSettings, openManaged } from './managed.ts'

const ASKING = { environmentId: 'env_1', roomId: 'room_1', playerId: 'ply_1', localAddress: '127.0.0.1' }
const URLS = ['turn:turn.example.com:3478?transport=udp', 'turns:turn.example.com:443?transport=tcp']
const SERVER = { urls: URLS, username: 'name', credential: 'password' }

describe('TURN of a provider', () => {
  let clock: MovableClock
  let provider: Awaited<ReturnType<typeof startReceiver>>
  let logged: string[]

  beforeEach(async () => {
    clock = createStoppedClock()
    provider = await startReceiver()
    provider.answer(answerWith({ iceServers: [SERVER] }, 201))
    logged = []
  })
  afterEach(() => provider.stop())

  const apiBaseUrl = () => `http://127.0.0.1:${provider.port}`
  const open = (settings: Partial<ManagedSettings> = {}) =>
    openManaged(
      {
        provider: 'cloudflare',
        keyId: 'key/1',
        apiToken: 'token',
        apiBaseUrl: apiBaseUrl(),
        ...settings,
      } as ManagedSettings,
      { clock, log: (line) => logged.push(line) },
    )

  test('[P2P-03] credentials of Cloudflare are requested with its key, for one hour', async () => {
    provider.answer(answerWith({ iceServers: [{ urls: 'stun:stun.example.com' }, SERVER] }, 201))
    assert.deepEqual(await open().iceServers(ASKING), {
      iceServers: [{ urls: ['stun:stun.example.com'] }, SERVER],
      expiresAt: '2026-01-01T01:00:00.000Z',
    })
    const [request] = provider.take()
    assert.equal(request?.path, '/v1/turn/keys/key%2F1/credentials/generate-ice-servers')
    assert.equal(request?.headers.authorization, 'Bearer token')
    assert.equal(request?.headers['content-type'], 'application/json')
    assert.deepEqual(JSON.parse(request?.text ?? ''), { ttl: 3600 })
  })

  test('[P2P-03] credentials of Twilio are requested with its account, for one hour', async () => {
    const list = [
      { url: 'stun:stun.example.com', urls: 'stun:stun.example.com' },
      { url: URLS[0], urls: URLS[0], username: 'name', credential: 'password' },
    ]
    provider.answer(answerWith({ ice_servers: list, password: 'password', ttl: '3600' }, 201))
    const turn = open({ provider: 'twilio', accountSid: 'AC1', authToken: 'secret' })
    assert.deepEqual(await turn.iceServers(ASKING), {
      iceServers: [{ urls: ['stun:stun.example.com'] }, { ...SERVER, urls: [URLS[0]] }],
      expiresAt: '2026-01-01T01:00:00.000Z',
    })
    const [request] = provider.take()
    assert.equal(request?.path, '/2010-04-01/Accounts/AC1/Tokens.json')
    assert.equal(request?.headers.authorization, `Basic ${Buffer.from('AC1:secret').toString('base64')}`)
    assert.equal(request?.text, 'Ttl=3600')
  })

  test('one response is used for all callers until half of its lifetime, also for concurrent ones', async () => {
    const turn = open()
    const answers = await Promise.all(Array.from({ length: 50 }, () => turn.iceServers(ASKING)))
    clock.advance(HOUR_MS / 2 - 1)
    answers.push(await turn.iceServers(ASKING))
    assert.equal(new Set(answers.map((answer) => answer?.expiresAt)).size, 1)
    assert.equal(provider.take().length, 1)

    clock.advance(1)
    assert.equal((await turn.iceServers(ASKING))?.expiresAt, '2026-01-01T01:30:00.000Z')
    assert.equal(provider.take().length, 1)
  })

  const failures: [string, Parameters<typeof answerWith>][] = [
    ['an error', [{ error: 'no' }, 500]],
    ['a refused token', [{ iceServers: [SERVER] }, 401]],
    ['a redirect', ['', 302]],
    ['no JSON', ['<html>']],
    ['no object', ['null']],
    ['no servers', [{ iceServers: [] }]],
    ['STUN only', [{ iceServers: [{ urls: ['stun:stun.example.com'] }] }]],
    ['TURN without credentials', [{ iceServers: [{ urls: URLS }] }]],
    ['addresses of something else', [{ iceServers: [{ ...SERVER, urls: ['https://example.com', 7] }] }]],
    ['more than is read', ['x'.repeat(70_000)]],
  ]
  for (const [name, answer] of failures) {
    test(`[P2P-04] there is no TURN while the provider answers with ${name}, and the request is repeated soon`, async () => {
      provider.answer(answerWith(...answer))
      const turn = open()
      assert.equal(await turn.iceServers(ASKING), undefined)
      clock.advance(10 * SECOND_MS - 1)
      assert.equal(await turn.iceServers(ASKING), undefined)
      assert.equal(provider.take().length, 1)
      assert.match(logged.join('\n'), /^TURN_PROVIDER cloudflare: [^\n]+\.$/)

      provider.answer(answerWith({ iceServers: SERVER }))
      clock.advance(1)
      assert.deepEqual((await turn.iceServers(ASKING))?.iceServers, [SERVER])
    })
  }

  test('cached credentials are used while the provider is down, until they expire', async () => {
    const turn = open()
    await turn.iceServers(ASKING)
    await provider.stop()
    clock.advance(HOUR_MS - 1)
    assert.equal((await turn.iceServers(ASKING))?.expiresAt, '2026-01-01T01:00:00.000Z')
    clock.advance(1)
    assert.equal(await turn.iceServers(ASKING), undefined)
    assert.equal(logged.length, 1)
  })

  test('[P2P-04] a provider that never answers times out', async () => {
    provider.answer(() => {})
    assert.equal(await open().iceServers(ASKING), undefined)
    assert.match(logged[0] ?? '', /no complete answer within 3000 ms/)
  })
})
