import type { BanWarningDetails } from '@svc/contract/realtime/realtime'

import { SvcError, type SvcErrorCode } from '../http/errors.ts'
import type { WebSocketConstructor, WebSocketLike } from '../http/platform.ts'
import type { AnyFrame, Welcome } from './frames.ts'

/** How a connection ended. `details` are those of a ban, which the service sends before it closes. */
export type Closed = { code: number; reason: string; details?: Record<string, unknown> }

/** Thrown when a connection was rejected or lost. */
export class ConnectionClosedError extends Error {
  readonly closed: Closed

  constructor(closed: Closed) {
    super(closed.reason)
    this.closed = closed
  }

  get asError(): SvcError {
    const { code, reason, details } = this.closed
    const hasReason = code >= 4000 && reason !== ''
    return new SvcError(hasReason ? (reason as SvcErrorCode) : 'network_error', {
      message: `the connection was closed (${code} ${reason})`,
      details,
    })
  }
}

/** An authenticated WebSocket. */
export type SocketConnection = { welcome: Welcome; send(frame: object): void; drop(): void }

type SocketConnectionDeps = {
  WebSocket: WebSocketConstructor
  url: string
  auth: object
  /** Aborts the connection, opened or not. */
  signal: AbortSignal
  receive(frame: AnyFrame): void
  closed(closed: Closed): void
}

const WELCOME_TIMEOUT_MS = 10_000
/** A WebSocket that began while the network was away may never open, although a new one would. */
const SECOND_AFTER_MS = 3_000
const ABANDONED: Closed = { code: 1000, reason: '' }
/** Tells the service, if it still hears it, that the client is about to come back. */
const DROPPED: Closed = { code: 4008, reason: '' }

/**
 * Opens a WebSocket and resolves at its `welcome` frame. If it hangs, a second one is tried beside it. Only the first that opens
 * authenticates, because a connection that authenticates replaces an earlier one of the same player. Afterwards `receive` is called per
 * frame, and `closed` once.
 */
export function openSocketConnection({
  WebSocket,
  url,
  auth,
  signal,
  receive,
  closed,
}: SocketConnectionDeps): Promise<SocketConnection> {
  return new Promise((resolve, reject) => {
    /** Those that may still open; then the one that did. */
    let sockets: WebSocketLike[] = []
    let ended = (how: Closed) => reject(new ConnectionClosedError(how))
    let isFinished = false
    let ban: Record<string, unknown> | undefined
    const abandon = () => finish(ABANDONED)
    attempt()
    const second = setTimeout(attempt, SECOND_AFTER_MS)
    const timer = setTimeout(abandon, WELCOME_TIMEOUT_MS)
    signal.addEventListener('abort', abandon)

    /** Does not wait for the closing handshake: the other side may no longer respond. */
    function finish(how: Closed) {
      if (isFinished) return
      isFinished = true
      clearTimeout(second)
      clearTimeout(timer)
      signal.removeEventListener('abort', abandon)
      for (const socket of sockets) socket.close(how.code)
      ended(how)
    }

    function attempt() {
      const socket = construct(WebSocket, url)
      sockets.push(socket)
      socket.onopen = () => {
        if (!sockets.includes(socket)) return
        clearTimeout(second)
        for (const other of sockets) if (other !== socket) other.close()
        sockets = [socket]
        socket.send(JSON.stringify({ t: 'auth', ...auth }))
      }
      socket.onclose = ({ code, reason }: Closed) => {
        sockets = sockets.filter((other) => other !== socket)
        if (sockets.length === 0) finish({ code, reason, ...(ban && { details: ban }) })
      }
      socket.onerror = () => {}
      socket.onmessage = ({ data }: { data: unknown }) => {
        if (isFinished) return
        const frame = JSON.parse(String(data)) as AnyFrame
        if (isBan(frame)) return void (ban = frame.details)
        if (frame.t !== 'welcome') return receive(frame)
        clearTimeout(timer)
        ended = closed
        resolve({
          welcome: frame as Welcome,
          send: (out) => socket.send(JSON.stringify(out)),
          drop: () => finish(DROPPED),
        })
      }
    }
  })
}

type Ban = { t: 'warn'; code: 'player_banned'; details: BanWarningDetails }

const isBan = (frame: AnyFrame): frame is Ban => frame.t === 'warn' && (frame as Ban).code === 'player_banned'

/** Throws `invalid_options` if the URL is invalid, or if a page on https opens a ws: URL. */
function construct(WebSocket: WebSocketConstructor, url: string): WebSocketLike {
  try {
    return new WebSocket(url)
  } catch (error) {
    throw new SvcError('invalid_options', { message: `${url} cannot be connected to: ${String(error)}` })
  }
}
