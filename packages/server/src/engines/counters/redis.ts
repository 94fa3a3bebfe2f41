import { type Clock, millisecondsOf } from '../../platform/clock.ts'
import { openConnection } from '../redis/connection.ts'
import type { Counters, CountersOptions } from './counters.ts'
import { runAdmit, runHit, runTakeBack } from './scripts.ts'
import { currentWindow } from './window.ts'

export async function openRedisCounters(
  url: string,
  clock: Clock,
  options: CountersOptions = {},
): Promise<Counters> {
  const connection = await openConnection(url, { name: 'counters' }, options)
  const { prefix = 'svc:' } = options
  const nameOf = (key: string) => `${prefix}counters:${key}`

  return {
    async hit(key, windowMs) {
      const { index, resetsInMs } = currentWindow(millisecondsOf(clock), windowMs)
      const call = { keys: [nameOf(key)], arguments: [String(windowMs), String(index)] }
      const count = await connection.run((client) => runHit(client, call))
      return { count: Number(count), resetsInMs }
    },

    async read(key, windowMs) {
      const { index, resetsInMs } = currentWindow(millisecondsOf(clock), windowMs)
      const stored = await connection.run((client) => client.hGet(nameOf(key), String(windowMs)))
      const [window = -1, count = 0] = stored?.split(':').map(Number) ?? []
      return { count: window >= index ? count : 0, resetsInMs }
    },

    async takeBack(key, windowMs) {
      const { index } = currentWindow(millisecondsOf(clock), windowMs)
      const call = { keys: [nameOf(key)], arguments: [String(windowMs), String(index)] }
      await connection.run((client) => runTakeBack(client, call))
    },

    async admit(key, windowMs, max) {
      const nowMs = millisecondsOf(clock)
      const call = {
        keys: [`${prefix}recent:${windowMs}:${key}`],
        arguments: [nowMs, windowMs, max].map(String),
      }
      const retryInMs = Number(await connection.run((client) => runAdmit(client, call)))
      return { isAdmitted: retryInMs === 0, retryInMs }
    },

    async clear(key) {
      await connection.run((client) => client.unlink(nameOf(key)))
    },

    async ping() {
      await connection.run((client) => client.ping())
    },

    close: () => connection.close(),
  }
}
