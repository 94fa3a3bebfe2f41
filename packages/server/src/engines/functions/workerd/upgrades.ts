import type { IncomingMessage } from 'node:http'
import { request as httpRequest, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

import { ApiError } from '../../../platform/api-error.ts'
import type { UpgradeRequest } from '../../../platform/ports/functions-engine.ts'
import { NotSentError, requestHeaders, type SendOptions, takeContinues } from './requests.ts'
import { newWork } from './work.ts'

/** When one side has ended, the other may still send what it has. */
const HALF_OPEN_MS = 2_000

export type UpgradeOptions = Omit<SendOptions, 'client' | 'cpuMs'> & {
  socketPath: string
  cpuLimitNs: number
  /** The WebSocket is open until `socket` closes. Returns what is called with each part of its bytes. */
  onOpen(upstream: Duplex): () => void
}

/**
 * Sends an upgrade to the code: it is work like a request until it is answered. Resolves then. Throws `NotSentError`, or the reason why
 * there is no answer; nothing was written to the socket.
 */
export function sendUpgrade(
  { method, path, headers, requestId, responseHeaders }: UpgradeRequest,
  socket: Duplex,
  head: Buffer,
  options: UpgradeOptions,
): Promise<void> {
  const { socketPath, work, cpuLimitNs, answerDueAt, noteProgress, onEnd, follow, failureOf, onOpen } =
    options
  return new Promise((resolve, reject) => {
    let isSent = false
    let isFinished = false
    const finish = (continues: 'no' | 'maybe' | 'yes') => {
      if (isFinished) return false
      isFinished = true
      work.delete(requestId)
      socket.off('close', leave)
      if (continues !== 'no') follow(requestId, one, continues === 'yes')
      onEnd()
      return true
    }
    const end = (error: Error) => {
      if (!finish(isSent ? 'maybe' : 'no')) return
      upstream.destroy()
      reject(error)
    }
    const leave = () => end(new ApiError('function_failed'))
    const one = newWork(cpuLimitNs, answerDueAt, (code) => end(new ApiError(code)), headers['cdn-loop'])
    work.set(requestId, one)

    // A connection of its own: it ends with this upgrade.
    const upstream = httpRequest({
      socketPath,
      method,
      path,
      agent: false,
      headers: [
        ...requestHeaders(headers, requestId, false),
        'connection',
        'upgrade',
        'upgrade',
        headers.upgrade ?? 'websocket',
      ],
    })
    upstream.on('socket', (connection) => connection.once('connect', () => (isSent = true)))
    upstream.on('upgrade', (answer, remote, remoteHead) => {
      noteProgress()
      remote.on('error', () => socket.destroy())
      if (!finish('no')) return remote.destroy()
      const noteBytes = onOpen(remote)
      const names = ['connection', 'Upgrade', 'upgrade', headers.upgrade ?? 'websocket']
      socket.write(headOf(101, [...names, ...responseHeaders(answer.headers)]))
      if (head.length > 0) remote.write(head)
      connect(answer, remote, remoteHead, socket, noteBytes)
      resolve()
    })
    upstream.on('response', (answer) => {
      noteProgress()
      answer.on('error', () => socket.destroy())
      const isContinued = takeContinues(answer.headers)
      if (!finish(isContinued ? 'yes' : 'no')) return answer.destroy()
      socket.on('close', () => upstream.destroy())
      // Node has removed the chunks of the body, so that it ends with the connection where it has no length.
      socket.write(
        headOf(answer.statusCode ?? 502, ['connection', 'close', ...responseHeaders(answer.headers)]),
      )
      answer.pipe(socket)
      resolve()
    })
    upstream.on('error', (error) => {
      if (isFinished) return socket.destroy()
      if (!isSent) return end(new NotSentError('the process has ended', { cause: error }))
      return void failureOf().then((code) =>
        end(new ApiError(code ?? 'function_failed', undefined, { cause: error })),
      )
    })
    socket.on('close', leave)
    if (socket.destroyed) return leave()
    upstream.end()
  })
}

/** Writes the answer to an upgrade that has failed, and closes. */
export function refuseUpgrade(socket: Duplex, { status, body }: ApiError, requestId: string) {
  const text = JSON.stringify(body)
  const headers = ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store']
  const rest = [
    'x-request-id',
    requestId,
    'content-length',
    String(Buffer.byteLength(text)),
    'connection',
    'close',
  ]
  socket.end(headOf(status, [...headers, ...rest]) + text)
}

/** Passes the answer of an upgrade on as it is, and connects both sockets until one of them closes. */
export function writeUpgrade(
  answer: IncomingMessage,
  upstream: Duplex,
  head: Buffer,
  socket: Duplex,
  addBytes: (bytes: number) => void = () => {},
) {
  const { statusCode, statusMessage, rawHeaders } = answer
  socket.write(headOf(statusCode ?? 502, rawHeaders, statusMessage))
  connect(answer, upstream, head, socket, addBytes)
}

function connect(
  answer: IncomingMessage,
  upstream: Duplex,
  head: Buffer,
  socket: Duplex,
  addBytes: (bytes: number) => void,
) {
  // A WebSocket may be silent for long.
  answer.socket.setTimeout(0)
  if (head.length > 0) socket.write(head)
  upstream.on('data', (chunk: Buffer) => addBytes(chunk.length))
  socket.on('data', (chunk: Buffer) => addBytes(chunk.length))
  upstream.pipe(socket).pipe(upstream)
  for (const [one, other] of [
    [upstream, socket],
    [socket, upstream],
  ] as const) {
    one.on('error', () => other.destroy())
    one.on('close', () => other.destroy())
    // Code need not answer a Close, and workerd does not end its side for it. The client is gone all the same.
    one.on('end', () => {
      const timer = setTimeout(() => one.destroy(), HALF_OPEN_MS).unref()
      one.on('close', () => clearTimeout(timer))
    })
  }
}

/** `headers`: name, value, name, value …. */
function headOf(status: number, headers: readonly string[], message = STATUS_CODES[status] ?? ''): string {
  const lines = [`HTTP/1.1 ${status} ${message}`]
  for (let index = 0; index < headers.length; index += 2)
    lines.push(`${headers[index]}: ${headers[index + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}
