// Answers the service on the control socket. Code of developers cannot reach it.
import { countedRows } from './db.js'
import { deliveries } from './deliveries.js'

/** @import { Objects, Service } from './runtime.ts' */
/** @import { Database, Migration, Parameter } from './db.js' */
/** @import { Queue } from './queue.js' */

/**
 * @typedef {Service & { scheduled(event: { cron: string, scheduledTime: Date }): Promise<unknown> }} User
 * @typedef {{ USER: User, DATABASE: Objects<Database>, QUEUES: Objects<Queue> }} Env
 * @typedef {{ database: string, sql: string, params: Parameter[], limits: { rowsMax: number, bytesMax: number } }} Query
 */

/** @type {Record<string, (env: Env, input: never) => unknown>} */
const OPERATIONS = {
  /**
   * @param {Env} env
   * @param {Query} query
   */
  async query(env, { database, sql, params, limits }) {
    return databaseOf(env, database).query(sql, params, limits)
  },
  /**
   * @param {Env} env
   * @param {{ database: string, migrations: Migration[], table: string }} input
   */
  async migrate(env, { database, migrations, table }) {
    return databaseOf(env, database).migrate(migrations, table)
  },
  /**
   * @param {Env} env
   * @param {{ cron: string, at: number }} event
   */
  async scheduled(env, { cron, at }) {
    return env.USER.scheduled({ cron, scheduledTime: new Date(at) })
  },
  /**
   * The ids of requests that continue after their answer.
   * @param {Env} env
   */
  async continued(env) {
    return (await env.USER.fetch('http://svc/', { cf: { svcContinued: true } })).json()
  },
  /** Starts no delivery any more. */
  pauseQueues() {
    deliveries.isPaused = true
    return { running: deliveries.running }
  },
  /**
   * Collects the garbage of this worker and of the code: each has its own heap.
   * @param {Partial<Env>} env
   */
  async collect(env) {
    svcCollectGarbage()
    await env.USER?.fetch('http://svc/', { cf: { svcCollect: true } })
    return {}
  },
  /**
   * Delivers messages that were sent while their queue had no consumer.
   * @param {Env} env
   * @param {{ queues: string[] }} input
   */
  async resumeQueues(env, { queues }) {
    for (const name of queues) await env.QUEUES.get(env.QUEUES.idFromName(name)).resume(name)
    return {}
  },
}

/** @type {(env: Env, id: string) => ReturnType<Objects<Database>['get']>} */
const databaseOf = (env, id) => env.DATABASE.get(env.DATABASE.idFromName(id))

export default {
  /**
   * @param {Request} request
   * @param {Env} env
   */
  async fetch(request, env) {
    const { pathname } = new URL(request.url)
    if (pathname === '/ping') return Response.json({ ...countedRows(), deliveries: deliveries.running })
    try {
      const operation = OPERATIONS[pathname.slice(1)]
      if (!operation) throw new Error('There is no such operation.')
      return Response.json(await operation(env, /** @type {never} */ (await request.json())))
    } catch (error) {
      return Response.json({ failed: String(error?.message ?? error) }, { status: 500 })
    }
  },
}
