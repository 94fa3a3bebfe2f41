import { connect } from 'node:net'

export type Received = { status: number; headers: Map<string, string>; text: string }
export type Outcome = Received | 'closed without an answer' | 'no answer in time'

const RESPONSE_TIMEOUT_MS = 20_000
const CLOSE_TIMEOUT_MS = 100

/**
 * Writes directly to the socket, because HTTP clients correct or reject invalid requests. `incomplete`: the server may wait for
 * more bytes, so the client closes its side if no response comes.
 */
export function exchange(port: number, bytes: Buffer, incomplete: boolean): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const received: Buffer[] = []
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const end = (outcome: Outcome) => {
    clearTimeout(hang)
    clearTimeout(hangUp)
    socket.destroy()
    resolve(outcome)
  }
  const finish = () => end(answerIn(Buffer.concat(received)) ?? 'closed without an answer')
  const hang = setTimeout(() => end('no answer in time'), RESPONSE_TIMEOUT_MS)
  const hangUp = incomplete ? setTimeout(() => socket.end(), CLOSE_TIMEOUT_MS) : undefined

  socket.on('data', (chunk: Buffer) => {
    received.push(chunk)
    const answer = answerIn(Buffer.concat(received))
    if (!answer) return
    // A stream of events does not end; the client leaves when it has begun.
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    if (isStream || Buffer.byteLength(answer.text) === lengthOf(answer)) end(answer)
  })
  socket.on('end', finish)
  // The server may respond and close while the request is still being written. The bytes received before the error count.
  socket.on('error', finish)
  socket.write(bytes)
  return promise
}

function answerIn(bytes: Buffer): Received | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1])
  const rest = bytes.subarray(headEnd + 4)
  if (status >= 100 && status < 200) return answerIn(rest)

  const headers = new Map(
    lines.map((line) => [line.split(':')[0]?.toLowerCase() ?? '', line.replace(/^[^:]*:\s*/, '')]),
  )
  return { status, headers, text: rest.subarray(0, lengthOf({ headers })).toString() }
}

/** A response without a length ends with the connection. */
const lengthOf = ({ headers }: Pick<Received, 'headers'>): number | undefined =>
  headers.has('content-length') ? Number(headers.get('content-length')) : undefined
