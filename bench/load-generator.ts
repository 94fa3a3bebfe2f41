import { connect } from 'node:net'

import { answering } from './answering.ts'
import { percentile } from './figures.ts'

/** The same requests, over and over: every connection sends the next one when the last is answered. */
export type Load = {
  port: number
  requests: readonly string[]
  status: number
  connections: number
  ms: number
}
export type LoadResult = { requests: number; perSecond: number; p50Ms: number; p99Ms: number }

answering(async (load: Load): Promise<LoadResult> => {
  const latencies: number[] = []
  const requests = load.requests.map((request) => Buffer.from(request))
  let sent = 0
  const next = () => requests[sent++ % requests.length] as Buffer
  const startedAt = performance.now()
  const until = startedAt + load.ms
  await Promise.all(Array.from({ length: load.connections }, () => drive(load, next, until, latencies)))
  const seconds = (performance.now() - startedAt) / 1_000

  latencies.sort((a, b) => a - b)
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  }
})

/** A bare socket and the least of HTTP: the generator shares the machine with what it measures. */
function drive(
  { port, status }: Load,
  next: () => Buffer,
  until: number,
  latencies: number[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    let sentAt = 0
    let received = Buffer.alloc(0)

    function send() {
      sentAt = performance.now()
      socket.write(next())
    }

    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`port ${port} closed the connection`)))
    socket.on('data', (chunk: Buffer<ArrayBuffer>) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const answered = readStatus(received)
      if (answered === undefined) return

      received = Buffer.alloc(0)
      const now = performance.now()
      latencies.push(now - sentAt)
      if (answered !== status) reject(new Error(`port ${port} answered ${answered} in place of ${status}`))
      else if (now < until) return send()
      else resolve()
      socket.destroy()
    })
  })
}

/** Once the answer is whole. Nothing can follow it: the next request has not been sent. */
function readStatus(received: Buffer): number | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const head = received.toString('latin1', 0, headEnd)
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? []
  if (length === undefined) throw new Error('an answer without content-length')
  return received.length < headEnd + 4 + Number(length) ? undefined : Number(head.slice(9, 12))
}
