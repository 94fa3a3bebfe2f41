import { parseArgs } from 'node:util'

import { startServices } from '../../../../scripts/services.ts'
import { comesTrue } from '../../src/testing/in-time.ts'
import { type Engine, type Service, startService } from '../../src/testing/service.ts'

/**
 * Nodes compare the time of a use with the time of the database, which each of them asks for when it starts. If the machine is so busy
 * that an answer is late, they know better after some seconds.
 */
export const clocksAgree = (nodes: readonly Service[]): Promise<void> =>
  comesTrue('the nodes have the same time', () => {
    const times = nodes.map(({ db }) => db.databaseNowMs())
    return Math.max(...times) - Math.min(...times) < CLOCK_DIFFERENCE_MAX_MS
  })

/** A replay is sent after the answer to the use, which a machine that is busy enough for such a difference takes longer to send. */
export const CLOCK_DIFFERENCE_MAX_MS = 5

export type Rounds = { rounds: number; callers: number; wrong: string[] }

/**
 * Repeats concurrent uses of one refresh token, spread over the nodes. Exactly one wins, the others lose a race, the winner's
 * token works, and an immediate replay of it revokes the chain.
 */
export async function refreshRounds(
  nodes: Service[],
  key: string,
  rounds: number,
  callers: number,
): Promise<Rounds> {
  const wrong: string[] = []
  const on = (node: number) => nodes[node % nodes.length]?.withKey(key) ?? raise()
  const refresh = (node: number, refreshToken: string) =>
    on(node)('POST', '/v1/auth/refresh', { refreshToken })

  async function round(number: number) {
    const { body: session } = await on(number)('POST', '/v1/auth/guest', {})
    const race = Array.from({ length: callers }, (_, caller) =>
      refresh(number + caller, session.refreshToken),
    )
    const answers = await Promise.all(race)
    const won = answers.filter(({ status }) => status === 200)
    const lost = answers.filter(({ body }) => body.error?.code === 'refresh_race')
    if (won.length !== 1 || lost.length !== callers - 1) wrong.push(`${won.length} won, ${lost.length} lost`)

    const next = await refresh(number, won[0]?.body.refreshToken)
    if (next.status !== 200) wrong.push(`the winner's token answers ${next.status}`)
    const replay = await refresh(number + 1, won[0]?.body.refreshToken)
    if (replay.body.error?.code !== 'session_revoked') wrong.push(`a replay answers ${replay.status}`)
  }

  // Runs several rounds concurrently, because each round mostly waits.
  for (let done = 0; done < rounds; done += 20) {
    await Promise.all(Array.from({ length: Math.min(20, rounds - done) }, (_, i) => round(done + i)))
  }
  return { rounds, callers, wrong }
}

function raise(): never {
  throw new Error('no node')
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '1000' }, engine: { type: 'string', default: 'sqlite' } },
  })
  const engine = values.engine as Engine
  const services = engine === 'postgres' ? await startServices() : undefined
  if (services)
    Object.assign(process.env, { TEST_POSTGRES_URL: services.postgresUrl, TEST_REDIS_URL: services.redisUrl })
  const first = await startService(engine)
  const nodes = engine === 'postgres' ? [first, await startService(engine, { clusterOf: first })] : [first]
  const { development } = await first.newProject()
  await clocksAgree(nodes)
  for (const callers of [2, 20]) {
    const { rounds, wrong } = await refreshRounds(
      nodes,
      development.publishableKey,
      Number(values.rounds),
      callers,
    )
    console.log(
      `${engine}, ${nodes.length} nodes, ${callers} callers: ${rounds} rounds, ${wrong.length} wrong`,
      wrong.slice(0, 5),
    )
    if (wrong.length > 0) process.exitCode = 1
  }
  for (const node of nodes.toReversed()) await node.stop()
  await services?.stop()
}
