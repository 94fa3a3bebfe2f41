import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

import type { GameServer } from '../realtime/game-server.ts'
import { type Send, sendTo, startSavers } from '../saving-players.ts'
import { setUpCallerOf } from '../server-process.ts'

const SAVE_EVERY_MS = 10
const REPORT_EVERY_MS = 250
const RENEW_EVERY_MS = 300_000

type Node = { port: number }

export const CONFIG = {
  features: { saves: true, stats: true, multiplayer: true },
  stats: [{ key: 'points', aggregation: 'sum' }],
  integrity: { stats: { maxSubmitsPerMinute: 600 } },
}

/** What all players did. `lost` and `unexpected` must stay empty. */
export type Totals = {
  acknowledged: number
  unavailable: number
  unexpected: string[]
  longestMs: number
  /** Times of the last success and of the last 503, by `performance.now()`. */
  lastSuccessAt: number
  lastUnavailableAt: number
}

/**
 * Players that write saves, others that report stats and create accounts, each one request after the other, on the nodes in turn. A
 * response that is neither a success nor 503 is noted, and `stop` compares what was acknowledged with what is stored.
 */
export async function startLoad(nodes: readonly Node[], game: GameServer, count: number) {
  const totals: Totals = {
    acknowledged: 0,
    unavailable: 0,
    unexpected: [],
    longestMs: 0,
    lastSuccessAt: 0,
    lastUnavailableAt: 0,
  }
  const agent = new Agent({ keepAlive: true })
  let [turn, isStopped] = [0, false]

  const send: Send = async (method, path, options) => {
    const { port } = nodes[turn++ % nodes.length] ?? { port: 0 }
    const begunAt = performance.now()
    const sent = sendTo(agent, port, method, path, { key: game.publishableKey, ...options })
    const answer = await sent.catch((error: unknown) => ({ status: 0, body: String(error) }))
    const endedAt = performance.now()
    totals.longestMs = Math.max(totals.longestMs, endedAt - begunAt)
    if (answer.status === 503) {
      totals.unavailable++
      totals.lastUnavailableAt = endedAt
    } else if (method !== 'GET' && answer.status === 200) {
      totals.acknowledged++
      totals.lastSuccessAt = endedAt
    } else if (method !== 'GET')
      totals.unexpected.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer
  }

  const scorers = await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const call = setUpCallerOf(nodes[at % nodes.length] ?? { port: 0 })
      const { body: session } = await call('POST', '/v1/auth/guest', { key: game.publishableKey, body: {} })
      return { session, renewedAt: performance.now(), points: { sent: 0, acknowledged: 0 } }
    }),
  )
  type Scorer = (typeof scorers)[number]

  /** Access tokens are valid for 15 minutes. */
  async function renew(scorer: Scorer) {
    if (performance.now() - scorer.renewedAt < RENEW_EVERY_MS) return
    const { refreshToken } = scorer.session
    const { status, body } = await send('POST', '/v1/auth/refresh', { body: { refreshToken } })
    if (status !== 200) return
    scorer.session = body
    scorer.renewedAt = performance.now()
  }

  async function report(scorer: Scorer) {
    while (!isStopped) {
      await renew(scorer)
      scorer.points.sent++
      const options = { token: scorer.session.accessToken, body: { stats: { points: 1 } } }
      if ((await send('POST', '/v1/stats', options)).status === 200) scorer.points.acknowledged++
      await pause(REPORT_EVERY_MS)
    }
  }

  const guests: string[] = []
  async function join() {
    while (!isStopped) {
      const { status, body } = await send('POST', '/v1/auth/guest', { body: {} })
      if (status === 200) guests.push(body.accessToken)
      await pause(REPORT_EVERY_MS)
    }
  }

  const savers = startSavers(send, { players: count, pauseMs: SAVE_EVERY_MS })
  const loops = scorers.flatMap((scorer) => [report(scorer), join()])

  return {
    totals,
    /** Ends the load and returns a line per acknowledged write that is missing. */
    async stop(): Promise<string[]> {
      isStopped = true
      const { lost } = await savers.stop()
      await Promise.all(loops)
      const missing = [...lost, ...(await lostPoints(send, scorers)), ...(await lostGuests(send, guests))]
      agent.destroy()
      return missing
    },
  }
}

type Scored = {
  session: { accessToken: string; player: { id: string } }
  points: { sent: number; acknowledged: number }
}

async function lostPoints(send: Send, scorers: readonly Scored[]): Promise<string[]> {
  const lost: string[] = []
  for (const { session, points } of scorers) {
    const { sent, acknowledged } = points
    const stored = (await send('GET', '/v1/stats', { token: session.accessToken })).body.stats?.points
    if (!(stored >= acknowledged && stored <= sent))
      lost.push(
        `points of ${session.player.id}: ${acknowledged} acknowledged, ${sent} sent, ${stored} stored`,
      )
  }
  return lost
}

/** Only those whose token is still valid can be asked for. */
async function lostGuests(send: Send, tokens: readonly string[]): Promise<string[]> {
  const lost: string[] = []
  for (const token of tokens) {
    const { status, body } = await send('GET', '/v1/players/me', { token })
    if (status !== 200 && body.error?.code !== 'token_expired')
      lost.push(`a guest: ${status} ${JSON.stringify(body)}`)
  }
  return lost
}
