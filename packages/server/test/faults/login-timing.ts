import { parseArgs } from 'node:util'

import { statement } from '../../src/engines/database/database.ts'
import { emailCalls, newEmailProject } from '../../src/testing/email-players.ts'
import { type Engine, engines, startService } from '../../src/testing/service.ts'

/**
 * node --conditions=source packages/server/test/faults/login-timing.ts [--log-ins 300] [--engine sqlite]
 *
 * Measures log-ins with a wrong password, of four kinds in turn, with the real password hash. Neither the response nor its
 * duration may reveal who has an account. All responses must have the same bytes, and the medians must be within 10 % of each
 * other.
 */
const KINDS = ['known', 'unknown', 'passwordless', 'banned'] as const
type Kind = (typeof KINDS)[number]

const WARM_UP_ROUNDS = 5
const SPREAD_MAX = 0.1

const removePassword = statement((q, { email }: { email: string }) =>
  q.updateTable('players').set({ passwordHash: null }).where('email', '=', email),
)
const emailOf = (kind: Kind) => `${kind}@example.com`

export type Timing = { medianMs: Record<Kind, number>; spread: number; answers: number }

export async function logInTiming(engine: Engine, logIns: number): Promise<Timing> {
  // Production counts failures. There are never so many that a log-in is rejected.
  const service = await startService(engine, { passwords: 'real', settings: { SVC_RATE_LIMITS: 'off' } })
  try {
    const { production } = await newEmailProject(service)
    const { signUp, player } = emailCalls(production)
    await signUp(emailOf('known'))
    await signUp(emailOf('passwordless'))
    await service.db.run(removePassword, { email: emailOf('passwordless') })
    const { id } = await player(emailOf('banned'))
    await production.server('POST', `/v1/admin/players/${id}/ban`, {})

    const times: Record<Kind, number[]> = { known: [], unknown: [], passwordless: [], banned: [] }
    const answers = new Set<string>()
    const rounds = Math.ceil(logIns / KINDS.length)
    for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
      for (let place = 0; place < KINDS.length; place++) {
        const kind = KINDS[(round + WARM_UP_ROUNDS + place) % KINDS.length] ?? 'known'
        const begun = performance.now()
        const { statusCode, body } = await service.http.inject({
          method: 'POST',
          url: '/v1/auth/email/login',
          headers: { 'x-svc-key': production.publishableKey },
          payload: { email: emailOf(kind), password: 'wrong password' },
        })
        if (round >= 0) times[kind].push(performance.now() - begun)
        answers.add(`${statusCode} ${body}`)
      }
    }
    const medians = KINDS.map((kind) => [kind, median(times[kind])] as const)
    const values = medians.map(([, ms]) => ms)
    return {
      medianMs: Object.fromEntries(medians) as Record<Kind, number>,
      spread: Math.max(...values) / Math.min(...values) - 1,
      answers: answers.size,
    }
  } finally {
    await service.stop()
  }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

if (import.meta.main) {
  const { values } = parseArgs({
    options: { 'log-ins': { type: 'string', default: '300' }, engine: { type: 'string', default: 'sqlite' } },
  })
  const engine = engines.find((name) => name === values.engine) ?? 'sqlite'
  const { medianMs, spread, answers } = await logInTiming(engine, Number(values['log-ins']))
  for (const [kind, ms] of Object.entries(medianMs)) console.log(`${kind.padEnd(12)} ${ms.toFixed(2)} ms`)
  const isRight = spread <= SPREAD_MAX && answers === 1
  console.log(`${answers} different answer(s), medians within ${(spread * 100).toFixed(1)} %`)
  console.log(isRight ? 'nothing is revealed' : 'WRONG: more than one answer, or more than 10 %')
  process.exitCode = isRight ? 0 : 1
}
