import { request as httpRequest } from 'node:http'
import type { Duplex } from 'node:stream'

import { ApiError } from '../../../../platform/api-error.ts'
import type { UpgradeRequest } from '../../../../platform/ports/functions-engine.ts'
import { closeSoon, connectSockets, endSocket, headOf } from './connected-sockets.ts'
import { requestHeaders } from './requests.ts'
import { type SendOptions, sendWork } from './sent-work.ts'

type UpgradeOptions = SendOptions & {
  socketPath: string
  /** The WebSocket is open until `socket` closes. Returns what is called with each part of its bytes. */
  onOpen(upstream: Duplex): () => void
}

/**
 * Sends an upgrade to the code: it is work like a request until it is answered. Resolves then. Throws `NotSentError`, or the reason why
 * there is no answer; nothing was written to the socket.
 */
export function sendUpgrade(
  request: UpgradeRequest,
  socket: Duplex,
  head: Buffer,
  options: UpgradeOptions,
): Promise<void> {
  const { method, path, headers, requestId, responseHeaders } = request
  const protocol = headers.upgrade ?? 'websocket'
  return sendWork(request, options, (sent) => {
    if (socket.destroyed) throw new ApiError('function_failed')
    // A connection of its own: it ends with this upgrade.
    const upstream = httpRequest({
      socketPath: options.socketPath,
      method,
      path,
      agent: false,
      headers: [...requestHeaders(headers, requestId, false), 'connection', 'upgrade', 'upgrade', protocol],
    })
    const leave = () => sent.fail(new ApiError('function_failed'))
    const finish = (continues: 'no' | 'yes') => {
      socket.off('close', leave)
      return sent.finish(continues)
    }
    upstream.on('socket', (connection) => connection.once('connect', sent.noteSent))
    upstream.on('upgrade', (answer, remote, remoteHead) => {
      sent.noteAnswer(answer.headers)
      remote.on('error', () => socket.destroy())
      if (!finish('no')) return remote.destroy()
      const noteBytes = options.onOpen(remote)
      const names = ['connection', 'Upgrade', 'upgrade', protocol]
      socket.write(headOf(101, [...names, ...responseHeaders(answer.headers)]))
      if (head.length > 0) remote.write(head)
      connectSockets(answer, remote, remoteHead, socket, noteBytes)
      return sent.resolve()
    })
    upstream.on('response', (answer) => {
      answer.on('error', () => socket.destroy())
      if (!finish(sent.noteAnswer(answer.headers) ? 'yes' : 'no')) return answer.destroy()
      socket.on('close', () => upstream.destroy())
      // Node has removed the chunks of the body, so that it ends with the connection where it has no length.
      socket.write(
        headOf(answer.statusCode ?? 502, ['connection', 'close', ...responseHeaders(answer.headers)]),
      )
      answer.pipe(socket.resume())
      answer.on('end', () => closeSoon(socket))
      return sent.resolve()
    })
    upstream.on('error', (error) => {
      if (sent.isFinished()) socket.destroy()
      else sent.failConnection(error, false)
    })
    socket.on('close', leave)
    upstream.end()
    return () => {
      socket.off('close', leave)
      upstream.destroy()
    }
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
  endSocket(socket, headOf(status, [...headers, ...rest]) + text)
}
