import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { WAIT_MAX_MS } from './in-time.ts'

export type Received = { headers: IncomingHttpHeaders; text: string; path: string }
export type Answering = (response: ServerResponse, received: Received) => void

/** A developer's server on this machine, whose responses a test sets. */
export async function startReceiver() {
  const received: Received[] = []
  const arrivals = new EventEmitter()
  let answering: Answering = answerWith({ approve: true })

  const server = createServer((request, response) => {
    const { headers, url: path = '' } = request
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      const one = { headers, text: Buffer.concat(chunks).toString(), path }
      received.push(one)
      arrivals.emit('request')
      answering(response, one)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    port,
    url: `http://localhost:${port}/verify`,
    received,
    answer: (next: Answering) => void (answering = next),
    /** The requests since the last call. */
    take: () => received.splice(0),
    async arrived(count: number) {
      const signal = AbortSignal.timeout(WAIT_MAX_MS)
      while (received.length < count) await once(arrivals, 'request', { signal })
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const answerWith =
  (body: unknown, status = 200): Answering =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body))
