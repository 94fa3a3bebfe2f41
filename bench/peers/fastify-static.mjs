// @fastify/static with precompressed files next to the originals.
import { parseArgs } from 'node:util'

import fastifyStatic from '@fastify/static'
import Fastify from 'fastify'

const { values } = parseArgs({ options: { port: { type: 'string' }, root: { type: 'string' } } })

const app = Fastify()
await app.register(fastifyStatic, { root: values.root, preCompressed: true })
await app.listen({ host: '127.0.0.1', port: Number(values.port) })
