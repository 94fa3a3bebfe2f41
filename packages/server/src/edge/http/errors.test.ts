import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'

import fastify from 'fastify'

import { ApiError } from '../../platform/api-error.ts'
import { answerErrors } from './errors.ts'

type Line = { level: number; msg: string; err?: object; reason?: string }
const [WARN, ERROR] = [40, 50]

/** The lines that an error is logged with. */
async function linesOf(error: Error): Promise<Line[]> {
  const lines: Line[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Line)
      done()
    },
  })
  const app = fastify({ logger: { stream, level: 'warn' } })
  app.decorateRequest('refusal')
  app.setErrorHandler(answerErrors(app.log))
  app.get('/', () => Promise.reject(error))
  await app.inject('/')
  await app.close()
  return lines
}

test('what code of developers causes is logged as a warning without a stack', async () => {
  for (const code of ['cpu_limit_exceeded', 'functions_suspended', 'function_restarted'] as const) {
    const [line] = await linesOf(new ApiError(code, undefined, { cause: new Error('the reason') }))
    assert.deepEqual([line?.level, line?.msg, line?.err, line?.reason], [WARN, code, undefined, 'the reason'])
  }
  assert.deepEqual(await linesOf(new ApiError('functions_disabled')), [], 'a refusal')
})

test('what is wrong with the service is logged as an error with its stack', async () => {
  const [line] = await linesOf(new Error('unexpected'))
  assert.deepEqual([line?.level, line?.msg, typeof line?.err], [ERROR, 'internal_error', 'object'])
})
