import { EventEmitter, once } from 'node:events'

import type { Bus } from '../platform/ports/bus.ts'
import { WAIT_MAX_MS } from './in-time.ts'

export { startRedis } from '../../../../scripts/services.ts'

/** The Redis that all tests share; each uses a separate prefix. A test that stops or freezes Redis starts a separate one. */
export function testRedisUrl(): string {
  const url = process.env.TEST_REDIS_URL
  if (!url) throw new Error('TEST_REDIS_URL is not set: run it through npm test')
  return url
}

/** The messages of a topic, which a test awaits one by one. */
export function createInbox(bus: Bus, topic: string) {
  const messages: string[] = []
  const arrivals = new EventEmitter()
  bus.subscribe(topic, (message) => {
    messages.push(message)
    arrivals.emit('message')
  })

  return {
    async next(): Promise<string | undefined> {
      if (messages.length === 0) await once(arrivals, 'message', { signal: AbortSignal.timeout(WAIT_MAX_MS) })
      return messages.shift()
    },
  }
}
