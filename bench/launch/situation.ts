import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

import pg from 'pg'

import { startPostgres, startRedis } from '../../scripts/services.ts'
import { median, percentile } from '../metrics.ts'
import type { Server } from '../processes.ts'
import { startService } from '../targets/service.ts'

/** One line of the report: what was measured, and what LAUNCH promises. */
export type Finding = { what: string; measured: string; goal: string; isMet: boolean }

/** What happens to a game on the day of its launch. */
export type Situation = {
  name: string
  /** Starts its own nodes on `opened`. */
  run(opened: AsyncDisposableStack, options: SituationOptions): Promise<Finding[]>
}
export type SituationOptions = {
  /** Folder of another checkout than this one, to measure what was before. */
  checkout?: string | undefined
  /** 1 is the size of the report; less is a quicker look. */
  scale: number
  log(line: string): void
}

/** How long a commit takes on a disk of a cloud, or with a synchronous standby. This machine's own disk hides what waits for it. */
const COMMIT_MICROSECONDS = 2_000

/** Nodes on one PostgreSQL, whose commits take as long as in a cloud, and one Redis. */
export async function startCloudNodes(
  opened: AsyncDisposableStack,
  options: {
    count?: number
    checkout?: string | undefined
    settings?: Record<string, string>
    nodeArgs?: string[]
    /** The address by which the nodes reach PostgreSQL: that of a proxy in front of it. */
    databaseVia?: (url: string) => Promise<string>
  },
): Promise<{ nodes: Server[]; databaseUrl: string; databasePid: number }> {
  const { count = 2, checkout, settings = {}, nodeArgs = [], databaseVia = async (url) => url } = options
  const postgres = await startPostgres({ sync: true })
  opened.defer(postgres.stop)
  await slowCommits(postgres.url)
  const databaseUrl = await databaseVia(postgres.url)
  const redis = await startRedis()
  opened.defer(redis.stop)

  const nodes: Server[] = []
  for (let i = 0; i < count; i++) {
    const node = await startService({
      ...(checkout !== undefined && { checkout }),
      engines: { DATABASE_URL: databaseUrl, REDIS_URL: redis.url },
      settings: { SVC_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'), ...settings },
      nodeArgs,
    })
    opened.defer(node.end)
    nodes.push(node)
  }
  return { nodes, databaseUrl: postgres.url, databasePid: postgres.pid }
}

async function slowCommits(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`alter system set commit_delay = ${COMMIT_MICROSECONDS}`)
  await client.query('alter system set commit_siblings = 0')
  await client.query('select pg_reload_conf()')
  await client.end()
}

export type Sent = { method: string; path: string; headers: Record<string, string>; body?: object }

/** How requests were answered. Times count from when a request was due, so that a service that is late cannot hide it. */
export class Answers {
  readonly statuses = new Map<number, number>()
  readonly #ms: number[] = []

  add(status: number, ms: number) {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    if (status >= 200 && status < 300) this.#ms.push(ms)
  }

  get count(): number {
    return [...this.statuses.values()].reduce((sum, count) => sum + count, 0)
  }
  get accepted(): number {
    return this.#ms.length
  }
  get refused(): number {
    return this.count - this.accepted
  }
  get p50(): number {
    return median(this.#ms)
  }
  get p99(): number {
    return percentile(
      this.#ms.toSorted((a, b) => a - b),
      0.99,
    )
  }
  toString(): string {
    const statuses = [...this.statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
    return `${statuses}; p50 ${this.p50.toFixed(1)} ms, p99 ${this.p99.toFixed(1)} ms`
  }
}

const ANSWER_MAX_MS = 30_000

/**
 * Sends so many requests a second for so long, in turn to each node, whether or not earlier ones are answered. Status 0 is a connection
 * that failed.
 */
export async function load(
  nodes: readonly Server[],
  { perSecond, seconds, next }: { perSecond: number; seconds: number; next: (index: number) => Sent },
): Promise<Answers> {
  const agent = new Agent({ keepAlive: true, maxSockets: 2_000 })
  const answers = new Answers()
  const beginAt = performance.now()
  const all: Promise<void>[] = []
  for (let i = 0; i < perSecond * seconds; i++) {
    const dueAt = beginAt + (i * 1_000) / perSecond
    const waitMs = dueAt - performance.now()
    if (waitMs > 1) await sleep(waitMs)
    const { port } = nodes[i % nodes.length] as Server
    all.push(statusOf(agent, port, next(i)).then((status) => answers.add(status, performance.now() - dueAt)))
  }
  await Promise.all(all)
  agent.destroy()
  return answers
}

function statusOf(agent: Agent, port: number, { method, path, headers, body }: Sent): Promise<number> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  return new Promise((resolve) => {
    const sent = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: { ...headers, ...(text !== undefined && { 'content-type': 'application/json' }) },
        timeout: ANSWER_MAX_MS,
      },
      (response) => response.resume().on('end', () => resolve(response.statusCode ?? 0)),
    )
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => resolve(0))
    sent.end(text)
  })
}
