import type { SystemEngine, SystemNode } from '@svc/contract/operator'
import type { Part } from '@svc/contract/platform'

import type { Queries } from '../../platform/actors/queries.ts'
import { ApiError } from '../../platform/api-error.ts'
import { type Clock, monotonicMs, timestamp } from '../../platform/clock.ts'
import type { Sample, Sampler } from './sampler.ts'

type SystemDeps = {
  clock: Clock
  queries: Pick<Queries, 'define'>
  sampler: Pick<Sampler, 'current' | 'last'>
  node: { id: string; version: string; heapBytes(): number; eventLoopP99Ms(): number }
  /** One check per engine; rejects while the engine cannot do its work. */
  checks: Readonly<Record<string, () => Promise<unknown>>>
  kinds: Readonly<Record<string, string>>
  /** The names of the engines that cannot do their work; checked at most once per second. */
  findDown(): Promise<string[]>
  /** The state of every part of this node. */
  partStates(): Promise<Record<string, Part>>
  mailQueue(): Promise<{ pending: number; failed: number }>
  jobs(): Promise<
    { name: string; slotAtMs: number; isDone: boolean; attempts: number; lastError: string | null }[]
  >
  storage(): Promise<{ databaseBytes: number | null; freeBytes: number }>
}

export type System = ReturnType<typeof createSystem>

const CHECK_TIMEOUT_MS = 10_000

/** The state of the whole service, for its operators. A node that does not answer in time is left out. */
export function createSystem(deps: SystemDeps) {
  const { clock, queries, sampler, node, checks, kinds, findDown, partStates, mailQueue, jobs, storage } =
    deps
  const startedAt = timestamp(clock)

  const nodes = queries.define('system.node', (): SystemNode => ({
    id: node.id,
    version: node.version,
    startedAt,
    ...sampler.current(),
    heapBytes: node.heapBytes(),
    eventLoopP99Ms: Math.round(node.eventLoopP99Ms() * 100) / 100,
  }))
  const series = queries.define('system.series', (minutes: number): { id: string; minutes: Sample[] } => ({
    id: node.id,
    minutes: sampler.last(minutes),
  }))

  async function engines(): Promise<SystemEngine[]> {
    const down = await findDown()
    return Object.entries(kinds).map(([name, kind]) => ({ name, kind, ok: !down.includes(name) }))
  }

  return {
    read: async ({ parts = false }: { parts?: boolean }) => ({
      now: timestamp(clock),
      nodes: (await nodes(null)).sort(byId),
      engines: await engines(),
      mail: await mailQueue(),
      jobs: (await jobs()).map(({ name, slotAtMs, isDone, attempts, lastError }) => ({
        name,
        slotAt: new Date(slotAtMs).toISOString(),
        done: isDone,
        attempts,
        lastError,
      })),
      storage: await storage(),
      ...(parts && { parts: await partStates() }),
    }),

    series: async ({ minutes = 60 }: { minutes?: number }) => ({ nodes: (await series(minutes)).sort(byId) }),

    async check(engine: string) {
      const check = Object.hasOwn(checks, engine) ? checks[engine] : undefined
      if (!check) throw new ApiError('not_found')
      const startedAt = monotonicMs()
      const error = await problemOf(check)
      return { engine, ok: error === null, ms: Math.round(monotonicMs() - startedAt), error }
    },
  }
}

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)

async function problemOf(check: () => Promise<unknown>): Promise<string | null> {
  const late = Promise.withResolvers<string>()
  const timeout = setTimeout(late.resolve, CHECK_TIMEOUT_MS, `no answer within ${CHECK_TIMEOUT_MS} ms`)
  const checked = check().then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  try {
    return await Promise.race([checked, late.promise])
  } finally {
    clearTimeout(timeout)
  }
}
