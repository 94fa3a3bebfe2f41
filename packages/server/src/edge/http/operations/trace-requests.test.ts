import assert from 'node:assert/strict'
import { test } from 'node:test'

import { pino } from 'pino'

import { createRequestIds, systemRandom } from '../../../platform/random.ts'
import { createTracer } from '../../../platform/tracing/tracer.ts'
import { createHttpServer } from '../server.ts'
import { traceRequests } from './trace-requests.ts'

test('[OPS-43] the log lines of a request contain the id of its trace', async () => {
  const lines: { requestId?: string; traceId?: string; msg?: string }[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const tracer = createTracer({ sampleRatio: 0, random: systemRandom, send() {} })
  const options = { log, requestIds: createRequestIds(systemRandom) }
  for (const trace of [undefined, (app: ReturnType<typeof createHttpServer>) => traceRequests(app, tracer)]) {
    lines.length = 0
    const app = createHttpServer({ ...options, trace })
    app.get('/fails', async () => {
      throw new Error('for the log')
    })
    await app.inject({ method: 'GET', url: '/fails' })
    await app.close()
    const [first, second] = lines.map(({ traceId }) => traceId)
    assert.equal(lines.length, 2)
    assert.equal(first, second)
    assert.match(first ?? 'none', trace ? /^[\da-f]{32}$/ : /^none$/)
  }
})
