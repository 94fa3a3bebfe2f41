import { createServer } from 'node:http'
import { parseArgs } from 'node:util'

import Fastify from 'fastify'

import type { StoredResponse } from '../requests.ts'
import { batchPerTick } from './tick-batch.ts'

/** The cost of HTTP alone: returns one stored response, with Fastify or node:http. */
const { values } = parseArgs({
  options: {
    kind: { type: 'string' },
    port: { type: 'string' },
    response: { type: 'string', default: '{}' },
  },
})
const { path, status, headers, body } = JSON.parse(values.response) as StoredResponse
const listen = { host: '127.0.0.1', port: Number(values.port) }
const KEEP_ALIVE_MS = 72_000
const runAtEndOfTick = batchPerTick()

if (values.kind === 'fastify') {
  const app = Fastify({ keepAliveTimeout: KEEP_ALIVE_MS })
  app.addHook('onRequest', (_request, _reply, done) => runAtEndOfTick(done))
  app.get(path, (_request, reply) => void reply.code(status).headers(headers).send(body))
  await app.listen(listen)
} else {
  const length = { 'content-length': Buffer.byteLength(body) }
  createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (_request, response) => {
    runAtEndOfTick(() => void response.writeHead(status, { ...headers, ...length }).end(body))
  }).listen(listen)
}
