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
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-00` }
    await app.inject({ method: 'GET', url: '/fails', headers })
    await app.close()
    assert.deepEqual(
      lines.map((line) => ('traceId' in line ? line.traceId : 'none')),
      trace ? [traceId, traceId] : ['none', 'none'],
    )
  }
})
