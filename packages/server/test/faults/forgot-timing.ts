import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'

import { startServices } from '../../../../scripts/services.ts'
import { emailCalls, newEmailProject } from '../../src/testing/email-players.ts'
import { newGuest } from '../../src/testing/guests.ts'
import { type Engine, engines, startService } from '../../src/testing/service.ts'

/**
 * node --conditions=source packages/server/test/faults/forgot-timing.ts [--rounds 300] [--engine sqlite] [--of players]
 *
 * Measures a forgot call, the next request on the same connection, and all requests that fit into a fixed time after it. No
 * duration may reveal whether the address has an account. `limited` has an account that has reached its email limit. The lower
 * quartiles, which a busy machine affects least, must be within 10 % of each other.
 */
const KINDS = ['known', 'unknown', 'limited'] as const
type Kind = (typeof KINDS)[number]
type Of = 'players' | 'developers'

const MAILS_MAX = 3
/** The maximum delay of the background work. */
const FOLLOWING_MS = 120
const WARM_UP_ROUNDS = 20
const SPREAD_MAX = 0.1

export type Timing = Record<
  'forgot' | 'next' | 'following',
  { quartileMs: Record<Kind, number>; spread: number }
>

export async function forgotTiming(engine: Engine, rounds: number, of: Of): Promise<Timing> {
  const service = await startService(engine, { settings: { SVC_RATE_LIMITS: 'off' } })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    await service.http.listen({ port: 0, host: '127.0.0.1' })
    const { port } = service.http.server.address() as AddressInfo
    const { production } = await newEmailProject(service)
    const guest = await newGuest(production)
    const headers = { 'x-svc-key': production.publishableKey }
    const path = of === 'players' ? '/v1/auth/password/forgot' : '/v1/developers/password/forgot'

    async function timed(
      method: string,
      url: string,
      more: Record<string, string>,
      body = '',
    ): Promise<number> {
      const begun = performance.now()
      const call = request({ port, agent, method, path: url, headers: { ...headers, ...more } }).end(body)
      const [answer] = (await once(call, 'response')) as [IncomingMessage]
      await text(answer)
      return performance.now() - begun
    }
    const forgot = (email: string) =>
      timed('POST', path, { 'content-type': 'application/json' }, JSON.stringify({ email }))
    const readProfile = () => timed('GET', '/v1/players/me', { authorization: `Bearer ${guest.accessToken}` })
    const signUp = (email: string) =>
      of === 'players' ? emailCalls(production).signUp(email) : service.newDeveloper(email)

    const all = rounds + WARM_UP_ROUNDS
    for (let account = 0; account * MAILS_MAX < all; account++) await signUp(`known${account}@example.com`)
    await signUp('limited0@example.com')
    for (let i = 0; i < MAILS_MAX; i++) await forgot('limited0@example.com')

    const times = { forgot: emptyTimes(), next: emptyTimes(), following: emptyTimes() }
    for (let round = 0; round < all; round++) {
      for (let place = 0; place < KINDS.length; place++) {
        // Both directions: a kind that always follows `known` is measured after its mail.
        const order = round % 2 === 0 ? place : KINDS.length - place
        const kind = KINDS[(round + order) % KINDS.length] ?? 'known'
        const account = kind === 'limited' ? 0 : Math.floor(round / MAILS_MAX)
        await service.background.drained()
        const asked = await forgot(`${kind}${account}@example.com`)
        const next = await readProfile()
        const [begun, readTimes] = [performance.now(), []] as [number, number[]]
        while (performance.now() < begun + FOLLOWING_MS) readTimes.push(await readProfile())
        const following = readTimes.reduce((sum, ms) => sum + ms, 0) / readTimes.length
        if (round < WARM_UP_ROUNDS) continue
        times.forgot[kind].push(asked)
        times.next[kind].push(next)
        times.following[kind].push(following)
      }
    }
    return { forgot: summary(times.forgot), next: summary(times.next), following: summary(times.following) }
  } finally {
    agent.destroy()
    await service.stop()
  }
}

const emptyTimes = (): Record<Kind, number[]> => ({ known: [], unknown: [], limited: [] })

function summary(times: Record<Kind, number[]>) {
  const quartiles = KINDS.map((kind) => [kind, quartile(times[kind])] as const)
  const values = quartiles.map(([, ms]) => ms)
  return {
    quartileMs: Object.fromEntries(quartiles) as Record<Kind, number>,
    spread: Math.max(...values) / Math.min(...values) - 1,
  }
}

const quartile = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)] ?? 0

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '300' },
      engine: { type: 'string', default: 'sqlite' },
      of: { type: 'string', default: 'players' },
    },
  })
  const engine = engines.find((name) => name === values.engine) ?? 'sqlite'
  const of = values.of === 'developers' ? 'developers' : 'players'
  const services = engine === 'postgres' ? await startServices() : undefined
  if (services)
    Object.assign(process.env, { TEST_POSTGRES_URL: services.postgresUrl, TEST_REDIS_URL: services.redisUrl })
  const timing = await forgotTiming(engine, Number(values.rounds), of)
  await services?.stop()
  for (const [what, { quartileMs, spread }] of Object.entries(timing)) {
    const shown = Object.entries(quartileMs).map(([kind, ms]) => `${kind} ${ms.toFixed(3)} ms`)
    console.log(`${what.padEnd(10)} ${shown.join(', ')}; within ${(spread * 100).toFixed(1)} %`)
  }
  const isRight = Object.values(timing).every(({ spread }) => spread <= SPREAD_MAX)
  console.log(isRight ? 'nothing is revealed' : 'WRONG: more than 10 %')
  process.exitCode = isRight ? 0 : 1
}
