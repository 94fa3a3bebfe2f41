import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'

import type { ErrorCode } from '@svc/contract/common/errors'

import { ApiError } from '../../platform/api-error.ts'
import { SECOND_MS } from '../../platform/clock.ts'
import { ANONYMOUS, PLAYER, startRealtime } from '../../testing/bare-realtime.ts'
import { comesTrue } from '../../testing/in-time.ts'
import { clientText, closesOf, openRaw, type RawClient, textsOf } from '../../testing/raw-websocket.ts'
import { createLoginLine } from './login-line.ts'

/** Lookups that take until the test answers them. */
function slowLookups() {
  const waiting: (() => void)[] = []
  return {
    authenticate: () => async () => {
      await new Promise<void>((resolve) => void waiting.push(resolve))
      return ANONYMOUS
    },
    asked: (count: number) => comesTrue(`${count} logins have begun`, async () => waiting.length === count),
    answer: () => waiting.shift()?.(),
  }
}

const welcomed = async (client: RawClient) => {
  const [text = ''] = textsOf(await client.next(1))
  assert.equal(JSON.parse(text).t, 'welcome')
}
const closeOf = async (client: RawClient) => closesOf(await client.next(1))[0]

test('[WSK-22] who has sent the auth frame in time waits for lookups that take long, at most 30 s, and is then asked to come again', async (t) => {
  const { authenticate, asked, answer } = slowLookups()
  const { clock, port, knock } = await startRealtime(t, { authenticate })
  const [first, second, silent] = [await knock(), await knock(), await openRaw(port)]
  await asked(2)
  clock.advance(29 * SECOND_MS)
  assert.deepEqual(await closeOf(silent), [4001, 'unauthorized'])
  answer()
  await welcomed(first)
  clock.advance(SECOND_MS)
  assert.deepEqual(await closeOf(second), [1012, 'service_unavailable'])
})

test('[WSK-22] an auth frame that has arrived while the process stood still is read first', async (t) => {
  const { clock, port } = await startRealtime(t, {})
  const client = await openRaw(port)
  client.send(clientText(JSON.stringify({ t: 'auth', key: 'pk', anon: true })))
  clock.advance(6 * SECOND_MS)
  await welcomed(client)
})

const CLOSES: [error: Error | ErrorCode, code: number][] = [
  ['service_unavailable', 1012],
  ['internal_error', 1012],
  ['rate_limited', 1012],
  [new Error('Connection terminated unexpectedly'), 1012],
  ['invalid_token', 4001],
  ['invalid_key', 4001],
  ['session_revoked', 4001],
  ['token_expired', 4002],
  ['player_banned', 4003],
  ['feature_disabled', 4003],
]
for (const [error, code] of CLOSES)
  test(`[WSK-22] [WSK-04] a login that fails with ${String(error)} is closed with ${code}`, async (t) => {
    const { knock } = await startRealtime(t, {
      authenticate: () => async () => {
        throw typeof error === 'string' ? new ApiError(error) : error
      },
    })
    assert.equal((await closeOf(await knock()))?.[0], code)
  })

test('[WSK-22] [WSK-11] a repeated auth frame that cannot be checked is answered with the error; a refused one closes with 4001', async (t) => {
  let failure: ApiError | undefined
  const { knock } = await startRealtime(t, {
    authenticate: () => async () => {
      if (failure) throw failure
      return { ...ANONYMOUS, player: PLAYER }
    },
  })
  const client = await knock()
  await welcomed(client)
  const again = clientText(JSON.stringify({ t: 'auth', key: 'pk', token: 'x', rid: 1 }))
  failure = new ApiError('service_unavailable')
  client.send(again)
  const [text = ''] = textsOf(await client.next(1))
  assert.equal(JSON.parse(text).error.code, 'service_unavailable')
  failure = new ApiError('token_expired')
  client.send(again)
  assert.deepEqual(await closeOf(client), [4001, 'unauthorized'])
})

test('[WSK-23] logins run a few at a time; who leaves gives up its place; when the line is full, upgrades answer 503 with Retry-After', async (t) => {
  const { authenticate, asked, answer } = slowLookups()
  const logins = createLoginLine({ runningMax: 1, waitingMax: 2 })
  const { port, knock } = await startRealtime(t, { authenticate, logins })
  const waiting = (count: number) => comesTrue(`${count} wait`, async () => logins.waiting === count)
  const late = await openRaw(port)
  const first = await knock()
  await asked(1)
  const leaving = await knock()
  await waiting(1)
  const last = await knock()
  await waiting(2)

  const headers = { connection: 'Upgrade', upgrade: 'websocket' }
  const refused = request({ host: '127.0.0.1', port, path: '/v1/realtime', headers }).end()
  const [{ statusCode, headers: received }] = (await once(refused, 'response')) as [IncomingMessage]
  assert.deepEqual([statusCode, received['retry-after']], [503, '1'])
  late.send(clientText(JSON.stringify({ t: 'auth', key: 'pk', anon: true })))
  assert.deepEqual(await closeOf(late), [1012, 'service_unavailable'])

  leaving.socket.destroy()
  await waiting(1)
  answer()
  await welcomed(first)
  await asked(1)
  answer()
  await welcomed(last)
  assert.equal(logins.waiting, 0)
})
