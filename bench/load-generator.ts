import { connect } from 'node:net'

import { percentile } from './metrics.ts'
import { UNIQUE } from './targets/requests.ts'
import { runWorkerLoop } from './worker-loop.ts'

/** Repeats the same requests. Every connection sends its next request when the previous one is answered, or at a fixed rate. */
export type Load = {
  port: number
  requests: readonly string[]
  status: number
  connections: number
  ms: number
  /** A connection ends after so many requests, if that is before `ms`. */
  count?: number
  /**
   * Name of a response member whose value replaces the member of the same name in the next request. Every connection then has its
   * own request.
   */
  renewed?: string
  /** Requests of all connections together. A request that has to wait for the previous answer counts from the time at which it was due. */
  perSecond?: number
}
export type LoadResult = { requests: number; perSecond: number; p50Ms: number; p99Ms: number }

type Sender = { next(): Buffer; answered(answer: Buffer): void }

runWorkerLoop(async (load: Load): Promise<LoadResult> => {
  const latencies: number[] = []
  const shared = load.renewed === undefined ? roundRobin(load.requests) : undefined
  const senders = Array.from({ length: load.connections }, (_, i) => shared ?? renewing(load, i))
  const startedAt = performance.now()
  const until = startedAt + load.ms
  await Promise.all(senders.map((sender, at) => drive(load, sender, until, latencies, firstDue(load, at))))
  const seconds = (performance.now() - startedAt) / 1_000

  latencies.sort((a, b) => a - b)
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  }
})

let uniques = 0

function roundRobin(texts: readonly string[]): Sender {
  const requests = texts.map((text) => (text.includes(UNIQUE) ? text : Buffer.from(text)))
  let sent = 0
  return {
    next() {
      const request = requests[sent++ % requests.length] ?? ''
      if (typeof request !== 'string') return request
      return Buffer.from(request.replace(UNIQUE, `unique-${String(++uniques).padStart(16, '0')}`))
    },
    answered() {},
  }
}

/** Original request text → current text. A renewed token is consumed, so the next load must continue with the current one. */
const renewedTexts = new Map<string, string>()

function renewing({ port, requests, renewed }: Load, connection: number): Sender {
  const member = new RegExp(`"${renewed}":"[^"]*"`)
  const first = requests[connection % requests.length] ?? ''
  const name = `${port} ${first}`
  return {
    next: () => Buffer.from(renewedTexts.get(name) ?? first),
    answered(answer) {
      const [found] = member.exec(answer.toString('latin1')) ?? []
      if (found) renewedTexts.set(name, withLength((renewedTexts.get(name) ?? first).replace(member, found)))
    },
  }
}

/** The new token may have another length. */
const withLength = (text: string): string =>
  text.replace(/Content-Length: \d+/, `Content-Length: ${text.length - text.indexOf('\r\n\r\n') - 4}`)

const intervalOf = ({ connections, perSecond }: Load) => (perSecond ? (connections * 1_000) / perSecond : 0)

/** The connections take turns. */
const firstDue = (load: Load, at: number) => performance.now() + (intervalOf(load) * at) / load.connections

/** Uses a plain socket and minimal HTTP parsing, because the generator shares the machine with the server it measures. */
function drive(load: Load, sender: Sender, until: number, latencies: number[], dueAt: number): Promise<void> {
  const { port, status, count = Infinity } = load
  const intervalMs = intervalOf(load)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    let sentAt = 0
    let pieces: Buffer[] = []
    let missingBytes = 1
    let answers = 0

    function send(countsFrom = performance.now()) {
      sentAt = countsFrom
      socket.write(sender.next())
    }

    /** The timer rounds to milliseconds: a request that is sent late because of it counts from its sending. */
    function sendWhenDue() {
      if (intervalMs === 0) return send()
      const waitMs = dueAt - performance.now()
      if (waitMs > 0) setTimeout(send, waitMs)
      else send(dueAt)
      dueAt += intervalMs
    }

    socket.on('connect', () => {
      dueAt = Math.max(dueAt, performance.now())
      sendWhenDue()
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`port ${port} closed the connection`)))
    socket.on('data', (chunk: Buffer) => {
      pieces.push(chunk)
      missingBytes -= chunk.length
      if (missingBytes > 0) return
      const received = pieces.length === 1 ? chunk : Buffer.concat(pieces)
      pieces = [received]
      missingBytes = missingBytesOf(received)
      if (missingBytes > 0) return

      const now = performance.now()
      latencies.push(now - sentAt)
      sender.answered(received)
      pieces = []
      missingBytes = 1
      const answered = Number(received.toString('latin1', 9, 12))
      if (answered !== status) reject(new Error(`port ${port} answered ${answered} in place of ${status}`))
      else if (now < until && ++answers < count) return sendWhenDue()
      else resolve()
      socket.destroy()
    })
  })
}

/**
 * Minimum number of bytes missing until the response is complete. No other response can follow, because the next request has not
 * been sent.
 */
function missingBytesOf(received: Buffer): number {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return 1
  const head = received.toString('latin1', 0, headEnd)
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? []
  if (length === undefined) return received.includes(LAST_CHUNK) ? 0 : 1
  return Math.max(0, headEnd + 4 + Number(length) - received.length)
}

const LAST_CHUNK = '\r\n0\r\n\r\n'
