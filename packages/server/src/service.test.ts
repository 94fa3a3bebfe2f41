import assert from 'node:assert/strict'
import { test } from 'node:test'

import { comesTrue } from './testing/in-time.ts'
import { startRedis } from './testing/redis.ts'
import { startService } from './testing/service.ts'

test('a service stops although background work never ends', async () => {
  const service = await startService('sqlite')
  service.background.run(() => new Promise(() => {}))
  await service.stop()
})

test('a start that fails because Redis is lost leaves no timer and no connection', async (t) => {
  const redis = await startRedis()
  t.after(() => redis.stop())
  const inUse = () => process.getActiveResourcesInfo().filter((kind) => /Timeout|TCP/.test(kind)).length
  const before = inUse()

  const starting = startService('postgres', {
    settings: { REDIS_URL: redis.url },
    mount: () => void process.kill(redis.pid, 'SIGSTOP'),
  })

  await assert.rejects(starting, { code: 'service_unavailable' })
  await comesTrue('everything is closed', () => inUse() <= before)
})
