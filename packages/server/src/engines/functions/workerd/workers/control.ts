// Answers the service on the control socket. Code of developers cannot reach it.
import { countedRows, type Database, type Migration, type Parameter } from './db.ts'
import { deliveries } from './deliveries.ts'
import type { Queue } from './queue.ts'
import type { Exporting, Objects, Service } from './runtime.ts'

type User = Service & { scheduled(event: { cron: string; scheduledTime: Date }): Promise<unknown> }
type Env = { USER: User; DATABASE: Objects<Database>; QUEUES: Objects<Queue> }
type Query = {
  database: string
  sql: string
  params: Parameter[]
  limits: { rowsMax: number; bytesMax: number }
}

const OPERATIONS: Record<string, (env: Env, input: never) => unknown> = {
  async query(env: Env, { database, sql, params, limits }: Query) {
    return databaseOf(env, database).query(sql, params, limits)
  },
  async migrate(
    env: Env,
    { database, migrations, table }: { database: string; migrations: Migration[]; table: string },
  ) {
    return databaseOf(env, database).migrate(migrations, table)
  },
  async scheduled(env: Env, { cron, at }: { cron: string; at: number }) {
    return env.USER.scheduled({ cron, scheduledTime: new Date(at) })
  },
  /** The ids of requests that continue after their answer. */
  async continued(env: Env) {
    return (await env.USER.fetch('http://svc/', { cf: { svcContinued: true } })).json()
  },
  /** The classes of rooms; only in a trial. */
  async rooms(env: Env) {
    return (await env.USER.fetch('http://svc/', { cf: { svcRooms: true } })).json()
  },
  /** Starts no delivery any more. */
  pauseQueues() {
    deliveries.isPaused = true
    return { running: deliveries.running }
  },
  /** Collects the garbage of this worker and of the code: each has its own heap. */
  async collect(env: Partial<Env>) {
    svcCollectGarbage()
    await env.USER?.fetch('http://svc/', { cf: { svcCollect: true } })
    return {}
  },
  /** Delivers messages that were sent while their queue had no consumer. */
  async resumeQueues(env: Env, { queues }: { queues: string[] }) {
    for (const name of queues) await env.QUEUES.get(env.QUEUES.idFromName(name)).resume(name)
    return {}
  },
}

const databaseOf = (env: Env, id: string): ReturnType<Objects<Database>['get']> =>
  env.DATABASE.get(env.DATABASE.idFromName(id))

/** Rooms use the stores of their environment in this process, which has the data: `{ entrypoint, props }`, as a binding has them. */
const STORE_HEADER = 'svc-store'

function callStore(request: Request, target: string, { exports }: Exporting): Promise<Response> | Response {
  const { entrypoint, props } = JSON.parse(target) as { entrypoint: string; props: object }
  const store = exports[entrypoint]
  return store ? store({ props }).fetch(request) : new Response(null, { status: 404 })
}

export default {
  async fetch(request: Request, env: Env, context: Exporting) {
    const store = request.headers.get(STORE_HEADER)
    if (store !== null) return callStore(request, store, context)
    const { pathname } = new URL(request.url)
    if (pathname === '/ping') return Response.json({ ...countedRows(), deliveries: deliveries.running })
    try {
      const operation = OPERATIONS[pathname.slice(1)]
      if (!operation) throw new Error('There is no such operation.')
      return Response.json(await operation(env, (await request.json()) as never))
    } catch (error) {
      return Response.json({ failed: String(error?.message ?? error) }, { status: 500 })
    }
  },
}
