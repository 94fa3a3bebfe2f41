// Answers the service on the control socket. Code of developers cannot reach it.
import { countedRows } from './db.js'
import { deliveries } from './deliveries.js'

const OPERATIONS = {
  async query(env, { database, sql, params, limits }) {
    return databaseOf(env, database).query(sql, params, limits)
  },
  async migrate(env, { database, migrations, table }) {
    return databaseOf(env, database).migrate(migrations, table)
  },
  async scheduled(env, { cron, at }) {
    return env.USER.scheduled({ cron, scheduledTime: new Date(at) })
  },
  /** The ids of requests that continue after their answer. */
  async continued(env) {
    return (await env.USER.fetch('http://svc/', { cf: { svcContinued: true } })).json()
  },
  /** Starts no delivery any more. */
  pauseQueues() {
    deliveries.isPaused = true
    return { running: deliveries.running }
  },
  /** Collects the garbage of this worker and of the code: each has its own heap. */
  async collect(env) {
    svcCollectGarbage()
    await env.USER?.fetch('http://svc/', { cf: { svcCollect: true } })
    return {}
  },
  /** Delivers messages that were sent while their queue had no consumer. */
  async resumeQueues(env, { queues }) {
    for (const name of queues) await env.QUEUES.get(env.QUEUES.idFromName(name)).resume(name)
    return {}
  },
}

const databaseOf = (env, id) => env.DATABASE.get(env.DATABASE.idFromName(id))

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url)
    if (pathname === '/ping') return Response.json({ ...countedRows(), deliveries: deliveries.running })
    try {
      return Response.json(await OPERATIONS[pathname.slice(1)](env, await request.json()))
    } catch (error) {
      return Response.json({ failed: String(error?.message ?? error) }, { status: 500 })
    }
  },
}
