import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'

import type { WebSocketConstructor } from '../src/http/platform.ts'
import type { SvcError } from '../src/index.ts'
import { Socket } from '../src/realtime/socket.ts'

/** Waits take no time, and the clock moves on by each. */
function skipWaits(t: TestContext) {
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  t.mock.method(globalThis, 'setTimeout', (run: () => void, ms: number) =>
    // Whole seconds are time-outs; waits between attempts have fractions.
    ms >= 3_000 && ms % 1_000 === 0
      ? undefined
      : setImmediate(() => {
          nowMs += ms
          run()
        }),
  )
  return () => nowMs
}

type End = { code: number; reason: string } | 'welcome'

/** A player in a room, whose connection is lost once. `endOf` says what the service does with each attempt to come back. */
async function comeBack(t: TestContext, endOf: (attempt: number, token: string) => End) {
  const now = skipWaits(t)
  const attempts: { token: string; end: End; atMs: number }[] = []
  const result = Promise.withResolvers<SvcError | 'back'>()
  let token = 'first'
  let refreshes = 0
  let lose = () => {}

  class Service {
    readyState = 0
    onopen = () => {}
    onclose: (end: { code: number; reason: string }) => void = () => {}
    onmessage: (message: { data: string }) => void = () => {}
    onerror = () => {}
    constructor() {
      setImmediate(() => this.onopen())
    }
    send(text: string) {
      const { t: type, token: sent } = JSON.parse(text)
      if (type !== 'auth') return
      const attempt = attempts.length
      const end = attempt === 0 ? 'welcome' : endOf(attempt, sent)
      attempts.push({ token: sent, end, atMs: now() })
      if (end !== 'welcome') return void setImmediate(() => this.onclose(end))
      lose = () => this.onclose({ code: 1006, reason: '' })
      setImmediate(() => this.onmessage({ data: '{"t":"welcome"}' }))
    }
    close() {}
  }

  let isLost = false
  const socket = new Socket({
    url: 'ws://game.example',
    key: 'pk',
    platform: { WebSocket: Service as unknown as WebSocketConstructor, random: () => 0.51, page: undefined },
    accessToken: async () => token,
    refreshed: async () => (token = `refreshed ${++refreshes}`),
    ended: (error) => result.resolve(error),
  })
  socket.join({
    isInUse: () => true,
    receive() {},
    disconnected: () => void (isLost = true),
    connected: () => isLost && result.resolve('back'),
    ended() {},
  })
  await socket.open()
  lose()
  const outcome = await result.promise
  if (outcome === 'back') socket.close()
  return { outcome, refreshes, attempts: attempts.slice(1) }
}

const REFUSED = { code: 4001, reason: 'invalid_token' }

test('[WSK-25] a new token that is refused is tried again; refused for two seconds, it ends the connection with the reason', async (t) => {
  const { outcome, attempts } = await comeBack(t, () => REFUSED)
  assert.equal((outcome as SvcError).code, 'invalid_token')
  const fresh = attempts.filter(({ token }) => token !== 'first')
  const [first, last] = [fresh[0]?.atMs ?? 0, fresh.at(-1)?.atMs ?? 0]
  assert.ok(fresh.length >= 2 && last - first > 2_000, JSON.stringify(attempts))
})

test('[WSK-25] a service that refuses a new token once and then takes it has its player back', async (t) => {
  const { outcome, refreshes } = await comeBack(t, (attempt) => (attempt <= 2 ? REFUSED : 'welcome'))
  assert.deepEqual([outcome, refreshes], ['back', 2])
})

for (const late of [
  { code: 4001, reason: 'unauthorized' },
  { code: 1012, reason: 'service_unavailable' },
])
  test(`[WSK-25] a service that is late, and closes with ${late.code} ${late.reason}, costs no refresh, and its player is back`, async (t) => {
    const { outcome, refreshes } = await comeBack(t, (attempt) => (attempt < 30 ? late : 'welcome'))
    assert.deepEqual([outcome, refreshes], ['back', 0])
  })

for (const end of [
  { code: 4001, reason: 'invalid_key' },
  { code: 4001, reason: 'publishable_key_required' },
  { code: 4003, reason: 'player_banned' },
  { code: 4004, reason: 'replaced' },
])
  test(`[WSK-25] [WSK-04] ${end.reason} is final at the first time`, async (t) => {
    const { outcome, attempts } = await comeBack(t, () => end)
    assert.deepEqual([(outcome as SvcError).code, attempts.length], [end.reason, 1])
  })
