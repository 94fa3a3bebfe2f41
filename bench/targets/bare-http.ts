import { createServer } from 'node:http'
import { parseArgs } from 'node:util'

import Fastify from 'fastify'

import type { Answer } from './requests.ts'

/** The cost of HTTP alone: returns one stored response, with Fastify or node:http. */
const { values } = parseArgs({
  options: { kind: { type: 'string' }, port: { type: 'string' }, answer: { type: 'string', default: '{}' } },
})
const { path, status, headers, body } = JSON.parse(values.answer) as Answer
const listen = { host: '127.0.0.1', port: Number(values.port) }
const KEEP_ALIVE_MS = 72_000

if (values.kind === 'fastify') {
  const app = Fastify({ keepAliveTimeout: KEEP_ALIVE_MS })
  app.get(path, (_request, reply) => void reply.code(status).headers(headers).send(body))
  await app.listen(listen)
} else {
  const length = { 'content-length': Buffer.byteLength(body) }
  createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (_request, response) => {
    response.writeHead(status, { ...headers, ...length }).end(body)
  }).listen(listen)
}
