import type { Load, LoadResult } from './load-generator.ts'
import type { Measured } from './metrics.ts'
import { cpuMs, rssMb, threadsCpuMs } from './process-stats.ts'
import { startScript } from './processes.ts'
import { type Request, textOf } from './targets/requests.ts'

/** A server under load, and the process ids of its databases. `hasWorkers`: its child processes are a part of their own in the result. */
export type Target = { port: number; pid: number; databases: number[]; hasWorkers?: true }

/**
 * Sends the requests in turn, repeatedly, from a second process. All responses must have the status of the first request. With
 * `renewed`, every connection has its own request, and copies that member of the response into its next request. With `perSecond`, that
 * many requests are sent, however fast the answers are. With `count`, a connection ends after so many.
 */
export function startLoad(opened: AsyncDisposableStack, connections: number) {
  const generator = startScript<Load, LoadResult>('load-generator.ts')
  opened.defer(generator.end)

  return async (
    { port, pid, databases, hasWorkers }: Target,
    requests: readonly Request[],
    ms: number,
    how: Pick<Load, 'renewed' | 'perSecond' | 'count'> = {},
  ): Promise<Measured> => {
    const cpu = () => ({
      server: cpuMs(pid),
      own: threadsCpuMs(pid),
      database: databases.reduce((sum, each) => sum + cpuMs(each), 0),
    })
    const status = requests[0]?.status ?? 200
    const task = { port, requests: requests.map(textOf), status, connections, ms, ...how }
    const before = cpu()
    const { requests: answered, ...metrics } = await generator.ask(task, ms)
    const after = cpu()

    const [server, database] = [after.server - before.server, after.database - before.database]
    const own = after.own - before.own
    return {
      count: answered,
      cpuMicros: ((server + database) * 1_000) / answered,
      ...(databases.length > 0 && { databaseCpuMicros: (database * 1_000) / answered }),
      ...(hasWorkers && {
        serviceCpuMicros: (own * 1_000) / answered,
        workerdCpuMicros: ((server - own) * 1_000) / answered,
      }),
      ...metrics,
      rssMb: rssMb(pid),
    }
  }
}
