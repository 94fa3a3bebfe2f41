import { setTimeout as pause } from 'node:timers/promises'

import { type CallServer, callerOf, setUpCallerOf } from '../server-process.ts'

const REPORT_EVERY_MS = 250
const PAUSE_MS = 10

type Node = { port: number }

/** Creates a project with saves and stats; returns its keys of production. */
export async function createGame(node: Node): Promise<{ publishable: string; secret: string }> {
  const call = setUpCallerOf(node)
  const account = { email: 'ada@example.com', password: 'correct horse battery' }
  const { body: developer } = await call('POST', '/v1/developers/signup', { body: account })
  const { body: created } = await call('POST', '/v1/projects', {
    token: developer.token,
    body: { name: 'Engines' },
  })
  const keyOf = (type: string): string =>
    created.keys.find(
      (key: { environment: string; type: string }) => key.environment === 'production' && key.type === type,
    ).key
  const config = {
    features: { saves: true, stats: true, multiplayer: true },
    stats: [{ key: 'points', aggregation: 'sum' }],
    integrity: { stats: { maxSubmitsPerMinute: 600 } },
  }
  await call('PUT', '/v1/config', { key: keyOf('secret'), body: config })
  return { publishable: keyOf('publishable'), secret: keyOf('secret') }
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
 * Players that write saves, report stats and create accounts, each one request after the other, on the nodes in turn. A response that is
 * neither a success nor 503 is noted, and `verify` compares what was acknowledged with what is stored.
 */
export async function startPlayers(nodes: readonly Node[], key: string, count: number) {
  const totals: Totals = {
    acknowledged: 0,
    unavailable: 0,
    unexpected: [],
    longestMs: 0,
    lastSuccessAt: 0,
    lastUnavailableAt: 0,
  }
  const guests: string[] = []
  let isStopped = false

  /** The body, or undefined after a 503. */
  async function counted(call: CallServer, ...[method, path, options]: Parameters<CallServer>) {
    const begunAt = performance.now()
    const answer = await call(method, path, { key, ...options }).catch((error: unknown) => ({
      status: 0,
      body: String(error),
    }))
    totals.longestMs = Math.max(totals.longestMs, performance.now() - begunAt)
    if (answer.status === 200) {
      totals.acknowledged++
      totals.lastSuccessAt = performance.now()
      return answer.body
    }
    if (answer.status === 503) {
      totals.unavailable++
      totals.lastUnavailableAt = performance.now()
    } else totals.unexpected.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return undefined
  }

  const players = await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const node = nodes[at % nodes.length] ?? { port: 0 }
      const { body: session } = await setUpCallerOf(node)('POST', '/v1/auth/guest', { key, body: {} })
      return {
        call: callerOf(node),
        session,
        saves: { sent: 0, acknowledged: 0 },
        points: { sent: 0, acknowledged: 0 },
        renewedAt: performance.now(),
      }
    }),
  )
  type Player = (typeof players)[number]

  /** Access tokens are valid for 15 minutes. */
  async function renew(player: Player) {
    if (performance.now() - player.renewedAt < 300_000) return
    const { refreshToken } = player.session
    const session = await counted(player.call, 'POST', '/v1/auth/refresh', { body: { refreshToken } })
    if (!session) return
    player.session = session
    player.renewedAt = performance.now()
  }

  async function save(player: Player) {
    while (!isStopped) {
      await renew(player)
      const { saves, session } = player
      const n = ++saves.sent
      const options = { token: session.accessToken, body: { data: { n } } }
      if (await counted(player.call, 'PUT', '/v1/saves/slot', options)) saves.acknowledged = n
      await pause(PAUSE_MS)
    }
  }

  async function report(player: Player) {
    while (!isStopped) {
      const { points, session } = player
      points.sent++
      const options = { token: session.accessToken, body: { stats: { points: 1 } } }
      if (await counted(player.call, 'POST', '/v1/stats', options)) points.acknowledged++
      await pause(REPORT_EVERY_MS)
    }
  }

  async function join(player: Player) {
    while (!isStopped) {
      const guest = await counted(player.call, 'POST', '/v1/auth/guest', { body: {} })
      if (guest) guests.push(guest.accessToken)
      await pause(REPORT_EVERY_MS)
    }
  }

  const loops = players.flatMap((player) => [save(player), report(player), join(player)])

  return {
    totals,
    /** Ends the load and returns a line per acknowledged write that is missing. */
    async stop(): Promise<string[]> {
      isStopped = true
      await Promise.all(loops)
      return [...(await lostValues(players, key)), ...(await lostGuests(nodes, key, guests))]
    },
  }
}

type Counted = { sent: number; acknowledged: number }
type Written = {
  session: { accessToken: string; player: { id: string } }
  saves: Counted
  points: Counted
  call: CallServer
}

async function lostValues(players: readonly Written[], key: string): Promise<string[]> {
  const lost: string[] = []
  for (const { call, session, saves, points } of players) {
    const options = { key, token: session.accessToken }
    const { body: save } = await call('GET', '/v1/saves/slot', options)
    const { body: stats } = await call('GET', '/v1/stats', options)
    for (const [what, { sent, acknowledged }, stored] of [
      ['save', saves, save.data?.n],
      ['points', points, stats.stats?.points],
    ] as const)
      if (!(stored >= acknowledged && stored <= sent))
        lost.push(
          `${what} of ${session.player.id}: ${acknowledged} acknowledged, ${sent} sent, ${stored} stored`,
        )
  }
  return lost
}

/** Only those whose token is still valid can be asked for. */
async function lostGuests(nodes: readonly Node[], key: string, tokens: readonly string[]): Promise<string[]> {
  const call = callerOf(nodes[0] ?? { port: 0 })
  const lost: string[] = []
  for (const token of tokens) {
    const { status, body } = await call('GET', '/v1/players/me', { key, token })
    if (status !== 200 && body.error?.code !== 'token_expired')
      lost.push(`a guest: ${status} ${JSON.stringify(body)}`)
  }
  return lost
}
